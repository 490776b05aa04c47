import JSON
import Messages

/// The JSON Schema (draft 2020-12) of a script's YAML, for editors that complete and check as you type. It covers the
/// parts and their types. Lint checks names, templates and the paths through the script.
public enum ScriptSchema {
    public static let json: JSONValue = .object([
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Countersign bank script",
        "type": "object",
        "required": ["bank", "name", "origins", "steps"],
        "additionalProperties": false,
        "properties": [
            "bank": [
                "type": "string", "pattern": .string(BankIdentifier.pattern),
                "description": "The bank's identifier, such as `default`.",
            ],
            "name": text("The bank's name as its customers know it."),
            "origins": list(
                of: ["type": "string", "pattern": "^https?://[^/?#@ ]+$"],
                "The only origins that the script may send requests to. Paths are resolved against the first one."),
            "pins": map(
                of: list(of: ["type": "string", "pattern": "^sha256/[A-Za-z0-9+/]{43}=$"]),
                "The pinned public keys by origin. The bank's server must have one of them: sha256/ and base64."),
            "testing": flag("Whether plain http to this machine is allowed."),
            "locale": text("The language of month names, and the one requested from the bank."),
            "engine": words(
                ScriptEngine.allCases.map(\.rawValue), "The browser that the script needs: browser runs JavaScript."),
            "at once": [
                "type": "integer", "minimum": 1, "maximum": 6,
                "description": "How many downloads that follow one another may run side by side. The default is 1.",
            ],
            "attempts": [
                "type": "integer", "minimum": 1, "maximum": 3,
                "description": "How often one run may send the password, and the code of each step. The default is 1.",
            ],
            "credentials": list(
                of: ["type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_-]*$"],
                "The credentials that the script uses; username and password when it says nothing."),
            "parameters": map(
                of: ["$ref": "#/$defs/parameter"],
                "The values that a request chooses: `1..12`, or a text, a date or a choice."),
            "interruptions": list(of: ["$ref": "#/$defs/interruption"], "Pages that may appear after any step."),
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
        "$defs": .object(definitions),
    ])

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
        "step": step,
        "secondFactor": secondFactor,
        "request": request(),
        "capture": capture,
    ]

    // MARK: Steps

    private static let step: JSONValue = {
        let steps: [String: JSONValue] = [
            "open": described(["$ref": "#/$defs/scalar"], "Open a path, or an address on one of the origins."),
            "follow": described(["$ref": "#/$defs/locator"], "Follow a link."),
            "press": described(["$ref": "#/$defs/locator"], "Press a button."),
            "press each": described(
                object(patterns: ["^\\$.+$": ["$ref": "#/$defs/locator"]]),
                "Press a key for each character of a credential: { $pin: { button: \"{{ digit }}\" } }."),
            "submit": described(
                object(
                    ["form": ["$ref": "#/$defs/locator"], "with": map(of: ["$ref": "#/$defs/value"])],
                    required: ["form"]),
                "Submit a form that has no button."),
            "enter": described(["$ref": "#/$defs/locator"], "Continue inside a frame."),
            "check": described(["$ref": "#/$defs/locator"], "Check a box."),
            "uncheck": described(["$ref": "#/$defs/locator"], "Uncheck a box."),
            "fill": [
                "description": "Fill fields by their labels: { Username: $username }.",
                "anyOf": [
                    locator(besides: ["with": ["$ref": "#/$defs/value"]], required: ["with"]),
                    map(of: ["$ref": "#/$defs/value"]),
                ],
            ],
            "choose": [
                "description": "Choose options by their text: { Year: \"{{ year }}\" }.",
                "anyOf": [
                    locator(besides: ["option": ["$ref": "#/$defs/value"]], required: ["option"]),
                    map(of: ["$ref": "#/$defs/value"]),
                ],
            ],
            "second factor": described(["$ref": "#/$defs/secondFactor"], "Pause for a code, an approval or a choice."),
            "expect": described(["$ref": "#/$defs/condition"], "Continue only if the condition holds."),
            "fail": fail,
            "search": [
                "description": "Turn pages until the target is found. The steps that follow look inside it.",
                "oneOf": [
                    search("rows", ["$ref": "#/$defs/textMatch"]), search("for", ["$ref": "#/$defs/locator"]),
                    jsonSearch,
                ],
            ],
            "capture": described(map(of: ["$ref": "#/$defs/capture"]), "Keep a value from the page under a name."),
            "request": described(["$ref": "#/$defs/request"], "Send a JSON request in the same session."),
            "wait until": described(
                [
                    "oneOf": [
                        wait(["page": ["$ref": "#/$defs/condition"]], "page"),
                        wait(["json": scalar, "is": scalar], "json"),
                    ]
                ],
                "Repeat a request until the condition holds."),
            "download": download,
        ]
        var forms = steps.sorted { $0.key < $1.key }.map { name, form in
            var parts = [name: form]
            if ScriptNode.stepsThatOpenAPage.contains(name) { parts["expecting"] = ["$ref": "#/$defs/range"] }
            return object(parts, required: [name])
        }
        forms.append(
            object(
                [
                    "when": ["$ref": "#/$defs/condition"], "then": list(of: ["$ref": "#/$defs/step"]),
                    "otherwise": list(of: ["$ref": "#/$defs/step"]),
                ], required: ["when", "then"]))
        return ["oneOf": .array(forms)]
    }()

