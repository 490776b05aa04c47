import Encodings

/// Continue only if the condition holds; otherwise end the run with NAVIGATION_FAILED and the page's text.
package struct Expect: ScriptText {
    package let steps: [Step]

    package init(_ condition: Condition, file: String = #fileID, line: Int = #line) {
        steps = [Step(.expect(condition), at: Mark(file: file, line: line))]
    }
}

/// Goes on only if the condition holds.
package struct ExpectStep: Sendable, Hashable {
    package var condition: Condition

    package init(_ condition: Condition) {
        self.condition = condition
    }
}

extension Action {
    public static func expect(_ condition: Condition) -> Action { Action(ExpectStep(condition)) }
}

extension ExpectStep: StepDescription {
    package static let names = ["expect"]
    package static let companions = [StepCompanion.within]

    package static func read(
        _ value: ScriptNode, named name: String, beside others: [String: ScriptNode]
    ) throws(ScriptSyntaxError) -> [ExpectStep] {
        [ExpectStep(try value.condition())]
    }

    package var written: YAMLText { condition.written }

    package static func schema(of name: String) -> JSONValue {
        ScriptSchema.described(["$ref": "#/$defs/condition"], "Continue only if the condition holds.")
    }

    package var json: JSONValue { ["expect": condition.json] }

    package func words(filling filled: (Template) -> String) -> String {
        "expect \(condition.words(filling: filled))"
    }

    package func check(in lint: inout ScriptLint, at mark: Mark?) { lint.check(condition, at: mark) }

    package var facts: StepFacts { condition.constant == false ? [.checksPage, .endsRun] : [.checksPage] }
}
