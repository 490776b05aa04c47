// The words of the language in one place, for the reader and for the test that looks for each of them in the schema, in
// lint, in Swift and in the digest.

extension ScriptNode {
    /// The parts that stand beside a step's name.
    static let stepParts = ["then", "otherwise", "expecting"]
    static let stepNames = [
        "open", "follow", "fill", "choose", "check", "uncheck", "press", "press each", "submit", "enter",
        "second factor", "expect", "fail", "when", "search", "capture", "request", "wait until", "download",
    ]
    static let stepsThatOpenAPage = ["open", "follow", "press", "submit"]
    static let targets = [
        "css", "xpath", "field", "button", "link", "control", "row", "cell", "text", "heading",
    ]
    static let conditions = [
        "shows", "says", "titled", "path", "status", "json", "equal", "not", "all", "any",
    ]
    static let methods = ["GET", "POST", "PUT", "PATCH", "DELETE"]
    static let characterAtPosition = "character at position"

    /// The names that a part of a script may have inside it, by the part's name in messages.
    static let parts: [String: [String]] = [
        "a script": [
            "bank", "name", "origins", "pins", "testing", "locale", "attempts", "at once", "credentials", "engine",
            "parameters", "interruptions", "dialogs", "accounts", "steps", "for each account", "for each period",
            "finally",
        ],
        "accounts": ["names", "json", "name", "id", "alias"],
        "an interruption": ["when", "fail", "reason", "pass"],
        "a dialog": ["says", "answer", "text"],
        "a step": stepNames + stepParts,
        "a locator": targets + ["containing", "in", "nth", "any"],
        "a name": ["exact", "regex"],
        "a value": ["captured", "template"],
        "a condition": conditions + ["is"],
        "submit": ["form", "with"],
        "search": ["rows", "for", "json", "next", "cursor", "last", "at most"],
        "second factor": [
            "field", "picture", "push until", "polling", "every", "choice", "from", "within", "press", "confirm",
            "question", "as", "token", "tries", "reload",
        ],
        "request": methods + ["headers", "basic", "query", "body", "form", "expecting"],
        "a header's value": ["captured", "scheme", "template"],
        "basic": ["user", "password"],
        "wait until": ["page", "json", "is", "polling", "every", "within", "reload"],
        "a capture": ["attribute", "header", "cookie", "json", "template", "sign", "matching", "filter", "secret"],
        "sign": SignedToken.Algorithm.allCases.map(\.rawValue) + ["header", "claims", "life", "skew"],
        "download": [
            "open", "request", "submit", "print", "as", "holding", "named", "at most", "pages", "account", "each",
            "entry",
        ],
        "pages": ["next", "as", "offset", "of", "at most"],
        "entry": [
            "id", "booked", "made", "valued", "amount", "in", "sign", "outgoing", "currency", "payee", "purpose",
            "balance", "pending",
        ],
        "a mark": ["json", "is"],
    ]
}