    private static let scalar: JSONValue = ["$ref": "#/$defs/scalar"]

    private static func wait(_ own: [String: JSONValue], _ name: String) -> JSONValue {
        let common: [String: JSONValue] = [
            "polling": ["$ref": "#/$defs/request"], "every": ["$ref": "#/$defs/duration"],
            "within": ["$ref": "#/$defs/duration"],
        ]
        return object(common.merging(own) { $1 }, required: [name, "within"])
    }

    private static let fail: JSONValue = [
        "description": "End the run with this code if the condition holds.",
        "oneOf": .array(
            ErrorCode.runFailures.map { code in
                object(
                    [code.rawValue: ["$ref": "#/$defs/condition"], "reason": ["$ref": "#/$defs/reason"]],
                    required: [code.rawValue])
            }),
    ]

    private static let download: JSONValue = {
        let kinds = DocumentKind.allCases.map(\.rawValue)
        let size: [String: JSONValue] = [
            "at most": ["$ref": "#/$defs/size"],
            "as": words(kinds + ["zip"], "The kind of the file; pdf when it says nothing. A zip is unpacked."),
            "holding": list(of: words(kinds), "The kinds of the documents in a zip."),
            "named": ["$ref": "#/$defs/scalar"],
        ]
        return [
            "description": "Download a document.",
            "anyOf": [
                ["$ref": "#/$defs/scalar"], locator(besides: size),
                object(["open": ["$ref": "#/$defs/scalar"]].merging(size) { $1 }, required: ["open"]),
                object(["request": ["$ref": "#/$defs/request"]].merging(size) { $1 }, required: ["request"]),
                object(
                    [
                        "print": words(["page"], "Print the page that is open, as a PDF. It needs engine: browser."),
                        "at most": ["$ref": "#/$defs/size"],
                    ], required: ["print"]),
            ],
        ]
    }()

    private static let secondFactor: JSONValue = {
        let common: [String: JSONValue] = [
            "from": list(of: words(SecondFactorStep.Source.allCases.map(\.rawValue))),
            "within": ["$ref": "#/$defs/duration"],
            "press": described(["$ref": "#/$defs/locator"], "The button that sends the answer."),
            "confirm": described(["$ref": "#/$defs/locator"], "An older word for press."),
            "question": scalar,
            "token": described(["type": "string"], "The issuer or account of the token to use."),
        ]
        func method(_ name: String, _ own: [String: JSONValue]) -> JSONValue {
            object(common.merging(own) { $1 }, required: [name, "within"])
        }
        return [
            "oneOf": [
                method(
                    "field",
                    [
                        "field": ["$ref": "#/$defs/locator"], "picture": ["$ref": "#/$defs/locator"],
                        "tries": described(
                            ["type": "integer", "minimum": 1, "maximum": 3],
                            "How many codes may be sent, if the bank asks again."),
                    ]),
                method(
                    "push until",
                    [
                        "push until": ["$ref": "#/$defs/condition"], "polling": ["$ref": "#/$defs/request"],
                        "every": ["$ref": "#/$defs/duration"],
                    ]),
                method("choice", ["choice": ["$ref": "#/$defs/locator"]]),
                method("as", ["as": described(["type": "string"], "Keep the code under this name, for a JSON body.")]),
            ]
        ]
    }()

