/// The errors of WebDriver and WebDriver BiDi in our words, each with what a person can do.
///
/// Their codes are those of WebDriver BiDi, section 6, and WebDriver, section 6.6.
enum ProtocolFault {
    /// - Parameter message: the words of a ``BrowserError`` whose command the browser refused.
    /// - Returns: our sentence with the browser's words behind it; the message itself for a code without one.
    static func words(of message: String) -> String {
        guard let match = message.firstMatch(of: /^the browser refused \(([a-z ]+)\): (.*)/.dotMatchesNewlines()),
            let known = sentences.first(where: { $0.codes.contains(String(match.1)) })
        else { return message }
        let line = match.2.prefix { !$0.isNewline }
        return "\(known.words) (\(match.1)\(line.isEmpty ? "" : ": \(line)"))"
    }

    private static let sentences: [(codes: Set<String>, words: String)] = [
        (
            ["no such frame", "no such window"],
            "the page has closed the window or frame of the step; open the page again"
        ),
        (
            [
                "no such element", "no such node", "no such handle", "no such shadow root", "stale element reference",
                "detached shadow root",
            ],
            "the page has replaced the element while it was used; run again"
        ),
        (["no such history entry"], "there is not a page before this one; open the page instead of going back"),
        (["no such alert"], "the dialog had gone before it was answered; run again"),
        (["unexpected alert open"], "a dialog stands in the way; add an answer for it under “dialogs”"),
        (
            ["move target out of bounds", "element not interactable", "element click intercepted"],
            "the element has left the place where a person could click it; run again"
        ),
        (
            ["invalid session id", "session not created"],
            "the browser's session has ended; run again, and see this machine's memory"
        ),
        (["timeout", "script timeout"], "the browser gave up waiting for its page; run again later"),
        (["unable to capture screen"], "the browser could not draw its page; see this machine's memory"),
        (
            [
                "unknown command", "unknown method", "unsupported operation", "invalid argument", "invalid selector",
                "underspecified storage partition", "no such storage partition", "no such user context",
            ],
            "this browser does not take a command that the engine needs; install the newest chromium with the chromedriver of "
                + "the same version"
        ),
        (["unknown error"], "the browser failed at a command; run again"),
    ]
}
