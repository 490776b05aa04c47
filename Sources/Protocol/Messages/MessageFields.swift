import Encodings

/// Reads the members of a message one by one, with an error that names the member.
package struct MessageFields {
    package let members: [String: JSONValue]

    package init(_ json: JSONValue, what: String) throws(MessageError) {
        guard case .object(let members) = json else {
            throw MessageError(.malformed, "\(what) is not a JSON object")
        }
        self.members = members
    }

    package func text(_ name: String) throws(MessageError) -> String {
        guard let text = members[name]?.stringValue else {
            throw MessageError(
                .malformed, "“\(name)” \(members[name] == nil ? "is missing" : "must be a string")")
        }
        return text
    }

    package func whole(_ name: String) throws(MessageError) -> Int {
        guard let number = members[name]?.intValue else {
            throw MessageError(.malformed, "“\(name)” \(members[name] == nil ? "is missing" : "must be an integer")")
        }
        return number
    }

    package func read<Value>(_ name: String, _ kind: String, _ read: (String) -> Value?) throws(MessageError) -> Value {
        guard let value = read(try text(name)) else { throw MessageError(.malformed, "“\(name)” must be \(kind)") }
        return value
    }

    package func check(version: String) throws(MessageError) {
        let found = try text("version")
        guard found == version else {
            throw MessageError(.unknownVersion, "version “\(found.prefix(20))” is not known; “\(version)” is")
        }
    }
}