    private static func search(_ name: String, _ target: JSONValue) -> JSONValue {
        object(
            [
                name: target, "next": ["$ref": "#/$defs/locator"], "last": ["$ref": "#/$defs/condition"],
                "at most": pageCount,
            ], required: [name, "next", "at most"])
    }

    private static let jsonSearch = object(
        [
            "json": scalar, "next": ["$ref": "#/$defs/request"],
            "cursor": described(["type": "string"], "Where the answer names the next one; absent from the last one."),
            "last": ["$ref": "#/$defs/condition"], "at most": pageCount,
        ], required: ["json", "next", "cursor", "at most"])

    private static let pageCount: JSONValue = [
        "anyOf": [
            ["type": "integer", "minimum": 1, "maximum": 1000],
            ["type": "string", "pattern": #"^\d{1,4}( pages?)?$"#],
        ]
    ]

    private static let capture: JSONValue = {
        let own: [String: JSONValue] = [
            "attribute": ["type": "string"], "header": ["type": "string"], "cookie": ["type": "string"],
            "json": ["type": "string"], "template": ["$ref": "#/$defs/scalar"], "matching": ["type": "string"],
            "filter": described(["type": "string"], "Filters for the value, such as urldecode."),
            "secret": ["type": "boolean"],
        ]
        let sources = ["header", "cookie", "json", "template"].map { object(own, required: [$0]) }
        return ["anyOf": .array(sources + [locator(besides: own)])]
    }()

    private static func request() -> JSONValue {
        let own: [String: JSONValue] = [
            "headers": map(of: [
                "anyOf": [
                    ["$ref": "#/$defs/value"],
                    object(
                        ["scheme": ["type": "string"], "captured": ["type": "string"]],
                        required: ["scheme", "captured"]),
                ]
            ]), "body": ["description": "The JSON body. Each text in it is a value."],
            "form": map(of: ["$ref": "#/$defs/value"], "The fields of a form, instead of a JSON body."),
            "expecting": ["$ref": "#/$defs/range"],
        ]
        return [
            "oneOf": .array(
                ScriptNode.methods.map { method in
                    object(own.merging([method: ["$ref": "#/$defs/scalar"]]) { $1 }, required: [method])
                })
        ]
    }
}

extension ScriptSchema {
    private static func locator(besides others: [String: JSONValue] = [:], required: [String] = []) -> JSONValue {
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

    private static func object(patterns: JSONValue) -> JSONValue {
        [
            "type": "object", "patternProperties": patterns, "minProperties": 1, "maxProperties": 1,
            "additionalProperties": false,
        ]
    }

    /// Returns the schema of an object with exactly one of these members.
    private static func oneOf(_ members: [String: JSONValue]) -> JSONValue {
        ["oneOf": .array(members.sorted { $0.key < $1.key }.map { object([$0.key: $0.value], required: [$0.key]) })]
    }

    private static func object(_ members: [String: JSONValue], required: [String]) -> JSONValue {
        [
            "type": "object", "properties": .object(members), "required": .array(required.map(JSONValue.string)),
            "additionalProperties": false,
        ]
    }

    private static let accountAlias = text("A pattern that finds a short name without digits in each.")

    private static func map(of value: JSONValue, _ description: String? = nil) -> JSONValue {
        described(["type": "object", "minProperties": 1, "additionalProperties": value], description)
    }

    private static func list(of item: JSONValue, _ description: String? = nil) -> JSONValue {
        described(["type": "array", "items": item], description)
    }

    private static func words(_ words: [String], _ description: String? = nil) -> JSONValue {
        described(["enum": .array(words.map(JSONValue.string))], description)
    }

    private static func text(_ description: String) -> JSONValue {
        ["type": "string", "description": .string(description)]
    }
    private static func flag(_ description: String) -> JSONValue {
        ["type": "boolean", "description": .string(description)]
    }

    private static func described(_ schema: JSONValue, _ description: String?) -> JSONValue {
        guard let description, var members = schema.objectValue else { return schema }
        members["description"] = .string(description)
        return .object(members)
    }
}
