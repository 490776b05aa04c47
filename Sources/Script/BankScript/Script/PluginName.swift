/// The name by which a script calls for a plug-in, such as `browser` or `vault`.
public enum PluginName {
    /// The most characters of a name.
    public static let longest = 40

    /// Returns whether a text is a name: a small letter, then small letters, digits and hyphens, 40 characters at most.
    public static func isValid(_ text: String) -> Bool {
        text.count <= longest && text.wholeMatch(of: /[a-z][a-z0-9-]*/.asciiOnlyWordCharacters()) != nil
    }
}

/// The names that a script may call for: those of the plug-ins of one program.
public struct PluggedNames: Sendable, Hashable {
    public var engines: [ScriptEngine]
    public var codeSources: [SecondFactorStep.Source]
    /// The rules for files that name a source of documents.
    public var sources: [SourceRule]

    public init(
        engines: [ScriptEngine] = ScriptEngine.standard,
        codeSources: [SecondFactorStep.Source] = SecondFactorStep.Source.standard,
        sources: [SourceRule] = SourceRule.standard
    ) {
        self.sources = sources
        self.engines = engines
        self.codeSources = codeSources
    }

    /// The names that need no plug-in.
    public static let standard = PluggedNames()
}
