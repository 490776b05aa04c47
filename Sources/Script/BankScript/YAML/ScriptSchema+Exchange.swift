import Encodings

extension ScriptSchema {
    private static let credential: JSONValue = [
        "type": "string", "pattern": #"^\$[A-Za-z_][A-Za-z0-9_-]*$"#,
        "description": "A credential that the person gives, such as `$client_id`.",
    ]

    private static let days: JSONValue = ["type": "string", "pattern": "^[0-9]+ +days?$"]

    /// The parts of an exchange by OAuth 2.0.
    private static func oauth(_ way: String, _ others: [String: JSONValue]) -> JSONValue {
        let common: [String: JSONValue] = [
            "token": text("The address that gives access tokens, on one of the origins."),
            "client": ["$ref": "#/$defs/scalar"],
            "scope": text("The rights to ask for."),
        ]
        let parts = common.merging(others) { $1 }
        return [
            "oneOf": [
                object(parts, required: [way, "token", "client"]),
                object(parts.merging(["secret": credential]) { $1 }, required: [way, "token", "client", "secret"]),
                object(parts.merging(["basic": credential]) { $1 }, required: [way, "token", "client", "basic"]),
            ]
        ]
    }

    static let exchange = described(
        [
            "oneOf": [
                object(
                    [
                        "claim": credential,
                        "gives": [
                            "type": "array", "minItems": 2, "maxItems": 2,
                            "items": ["type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_-]*$"],
                        ],
                    ], required: ["claim", "gives"]),
                oauth(
                    "authorize",
                    [
                        "authorize": text("The page at which the owner says yes."),
                        "redirect": text("The address to which that page leads back."),
                    ]),
                oauth("device", ["device": text("The address that gives a code for another device.")]),
                object(
                    [
                        "ask": list(of: ["$ref": "#/$defs/step"], "The steps that ask for a page for the owner's yes."),
                        "page": text("A JSONPath of that page's address in the answer."),
                        "lasts": days, "redirect": text("The address to which that page leads back."),
                        "redeem": list(
                            of: ["$ref": "#/$defs/step"], "The steps that give away the code which the browser brings."),
                    ], required: ["ask", "page", "lasts", "redeem"]),
            ]
        ],
        "What the phone obtains in exchange for a credential, keeps and renews.")

    static let consent = described(
        [
            "oneOf": [
                object(["until": text("A JSONPath of the end in an answer.")], required: ["until"]),
                object(["lasts": days], required: ["lasts"]),
            ]
        ],
        "When the owner's consent ends.")
}
