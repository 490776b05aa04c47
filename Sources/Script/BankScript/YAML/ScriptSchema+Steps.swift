import Encodings
import Messages

// The schemas of the steps.

extension ScriptSchema {
    static let step: JSONValue = {
        let steps: [String: JSONValue] = [
            "open": described(["$ref": "#/$defs/scalar"], "Open a path, or an address on one of the origins."),
            "follow": described(["$ref": "#/$defs/locator"], "Follow a link."),
            "press": described(["$ref": "#/$defs/locator"], "Press a button."),
            "press each": described(
                object(patterns: ["^\\$.+$": ["$ref": "#/$defs/locator"]]),
                "Press a key for each character of a credential: { $pin: { button: \"{{ digit }}\" } }."),
            "submit": described(submit, "Submit a form that has no button."),
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
                    locator(besides: ["option": options], required: ["option"]), map(of: options),
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
                "Look at the page, or repeat a request, until the condition holds."),
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

    private static let submit = object(
        ["form": ["$ref": "#/$defs/locator"], "with": map(of: ["$ref": "#/$defs/value"])], required: ["form"])

    /// An option, or several of a list that takes several.
    private static let options: JSONValue = [
        "anyOf": [["$ref": "#/$defs/value"], list(of: ["$ref": "#/$defs/value"])]
    ]

    private static func wait(_ own: [String: JSONValue], _ name: String) -> JSONValue {
        let common: [String: JSONValue] = [
            "polling": ["$ref": "#/$defs/request"], "every": ["$ref": "#/$defs/duration"],
            "within": ["$ref": "#/$defs/duration"], "reload": reload,
        ]
        return object(common.merging(own) { $1 }, required: [name, "within"])
    }

    private static let reload = flag("Load the page anew before each look, also in a browser.")

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
                object(["submit": submit].merging(size) { $1 }, required: ["submit"]),
                object(
                    [
                        "request": ["$ref": "#/$defs/request"], "pages": pages, "as": words(["json"]),
                        "at most": ["$ref": "#/$defs/size"],
                    ], required: ["request", "pages", "as"]),
                object(
                    [
                        "request": ["$ref": "#/$defs/request"], "pages": pages,
                        "as": words(["transactions"], "The entries of the answer become a CAMT file."),
                        "account": described(scalar, "The account's number or name, for the file."),
                        "each": described(scalar, "The JSONPath of the entries in an answer: `$.transactions[*]`."),
                        "entry": entry, "at most": ["$ref": "#/$defs/size"],
                    ], required: ["request", "as", "account", "each", "entry"]),
                object(
                    [
                        "json": scalar,
                        "decode": words(["base64"], "The document is a text of the latest JSON answer, in base64."),
                    ].merging(size) { $1 }, required: ["json", "decode"]),
                object(
                    [
                        "print": words(["page"], "Print the page that is open, as a PDF. It needs engine: browser."),
                        "at most": ["$ref": "#/$defs/size"],
                    ], required: ["print"]),
            ],
        ]
    }()

    private static let path = text("A JSONPath inside an entry: `$.date`.")

    private static let mark = object(["json": ["type": "string"], "is": scalar], required: ["json", "is"])

    private static let entry = object(
        [
            "id": path, "booked": path, "made": described(path, "The day of an entry that is pending."), "valued": path,
            "amount": path, "in": words(["minor units"], "Amounts are in hundredths, such as cents."),
            "sign": words(["inverted"], "A positive amount has left the account."),
            "outgoing": described(mark, "Marks an entry that has left the account."),
            "currency": text("Three capital letters, or a JSONPath."), "payee": path, "purpose": path,
            "balance": described(path, "The balance after the entry."),
            "pending": described(mark, "Marks an entry that is not booked yet. It is never counted."),
        ], required: ["id", "booked", "amount", "currency"])

    private static let pages: JSONValue = [
        "description": "The further pages of an answer.",
        "oneOf": [
            object(
                [
                    "next": text("A JSONPath of the next page's address, or of its mark."),
                    "as": text("The parameter of the query that the mark is sent as."), "at most": pageCount,
                ], required: ["next", "at most"]),
            object(
                [
                    "offset": text("The parameter of the query that the number of items so far is sent as."),
                    "of": text("The JSONPath of the items on a page."), "at most": pageCount,
                ], required: ["offset", "of", "at most"]),
        ],
    ]

    static let secondFactor: JSONValue = {
        let common: [String: JSONValue] = [
            "from": list(of: plugged(SecondFactorStep.Source.standard.map(\.rawValue))),
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
                        "every": ["$ref": "#/$defs/duration"], "reload": reload,
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

    static let capture: JSONValue = {
        let own: [String: JSONValue] = [
            "attribute": ["type": "string"], "header": ["type": "string"], "cookie": ["type": "string"],
            "json": ["type": "string"], "template": ["$ref": "#/$defs/scalar"], "matching": ["type": "string"],
            "filter": described(["type": "string"], "Filters for the value, such as urldecode."),
            "secret": ["type": "boolean"],
        ]
        let sources = ["header", "cookie", "json", "template"].map { object(own, required: [$0]) }
        let signed = object(["sign": sign], required: ["sign"])
        return ["anyOf": .array(sources + [signed, locator(besides: own)])]
    }()

    /// A token that a private key signs, with one of the algorithms.
    private static let sign: JSONValue = {
        let own: [String: JSONValue] = [
            "header": described(["type": "object"], "Members of the header, such as kid. Each text in it is a value."),
            "claims": described(["type": "object"], "The claims besides iat and exp. Each text in them is a value."),
            "life": ["$ref": "#/$defs/duration"], "skew": ["$ref": "#/$defs/duration"],
        ]
        return [
            "description": "A JSON Web Token that a private key in PEM signs. The key does not leave.",
            "oneOf": .array(
                SignedToken.Algorithm.allCases.map { algorithm in
                    let key: JSONValue = ["type": "string", "pattern": #"^\$[A-Za-z_][A-Za-z0-9_-]*$"#]
                    return object(
                        own.merging([algorithm.rawValue: key]) { $1 },
                        required: [algorithm.rawValue, "claims", "life"])
                }),
        ]
    }()

    static func request() -> JSONValue {
        let own: [String: JSONValue] = [
            "headers": map(of: [
                "anyOf": [
                    ["$ref": "#/$defs/value"],
                    object(
                        ["scheme": ["type": "string"], "captured": ["type": "string"]],
                        required: ["scheme", "captured"]),
                ]
            ]),
            "basic": described(
                object(
                    ["user": ["$ref": "#/$defs/value"], "password": ["$ref": "#/$defs/value"]],
                    required: ["user", "password"]), "The user and the password of Basic authentication."),
            "query": map(
                of: ["$ref": "#/$defs/value"],
                "Values that are added to the address. A secret is masked wherever the address is shown."),
            "body": ["description": "The JSON body. Each text in it is a value."],
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
