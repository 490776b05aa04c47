/// Something that stands for steps in a script's text.
public protocol ScriptText {
    var steps: [Step] { get }
}

/// Gathers the steps between the braces of a script.
@resultBuilder
public enum StepBuilder {
    public static func buildExpression(_ text: any ScriptText) -> [Step] { text.steps }
    public static func buildExpression(_ steps: [Step]) -> [Step] { steps }
    public static func buildBlock(_ parts: [Step]...) -> [Step] { parts.flatMap(\.self) }
    public static func buildOptional(_ part: [Step]?) -> [Step] { part ?? [] }
    public static func buildEither(first: [Step]) -> [Step] { first }
    public static func buildEither(second: [Step]) -> [Step] { second }
    public static func buildArray(_ parts: [[Step]]) -> [Step] { parts.flatMap(\.self) }
}
