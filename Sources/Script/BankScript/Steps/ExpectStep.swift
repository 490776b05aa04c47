import Encodings

/// Continue only if the condition holds; otherwise end the run with NAVIGATION_FAILED and the page's text.
public struct Expect: ScriptText {
    public let steps: [Step]

    public init(_ condition: Condition, file: String = #fileID, line: Int = #line) {
        steps = [Step(.expect(condition), at: Mark(file: file, line: line))]
    }
}

/// Goes on only if the condition holds.
public struct ExpectStep: Sendable, Hashable {
    public var condition: Condition

    public init(_ condition: Condition) {
        self.condition = condition
    }
}

extension Action {
    public static func expect(_ condition: Condition) -> Action { Action(ExpectStep(condition)) }
}

extension ExpectStep: StepDescription {
    public static let names = ["expect"]
    public static let companions = [StepCompanion.within]

    public static func read(
        _ value: ScriptNode, named name: String, beside others: [String: ScriptNode]
    ) throws(ScriptSyntaxError) -> [ExpectStep] {
        [ExpectStep(try value.condition())]
    }

    public var written: YAMLText { condition.written }

    public static func schema(of name: String) -> JSONValue {
        ScriptSchema.described(["$ref": "#/$defs/condition"], "Continue only if the condition holds.")
    }

    public var json: JSONValue { ["expect": condition.json] }

    public func words(filling filled: (Template) -> String) -> String {
        "expect \(condition.words(filling: filled))"
    }

    public func check(in lint: inout ScriptLint, at mark: Mark?) { lint.check(condition, at: mark) }

    public var facts: StepFacts { condition.constant == false ? [.checksPage, .endsRun] : [.checksPage] }
}
