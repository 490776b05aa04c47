import Encodings

/// The reason why a tool failed, for the assistant to read.
package struct ToolFailure: Error, Sendable {
    package let message: String
    /// The part that quotes a file or a page; an assistant gets it under a name that says so.
    package let detail: String?

    package init(_ message: String, detail: String? = nil) {
        self.message = message
        self.detail = detail
    }

    /// The result of the call.
    package var result: [String: JSONValue] {
        let text = detail.map { detail in
            (["error": .string(message), "detail_untrusted": .string(detail)] as JSONValue).compactText()
        }
        return ["content": [["type": "text", "text": .string(text ?? message)]], "isError": true]
    }
}

/// Reads the arguments of a tool one by one. A null counts as a missing argument.
package struct ToolArguments {
    private let members: [String: JSONValue]

    package init(_ json: JSONValue) throws(ToolFailure) {
        guard case .object(let members) = json else { throw ToolFailure("“arguments” must be an object") }
        self.members = members.filter { $0.value != .null }
    }

    /// Refuses what the tool does not take: an assistant would else believe that it was heeded.
    package func refuseOthers(than known: Set<String>, of tool: String) throws(ToolFailure) {
        guard let other = members.keys.sorted().first(where: { !known.contains($0) }) else { return }
        let names = known.isEmpty ? "it takes none" : "it takes \(known.sorted().joined(separator: ", "))"
        throw ToolFailure("“\(other.prefix(80))” is not an argument of \(tool); \(names)")
    }

    /// Returns an argument as it came.
    package func value(_ name: String) -> JSONValue? { members[name] }

    package func text(_ name: String) throws(ToolFailure) -> String? {
        guard let value = members[name] else { return nil }
        guard let text = value.stringValue else { throw ToolFailure("“\(name)” must be a string") }
        return text
    }

    package func texts(_ name: String) throws(ToolFailure) -> [String]? {
        guard let value = members[name] else { return nil }
        let texts = value.arrayValue?.map(\.stringValue)
        guard let texts, !texts.isEmpty, !texts.contains(nil) else {
            throw ToolFailure("“\(name)” must be a list of strings")
        }
        return texts.compactMap(\.self)
    }

    package func flag(_ name: String) throws(ToolFailure) -> Bool? {
        guard let value = members[name] else { return nil }
        guard let flag = value.boolValue else { throw ToolFailure("“\(name)” must be true or false") }
        return flag
    }

    package func whole(_ name: String, in range: ClosedRange<Int>) throws(ToolFailure) -> Int? {
        guard let value = members[name] else { return nil }
        guard let number = value.intValue, range.contains(number) else {
            throw ToolFailure("“\(name)” must be an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
