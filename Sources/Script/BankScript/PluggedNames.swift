import Messages

/// The names that a script may call for: those of the plug-ins of one program.
public struct PluggedNames: Sendable, Hashable {
    public var engines: [ScriptEngine]
    public var codeSources: [SecondFactorStep.Source]
    /// The rules for files that name a source of documents.
    public var sources: [SourceRule]
    public var steps: StepList
    public var kinds: [DocumentKind]

    public init(
        engines: [ScriptEngine] = ScriptEngine.standard,
        codeSources: [SecondFactorStep.Source] = SecondFactorStep.Source.standard,
        sources: [SourceRule] = SourceRule.standard, steps: StepList = .standard,
        kinds: [DocumentKind] = DocumentKind.standard
    ) {
        self.steps = steps
        self.kinds = kinds
        self.sources = sources
        self.engines = engines
        self.codeSources = codeSources
    }

    /// The names that need no plug-in.
    public static let standard = PluggedNames()
}
