// The words of the language in one place, for the reader and for the test that looks for each of them in the schema, in
// lint, in Swift and in the digest.

extension ScriptNode {
    static let targets = [
        "css", "xpath", "field", "button", "link", "control", "row", "cell", "text", "heading",
    ]
    static let conditions = [
        "shows", "says", "titled", "path", "status", "json", "equal", "not", "all", "any",
    ]
    static let characterAtPosition = "character at position"

    /// The names that a part of a script may have inside it, by the part's name in messages.
    static let parts: [String: [String]] = ownParts.merging(StepList.standard.parts) { first, _ in first }

    /// Other words for a part, and its name.
    static let meant = [
        "for each month": "for each period", "for every month": "for each period", "each month": "for each period",
        "for each statement": "for each period", "for each year": "for each period",
        "for every period": "for each period", "for every account": "for each account",
        "each account": "for each account",
    ]

    /// The parts that belong to no step.
    private static let ownParts = [
        "a script": [
            "bank", "name", "origins", "pins", "testing", "locale", "attempts", "at once", "credentials", "device",
            "engine", "exchange", "consent", "budget", "parameters", "interruptions", "dialogs", "accounts", "steps",
            "for each account", "for each period",
            "finally",
        ],
        "exchange": [
            "claim", "gives", "authorize", "redirect", "device", "token", "client", "secret", "basic", "scope", "ask",
            "page", "lasts", "redeem",
        ],
        "consent": ["until", "lasts"],
        "accounts": ["names", "json", "name", "id", "alias"],
        "an interruption": ["when", "fail", "reason", "pass"],
        "a dialog": ["says", "answer", "text"],
        "a locator": targets + ["containing", "in", "nth", "any"],
        "a name": ["exact", "regex"],
        "a value": ["captured", "template"],
        "a condition": conditions + ["is"],
    ]
}
