import Encodings
import Foundation
import HTMLAutomation
import HTMLEngine
import Secrets

/// Every value that a request submits: the segments of its path, its query, and its form or JSON body, hidden fields
/// included.
struct SubmittedValues: Sendable {
    struct Value: Sendable, Hashable {
        /// The field's name, the JSON path, or the number of the path's segment.
        var name: String
        var text: String
        /// The value is part of the body, not of the address.
        var isInBody = false
    }

    private(set) var values: [Value]
    let isForm: Bool

    init(url: String, body: [UInt8]?, contentType: String?) {
        let address = url.prefix { $0 != "#" }
        let halves = address.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let start = halves[0].firstRange(of: "://")?.upperBound ?? halves[0].startIndex
        let path = halves[0][start...].drop { $0 != "/" }
        values = path.split(separator: "/").enumerated().map { index, segment in
            Value(
                name: "part \(index + 1) of the path", text: segment.removingPercentEncoding ?? String(segment))
        }
        if halves.count > 1 {
            values += FormFields(urlEncoded: halves[1]).fields.map { Value(name: $0.name, text: $0.value) }
        }
        guard let body, !body.isEmpty else {
            isForm = false
            return
        }
        if let json = try? JSONReader.read(body), json.objectValue != nil || json.arrayValue != nil {
            isForm = false
            values += Self.members(of: json, at: "$")
        } else {
            isForm = true
            values += Self.fields(of: body, contentType).map { Value(name: $0.name, text: $0.value, isInBody: true) }
        }
    }

    private static func fields(of body: [UInt8], _ type: String?) -> [FormFields.Field] {
        if type?.lowercased().hasPrefix("multipart/") == true {
            let parts = FormFields(multipart: body).fields
            if !parts.isEmpty { return parts }
        }
        return FormFields(urlEncoded: String(decoding: body, as: UTF8.self)).fields
    }

    private static func members(of json: JSONValue, at path: String) -> [Value] {
        switch json {
        case .object(let members):
            members.sorted { $0.key < $1.key }.flatMap { Self.members(of: $0.value, at: "\(path).\($0.key)") }
        case .array(let items):
            items.enumerated().flatMap { Self.members(of: $0.element, at: "\(path)[\($0.offset)]") }
        case .string(let text): [Value(name: path, text: text, isInBody: true)]
        default: [Value(name: path, text: json.compactText(), isInBody: true)]
        }
    }
}

extension SubmittedValues {
    /// The result of comparing a script's request with a recorded one.
    struct Comparison {
        /// Says for each value that differs what the recording has, and what the script sends.
        var differences: [String] = []
        /// The names of the values that the recording hides, so that nothing could be compared.
        var hidden: [String] = []
    }

    /// Compares what a script sends with what was recorded, value by value.
    ///
    /// - Parameters:
    ///   - passwordFields: the names of the recorded pages' password fields.
    ///   - points: the names that image buttons of this request's form send: where on the image a person clicked.
    ///   - known: what the recording has for each credential that was compared already.
    func compared(
        with recorded: SubmittedValues, passwordFields: Set<String>, points: Set<String> = [],
        known: inout [String: String]
    ) -> Comparison {
        var result = Comparison()
        var theirs = recorded.values
        for mine in values {
            let same = theirs.firstIndex {
                $0.name == mine.name && $0.text == mine.text && $0.isInBody == mine.isInBody
            }
            guard let index = same ?? theirs.firstIndex(where: { $0.name == mine.name && $0.isInBody == mine.isInBody })
            else {
                result.differences.append("the recording does not send \(mine.name)")
                continue
            }
            let other = theirs.remove(at: index)
            let place = Place(
                isPassword: isForm && mine.isInBody ? passwordFields : nil, name: mine.name,
                isPoint: points.contains(mine.name))
            switch Self.verdict(on: mine.text, recorded: other.text, at: place, &known) {
            case .same: break
            case .hidden: result.hidden.append(mine.name)
            case .different(let why): result.differences.append(why)
            }
        }
        result.differences += theirs.map { "the recording sends \($0.name) too" }
        return result
    }

    private struct Place {
        /// The names of the password fields; nil where no form field is meant.
        var isPassword: Set<String>?
        var name: String
        /// The value says where on an image button a person clicked (HTML Standard, section 4.10.21.4).
        var isPoint: Bool
    }

    private enum Verdict {
        case same, hidden
        case different(String)
    }

    private static func verdict(
        on sent: String, recorded: String, at place: Place, _ known: inout [String: String]
    ) -> Verdict {
        if sent == recorded { return .same }
        if sent == DraftPrivacy.gap { return .hidden }
        if let credential = ReplayAnswers.name(of: sent) {
            return verdict(onCredential: credential, recorded: recorded, at: place, &known)
        }
        if let credential = RecordedCredential.name(in: recorded) {
            return .different("\(place.name) holds the \(credential) in the recording; the script sends another value")
        }
        if recorded.isEmpty || sent.isEmpty {
            return .different(
                sent.isEmpty
                    ? "\(place.name) is empty; in the recording it is filled in"
                    : "\(place.name) is filled in; in the recording it is empty")
        }
        if isTimestamp(place.name) || place.isPoint && Int(sent) != nil && Int(recorded) != nil { return .same }
        if recorded == Secret.mask { return .hidden }
        if recorded.contains("•") {
            let isNumber = sent.allSatisfy { $0.isNumber || "-., ".contains($0) }
            let isDots = recorded.allSatisfy { "•-., ".contains($0) }
            if Mask().value(sent, named: place.name) == recorded || isNumber && isDots { return .hidden }
        }
        return .different("\(place.name) is “\(recorded)”, not “\(sent)”")
    }

    private static func verdict(
        onCredential credential: String, recorded: String, at place: Place, _ known: inout [String: String]
    ) -> Verdict {
        if recorded.isEmpty {
            return .different("\(place.name) is empty in the recording; the script sends the \(credential)")
        }
        if let named = RecordedCredential.name(in: recorded) {
            return named == credential
                ? .same
                : .different("\(place.name) holds the \(named) in the recording; the script sends the \(credential)")
        }
        if let passwords = place.isPassword, !passwords.isEmpty {
            if credential == "username", passwords.contains(place.name) {
                return .different("\(place.name) is a password field; the script sends the username")
            }
            if credential == "password", !passwords.contains(place.name) {
                return .different("\(place.name) is not a password field; the script sends the password")
            }
        }
        if recorded.contains("•") { return .hidden }
        if credential == ReplayAnswers.codeName { return .same }
        let before = known.updateValue(recorded, forKey: credential)
        return before == nil || before == recorded
            ? .same : .different("the recording has two values for the \(credential), one of them in \(place.name)")
    }

    /// Returns whether a field changes each time, to defeat caches.
    private static func isTimestamp(_ name: String) -> Bool {
        ["_", "t", "ts", "nocache", "cb", "rnd", "timestamp"].contains(name.lowercased())
    }
}
