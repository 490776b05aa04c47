import Encodings
import Messages

/// The JSON Schema (draft 2020-12) of a script's YAML, for editors that complete and check as you type. It covers the
/// parts and their types. Lint checks names, templates and the paths through the script.
public enum ScriptSchema {
    public static let json = json(of: .standard)

    /// Returns the schema of a script with these steps.
    public static func json(of steps: StepList) -> JSONValue {
        .object([
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "Countersign bank script",
            "type": "object",
            "required": ["bank", "name"],
            "additionalProperties": false,
            "if": ["required": ["source"], "properties": ["source": ["not": ["const": "web"]]]],
            "then": [
                "required": ["at", "fetch", "bank code"],
                "properties": .object(
                    Dictionary(
                        uniqueKeysWithValues: (ScriptNode.parts["a script"] ?? [])
                            .filter { !BankScript.partsOfSource.contains($0) }.map { ($0, .bool(false)) })),
            ],
            "else": [
                "required": ["origins", "steps"],
                "properties": .object(
                    Dictionary(
                        uniqueKeysWithValues: (["at", "fetch"] + SourceRule.fints.settings.map(\.name)).map {
                            ($0, .bool(false))
                        })),
            ],
            "properties": [
                "bank": [
                    "type": "string", "pattern": .string(BankIdentifier.pattern),
                    "description": "The bank's identifier, such as `default`.",
                ],
                "name": text("The bank's name as its customers know it."),
                "source": plugged(
                    SourceName.standard.map(\.rawValue),
                    "The source of the documents: web, the bank's pages, which is the default, or fints."),
                "at": text("The address of the bank's FinTS server."),
                "fetch": list(
                    of: ["enum": .array(SourceRule.fints.kinds.map { .string($0.rawValue) })],
                    "The kinds of documents to fetch from a source that is not web."),
                "bank code": [
                    "type": "string", "pattern": "^[0-9]{8}$", "description": "The bank code, eight digits in quotes.",
                ],
                "product": [
                    "type": "string", "pattern": "^[A-Za-z0-9]{1,25}$",
                    "description": "The product registration number for FinTS.",
                ],
                "origins": list(
                    of: ["type": "string", "pattern": "^https?://[^/?#@ ]+$"],
                    "The only origins that the script may send requests to. Paths are resolved against the first one."),
                "pins": map(
                    of: list(of: ["type": "string", "pattern": "^sha256/[A-Za-z0-9+/]{43}=$"]),
                    "The pinned public keys by origin. The bank's server must have one of them: sha256/ and base64."),
                "testing": flag("Whether plain http to this machine is allowed."),
                "locale": text("The language of month names, and the one requested from the bank."),
                "engine": plugged(
                    ScriptEngine.standard.map(\.rawValue), "The browser that the script needs: browser runs JavaScript."
                ),
                "at once": [
                    "type": "integer", "minimum": 1, "maximum": 6,
                    "description": "How many downloads that follow one another may run side by side. The default is 1.",
                ],
                "attempts": [
                    "type": "integer", "minimum": 1, "maximum": 3,
                    "description":
                        "How often one run may send the password, and the code of each step. The default is 1.",
                ],
                "credentials": list(
                    of: ["type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_-]*$"],
                    "The credentials that the script uses; username and password when it says nothing."),
                "device": list(
                    of: ["type": "string", "pattern": .string(DeviceCookieName.pattern)],
                    "The names of the cookies by which the bank knows a device again; they are kept over visits."),
                "exchange": exchange,
                "consent": consent,
                "budget": [
                    "type": "string", "pattern": "^[0-9]+ +a +(day|minute)$",
                    "description":
                        "The most requests that the bank allows in 24 hours, `24 a day`, or in a minute, `8 a minute`.",
                ],
                "parameters": map(
                    of: ["$ref": "#/$defs/parameter"],
                    "The values that a request chooses: `1..12`, or a text, a date or a choice."),
                "interruptions": list(of: ["$ref": "#/$defs/interruption"], "Pages that may appear after any step."),
                "dialogs": list(
                    of: ["$ref": "#/$defs/dialog"],
                    "The answers to dialogs that a page may open. Any other dialog ends the run with its text."),
                "accounts": described(
                    [
                        "oneOf": [
                            object(["names": ["$ref": "#/$defs/locator"], "alias": accountAlias], required: ["names"]),
                            object(
                                [
                                    "json": text("A JSONPath of the accounts in the latest answer: `$.accounts[*]`."),
                                    "name": text("The JSONPath of the name inside each account."),
                                    "id": text("That of the id, which the steps name as `{{ account_id }}`."),
                                    "alias": accountAlias,
                                ], required: ["json", "name"]),
                        ]
                    ],
                    "Where the page after the steps, or their latest JSON answer, lists the customer's accounts."),
                "steps": list(of: ["$ref": "#/$defs/step"], "The steps, in order."),
                "for each account": list(
                    of: ["$ref": "#/$defs/step"], "Steps that follow, once for each account that is asked for."),
                "for each period": list(
                    of: ["$ref": "#/$defs/step"], "Steps that follow, once for each month that is asked for."),
                "finally": list(of: ["$ref": "#/$defs/step"], "Steps that run at the end in any case."),
            ],
            "$defs": .object(
                definitions.merging(steps.definitions) { $1 }.merging(["step": step(of: steps)]) { $1 }),
        ])
    }

    private static let day = #"\d{4}-\d{2}-\d{2}"#

