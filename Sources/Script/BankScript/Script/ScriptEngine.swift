/// The browser that a script needs.
public enum ScriptEngine: String, Sendable, Hashable, CaseIterable {
    /// The engine without JavaScript: faster, and with less to trust.
    case html
    /// Chromium, for a bank whose pages are made by JavaScript.
    case browser
}
