import Encodings

// The forms that schemas of parts are made of.

extension ScriptSchema {
    static func locator(besides others: [String: JSONValue] = [:], required: [String] = []) -> JSONValue {
        var common: [String: JSONValue] = [
            "containing": ["$ref": "#/$defs/textMatch"], "in": ["$ref": "#/$defs/locator"],
            "nth": ["type": "integer", "minimum": 1, "maximum": 10_000],
        ]
        common.merge(others) { $1 }
        let forms = ScriptNode.targets.map { target -> JSONValue in
            let kind: JSONValue =
                ["css", "xpath"].contains(target) ? ["type": "string"] : ["$ref": "#/$defs/textMatch"]
            return object(common.merging([target: kind]) { $1 }, required: [target] + required)
        }
        let any = object(
            others.merging(["any": ["type": "array", "items": ["$ref": "#/$defs/locator"], "minItems": 2]]) { $1 },
            required: ["any"] + required)
        return ["oneOf": .array(forms + [any])]
    }

    static func object(patterns: JSONValue) -> JSONValue {
        [
            "type": "object", "patternProperties": patterns, "minProperties": 1, "maxProperties": 1,
            "additionalProperties": false,
        ]
    }

    /// Returns the schema of an object with exactly one of these members.
    static func oneOf(_ members: [String: JSONValue]) -> JSONValue {
        ["oneOf": .array(members.sorted { $0.key < $1.key }.map { object([$0.key: $0.value], required: [$0.key]) })]
    }

    static func object(_ members: [String: JSONValue], required: [String]) -> JSONValue {
        [
            "type": "object", "properties": .object(members), "required": .array(required.map(JSONValue.string)),
            "additionalProperties": false,
        ]
    }

    /// The maximum number of pages to look at.
    static let pageCount: JSONValue = [
        "anyOf": [
            ["type": "integer", "minimum": 1, "maximum": 1000],
            ["type": "string", "pattern": #"^\d{1,4}( pages?)?$"#],
        ]
    ]

    static let accountAlias = text("A pattern that finds a short name without digits in each.")

    static func map(of value: JSONValue, _ description: String? = nil) -> JSONValue {
        described(["type": "object", "minProperties": 1, "additionalProperties": value], description)
    }

    static func list(of item: JSONValue, _ description: String? = nil) -> JSONValue {
        described(["type": "array", "items": item], description)
    }

    static func words(_ words: [String], _ description: String? = nil) -> JSONValue {
        described(["enum": .array(words.map(JSONValue.string))], description)
    }

    /// One of the words that need no plug-in, or a plug-in's name.
    static func plugged(_ standard: [String], _ description: String? = nil) -> JSONValue {
        let name: JSONValue = ["type": "string", "pattern": "^[a-z][a-z0-9-]{0,39}$"]
        return described(["anyOf": [words(standard), name]], description)
    }

    static func text(_ description: String) -> JSONValue {
        ["type": "string", "description": .string(description)]
    }
    static func flag(_ description: String) -> JSONValue {
        ["type": "boolean", "description": .string(description)]
    }

    static func described(_ schema: JSONValue, _ description: String?) -> JSONValue {
        guard let description, var members = schema.objectValue else { return schema }
        members["description"] = .string(description)
        return .object(members)
    }
}
