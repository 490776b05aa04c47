import Encodings

/// A tool as `tools/list` describes it.
package struct ToolDescription: Sendable {
    package let name: String
    package let json: JSONValue

    /// - Parameters:
    ///   - arguments: the schemas of the arguments, by name; no others are taken.
    ///   - answer: the schema of the structured content.
    ///   - isReadOnly: true if a call changes nothing.
    package init(
        _ name: String, _ title: JSONValue, _ text: String, arguments: JSONValue, required: JSONValue,
        answer: JSONValue, isReadOnly: Bool
    ) {
        self.name = name
        json = [
            "name": .string(name), "title": title, "description": .string(text),
            "inputSchema": [
                "type": "object", "properties": arguments, "required": required, "additionalProperties": false,
            ],
            "outputSchema": answer,
            "annotations": [
                "readOnlyHint": .bool(isReadOnly), "destructiveHint": false, "idempotentHint": .bool(isReadOnly),
                "openWorldHint": false,
            ],
        ]
    }

    /// The names of the arguments.
    package var argumentNames: Set<String> {
        Set(json["inputSchema"]?["properties"]?.objectValue?.keys.map(\.self) ?? [])
    }
}
