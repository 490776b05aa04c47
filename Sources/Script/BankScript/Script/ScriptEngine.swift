import Messages

/// The browser that a script needs, by the name of an engine.
public struct ScriptEngine: RawRepresentable, Sendable, Hashable {
    public let rawValue: String

    /// - Parameter rawValue: a plug-in's name, see ``PluginName``. A script that names an engine which is not plugged in is
    ///   refused by ``ScriptLint``.
    public init?(rawValue: String) {
        guard PluginName.isValid(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    private init(standard name: String) { rawValue = name }

    /// The engine without JavaScript: faster, and with less to trust.
    public static let html = ScriptEngine(standard: "html")
    /// Chromium, for a bank whose pages are made by JavaScript.
    public static let browser = ScriptEngine(standard: "browser")
    /// The engines that need no plug-in.
    public static let standard = [html, browser]
}
