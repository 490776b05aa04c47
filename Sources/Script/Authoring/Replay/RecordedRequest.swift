import CurlClient
import Encodings
import Foundation
import HTMLAutomation
import HTMLEngine
import Secrets

/// The parts of a request that are the same in every session: method, address without volatile parts, and field names.
package struct RecordedRequest: Sendable, Hashable {
    var method: String
    var origin: String
    var path: [String]
    /// The query's fields in order; a volatile value is nil.
    var query: [Field]
    /// The names of the form's fields or of the JSON body's members, sorted.
    package private(set) var fieldNames: [String]

    struct Field: Sendable, Hashable {
        var name: String
        var value: String?
    }

    /// Stands for a path segment that changes each time.
    private static let volatile = "•"

    package init(method: String, url: String, body: [UInt8]?, contentType: String?) {
        let address = url.prefix { $0 != "#" }
        let halves = address.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let scheme = halves[0].firstRange(of: "://")?.upperBound ?? halves[0].startIndex
        let authority = halves[0][scheme...].prefix { $0 != "/" }
        self.method = method.uppercased()
        origin = halves[0][..<authority.endIndex].lowercased()
        path = halves[0][authority.endIndex...].split(separator: "/").map { segment in
            let plain = segment.removingPercentEncoding ?? String(segment)
            return Self.stable(plain) ?? Self.volatile
        }
        query = (halves.count > 1 ? FormFields(urlEncoded: halves[1]).fields : []).map {
            Field(name: $0.name, value: Self.isVolatile($0.name) ? nil : Self.stable($0.value))
        }
        fieldNames = Self.names(in: body, type: contentType).sorted()
    }

    package init(_ exchange: Exchange) {
        self.init(
            method: exchange.method, url: exchange.url, body: exchange.requestBody,
            contentType: exchange.requestHeader("content-type"))
    }

    /// Masks the value as a trace does, so that both sides compare equal; nil when nothing is left to compare.
    private static func stable(_ value: String) -> String? {
        let masked = Mask().value(value, named: "")
        return masked == Secret.mask ? nil : masked
    }

    /// Returns whether a field changes each time: a timestamp against caches, a session, a token.
    private static func isVolatile(_ name: String) -> Bool {
        ["_", "t", "ts", "nocache", "cb", "rnd", "timestamp"].contains(name.lowercased())
            || Mask().value("x", named: name) == Secret.mask
    }

    private static func names(in body: [UInt8]?, type: String?) -> [String] {
        guard let body, !body.isEmpty else { return [] }
        let type = type?.lowercased() ?? ""
        if type.hasPrefix("multipart/") {
            let names = FormFields.names(inMultipart: body)
            if !names.isEmpty { return names }
        }
        if let json = try? JSONReader.read(body) { return json.objectValue.map { Array($0.keys) } ?? [] }
        return FormFields(urlEncoded: String(decoding: body, as: UTF8.self)).names
    }
}

extension RecordedRequest {
    /// Returns whether two requests have the same method, place and names; their values may differ.
    func isAlike(_ other: RecordedRequest) -> Bool {
        method == other.method && origin == other.origin && path.count == other.path.count
            && query.map(\.name).sorted() == other.query.map(\.name).sorted() && fieldNames == other.fieldNames
            && zip(path, other.path).count { $0 != $1 } <= 1
    }
}

extension RecordedRequest: CustomStringConvertible {
    package var description: String {
        var text = "\(method) \(origin)/\(path.joined(separator: "/"))"
        if !query.isEmpty {
            text += "?" + query.map { "\($0.name)=\($0.value ?? "…")" }.joined(separator: "&")
        }
        if !fieldNames.isEmpty { text += " with \(fieldNames.joined(separator: ", "))" }
        return text
    }

    /// Describes how another request differs from this one; empty when both are the same.
    func differences(from other: RecordedRequest) -> [String] {
        var found: [String] = []
        if method != other.method { found.append("the method is \(other.method)") }
        if origin != other.origin { found.append("the origin is \(other.origin), so run the script there") }
        if path != other.path { found.append("the path is /\(other.path.joined(separator: "/"))") }
        found += Self.differences(query.map(\.name), other.query.map(\.name), "the query")
        for field in query {
            guard let theirs = other.query.first(where: { $0.name == field.name }), theirs.value != field.value else {
                continue
            }
            found.append("\(field.name) is “\(theirs.value ?? "…")”, not “\(field.value ?? "…")”")
        }
        found += Self.differences(fieldNames, other.fieldNames, "the body")
        return found
    }

    private static func differences(_ mine: [String], _ theirs: [String], _ place: String) -> [String] {
        let more = Set(theirs).subtracting(mine).sorted()
        let fewer = Set(mine).subtracting(theirs).sorted()
        return (more.isEmpty ? [] : ["\(place) has \(more.joined(separator: ", ")) too"])
            + (fewer.isEmpty ? [] : ["\(place) lacks \(fewer.joined(separator: ", "))"])
    }

    /// Measures the difference: 0 when both are the same. A wrong path weighs more than a wrong value.
    func distance(to other: RecordedRequest) -> Int {
        var distance = (method == other.method ? 0 : 4) + (origin == other.origin ? 0 : 6)
        let shared = zip(path, other.path).count { $0 == $1 }
        distance += 3 * (max(path.count, other.path.count) - shared)
        distance += 2 * Set(query.map(\.name)).symmetricDifference(other.query.map(\.name)).count
        distance += query.count { field in other.query.contains { $0.name == field.name && $0.value != field.value } }
        return distance + Set(fieldNames).symmetricDifference(other.fieldNames).count
    }
}