    private static let definitions: [String: JSONValue] = [
        "scalar": ["type": ["string", "number", "integer", "boolean", "null"]],
        "range": [
            "anyOf": [["type": "integer"], ["type": "string", "pattern": #"^ *-?\d+ *(?:(?:\.\.|–) *-?\d+ *)?$"#]]
        ],
        "duration": [
            "type": "string", "pattern": #"^\d+ *(?:ms|s|sec|seconds?|min|minutes?)$"#,
            "description": "A length of time: `30 s`, `2 min`, `500 ms`.",
        ],
        "size": [
            "anyOf": [
                ["type": "integer", "minimum": 1],
                ["type": "string", "pattern": #"^\d+ *(?:[kKmM]i?)?(?:[bB]|bytes)?$"#],
            ],
            "description": "A number of bytes: `64 MB`, `500 kB`.",
        ],
        "errorCode": words(
            ErrorCode.runFailures.map(\.rawValue), "An error code of the Secure Data Fetcher specification."),
        "reason": words(FailureReason.allCases.map(\.rawValue), "The reason behind the error code."),
        "textMatch": [
            "anyOf": [
                ["$ref": "#/$defs/scalar"],
                object(["exact": ["$ref": "#/$defs/scalar"]], required: ["exact"]),
                object(["regex": ["type": "string"]], required: ["regex"]),
            ]
        ],
        "locator": ["anyOf": [["$ref": "#/$defs/scalar"], ["$ref": "#/$defs/spelledLocator"]]],
        "spelledLocator": locator(),
        "value": [
            "anyOf": [
                ["$ref": "#/$defs/scalar"],
                object(["captured": ["$ref": "#/$defs/scalar"]], required: ["captured"]),
                object(["template": ["$ref": "#/$defs/scalar"]], required: ["template"]),
                object(patterns: ["^\\$.+$": ["const": .string(ScriptNode.characterAtPosition)]]),
            ],
            "description":
                "A text with {{ placeholders }}, a credential as $name, { captured: name }, or { template: text }.",
        ],
        "condition": [
            "anyOf": [
                ["type": "string", "description": "A CSS selector."], ["$ref": "#/$defs/spelledCondition"],
                described(
                    object(
                        ["json": ["$ref": "#/$defs/scalar"], "is": ["$ref": "#/$defs/scalar"]],
                        required: ["json", "is"]),
                    "The latest JSON answer has this value at a JSONPath."),
            ]
        ],
        "spelledCondition": oneOf(
            [
                "shows": ["$ref": "#/$defs/locator"], "says": ["$ref": "#/$defs/scalar"],
                "titled": ["$ref": "#/$defs/scalar"], "path": ["type": "string"], "status": ["$ref": "#/$defs/range"],
                "not": ["$ref": "#/$defs/condition"], "all": list(of: ["$ref": "#/$defs/condition"]),
                "any": list(of: ["$ref": "#/$defs/condition"]), "json": ["$ref": "#/$defs/scalar"],
                "equal": [
                    "type": "array", "items": ["$ref": "#/$defs/scalar"], "minItems": 2, "maxItems": 2,
                ],
            ]),
        "interruption": [
            "oneOf": [
                object(
                    [
                        "when": ["$ref": "#/$defs/condition"], "fail": ["$ref": "#/$defs/errorCode"],
                        "reason": ["$ref": "#/$defs/reason"],
                    ], required: ["when", "fail", "reason"]),
                object(
                    ["when": ["$ref": "#/$defs/condition"], "pass": list(of: ["$ref": "#/$defs/step"])],
                    required: ["when", "pass"]),
            ]
        ],
        "dialog": [
            "oneOf": [
                object(
                    [
                        "says": described(["$ref": "#/$defs/scalar"], "A part of the dialog's text."),
                        "answer": words(["accept"], "Press OK."),
                        "text": described(
                            ["$ref": "#/$defs/scalar"], "What to type into a prompt. It is never a secret."),
                    ], required: ["says", "answer"]),
                object(
                    [
                        "says": described(["$ref": "#/$defs/scalar"], "A part of the dialog's text."),
                        "answer": words(["dismiss"], "Press Cancel."),
                    ],
                    required: ["says", "answer"]),
            ]
        ],
        "parameter": [
            "anyOf": [
                ["$ref": "#/$defs/range"],
                described(
                    object(["text": ["type": "string"]], required: ["text"]), "A text that the pattern matches whole."),
                described(
                    object(
                        ["date": ["type": "string", "pattern": .string("^ *\(day) *(?:(?:\\.\\.|–) *\(day) *)?$")]],
                        required: ["date"]),
                    "A day: `2015-01-01..2100-12-31`."),
                described(
                    object(["choice": list(of: ["$ref": "#/$defs/scalar"])], required: ["choice"]),
                    "One of these texts."),
            ]
        ],
    ]

    /// Each name with its value and what stands beside it.
    private static func step(of steps: StepList) -> JSONValue {
        let forms = steps.all.flatMap { type in
            type.names.map { name in
                let members = [name: type.schema(of: name)].merging(
                    type.companions.map { ($0.name, $0.schema) }
                ) { $1 }
                let form = object(members, required: [name] + type.companions.filter(\.isRequired).map(\.name))
                return (name: name, form: form)
            }
        }
        return ["oneOf": .array(forms.sorted { $0.name < $1.name }.map(\.form))]
    }
}
