import Clocks
import Encodings

/// The reason why a body cannot be read. The message names the field and holds no value that was sent.
public struct BodyError: Error, Sendable, Hashable, CustomStringConvertible {
    public let code: ErrorCode
    public let message: String

    package init(_ code: ErrorCode, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }

    package static func missing(_ field: String) -> BodyError {
        BodyError(.missingField, "“\(field)” is missing")
    }

    package static func invalid(_ field: String, _ what: String) -> BodyError {
        BodyError(.invalidField, "“\(field)” is \(what)")
    }
}

/// Reads the members of a body one by one, with an error that names the member. Unknown members are ignored, unless
/// ``refuseOthers(than:)`` is called.
struct BodyFields {
    private let members: [String: JSONValue]

    /// An empty object stands for everything that is not an object.
    init(_ json: JSONValue) {
        members = json.objectValue ?? [:]
    }

    /// Refuses a body with other members than `known`. The message names the first few of them.
    ///
    /// A name is repeated only when it looks like a field's: everything else may be a value, or hostile text.
    func refuseOthers(than known: [String]) throws(BodyError) {
        let others = members.keys.filter { !known.contains($0) }.sorted()
        guard !others.isEmpty else { return }
        let shown = others.filter { $0.wholeMatch(of: /[A-Za-z0-9_\-]{1,64}/) != nil }.prefix(5).map { "“\($0)”" }
        let rest = others.count - shown.count
        let names = shown + (rest > 0 ? [shown.isEmpty ? "\(rest) with unusual names" : "\(rest) more"] : [])
        throw BodyError(
            .invalidField,
            "unknown fields: \(names.joined(separator: ", ")); the fields are \(known.joined(separator: ", "))")
    }

    func text(_ name: String, atMost limit: Int) throws(BodyError) -> String {
        guard let text = try optionalText(name, atMost: limit) else { throw .missing(name) }
        return text
    }

    /// Returns nil for a missing member and for null.
    func optionalText(_ name: String, atMost limit: Int) throws(BodyError) -> String? {
        guard let value = members[name], value != .null else { return nil }
        guard let text = value.stringValue else { throw .invalid(name, "not a string") }
        guard text.unicodeScalars.count <= limit else { throw .invalid(name, "longer than \(limit) characters") }
        return text
    }

    /// Returns nil for a missing member and for null.
    func optionalFlag(_ name: String) throws(BodyError) -> Bool? {
        guard let value = members[name], value != .null else { return nil }
        guard let flag = value.boolValue else { throw .invalid(name, "not true or false") }
        return flag
    }

    /// Returns nil for a missing member and for null.
    func optionalTexts(_ name: String, atMost limit: Int) throws(BodyError) -> [String]? {
        guard let value = members[name], value != .null else { return nil }
        guard let items = value.arrayValue, items.count <= limit else {
            throw .invalid(name, "not a list of at most \(limit) texts")
        }
        let texts = items.compactMap(\.stringValue)
        guard texts.count == items.count else { throw .invalid(name, "not a list of texts") }
        return texts
    }

    func whole(_ name: String) throws(BodyError) -> Int {
        guard let value = members[name], value != .null else { throw .missing(name) }
        guard let number = value.intValue else { throw .invalid(name, "not an integer") }
        return number
    }

    func time(_ name: String) throws(BodyError) -> Timestamp {
        guard let time = Timestamp(try text(name, atMost: 40)) else { throw .invalid(name, "not an ISO 8601 time") }
        return time
    }
}
