import Encodings

/// Run one list of steps if the condition holds, and another if it does not.
public struct When: ScriptText {
    public let steps: [Step]

    public init(
        _ condition: Condition, file: String = #fileID, line: Int = #line, @StepBuilder then steps: () -> [Step],
        @StepBuilder otherwise: () -> [Step] = { [] }
    ) {
        self.steps = [
            Step(.when(condition, steps(), otherwise: otherwise()), at: Mark(file: file, line: line))
        ]
    }
}

/// Performs one list of steps if the condition holds, and another if it does not.
package struct WhenStep: Sendable {
    package var condition: Condition
    package var then: [Step]
    package var otherwise: [Step]

    package init(_ condition: Condition, _ then: [Step], otherwise: [Step] = []) {
        self.condition = condition
        self.then = then
        self.otherwise = otherwise
    }
}

extension Action {
    public static func when(_ condition: Condition, _ then: [Step], otherwise: [Step]) -> Action {
        Action(WhenStep(condition, then, otherwise: otherwise))
    }
}

extension WhenStep: StepDescription {
    package static let names = ["when"]

    package static let companions = [
        StepCompanion("then", schema: ScriptSchema.list(of: ["$ref": "#/$defs/step"]), isRequired: true),
        StepCompanion("otherwise", schema: ScriptSchema.list(of: ["$ref": "#/$defs/step"])), .within,
    ]

    package static func read(
        _ value: ScriptNode, named name: String, beside others: [String: ScriptNode]
    ) throws(ScriptSyntaxError) -> [WhenStep] {
        let condition = try value.condition()
        let then = try others["then"]?.steps() ?? []
        return [WhenStep(condition, then, otherwise: try others["otherwise"]?.steps() ?? [])]
    }

    package var written: YAMLText { condition.written }

    package static func schema(of name: String) -> JSONValue { ["$ref": "#/$defs/condition"] }

    package var json: JSONValue { ["when": condition.json] }
    package var blocks: [StepBlock] { [StepBlock("then", then), StepBlock("otherwise", otherwise, isOptional: true)] }

    package func changingBlocks(_ change: ([Step]) -> [Step]) -> WhenStep {
        WhenStep(condition, change(then), otherwise: change(otherwise))
    }

    package func words(filling filled: (Template) -> String) -> String { "when \(condition.words(filling: filled))" }

    package func check(in lint: inout ScriptLint, at mark: Mark?) {
        lint.check(condition, at: mark)
        if let constant = condition.constant {
            lint.report(
                "unreachable", .error,
                "the condition is always \(constant), so one of its branches is never reached",
                hint: "compare with a capture or a parameter: \"{{ year }}\"", at: mark)
        }
        lint.check(branches: [then, otherwise])
    }

    package var facts: StepFacts { [.comesFromAnywhere] }
}
