import Encodings
import Selectors

/// Continue inside a frame until a step opens another page.
package struct Enter: ScriptText {
    package let steps: [Step]

    package init(frame: Locator, file: String = #fileID, line: Int = #line) {
        steps = [Step(.enter(frame), at: Mark(file: file, line: line))]
    }
}

/// Goes on inside a frame of the page.
package struct EnterStep: Sendable, Hashable {
    package var frame: Locator

    package init(_ frame: Locator) {
        self.frame = frame
    }
}

extension Action {
    public static func enter(_ frame: Locator) -> Action { Action(EnterStep(frame)) }
}

extension EnterStep: StepDescription {
    package static let names = ["enter"]
    package static let companions = [StepCompanion.within]

    package static func read(
        _ value: ScriptNode, named name: String, beside others: [String: ScriptNode]
    ) throws(ScriptSyntaxError) -> [EnterStep] {
        [EnterStep(try value.locator(as: .css))]
    }

    package var written: YAMLText { frame.written(as: .css) }

    package static func schema(of name: String) -> JSONValue {
        ScriptSchema.described(["$ref": "#/$defs/locator"], "Continue inside a frame.")
    }

    package var json: JSONValue { ["enter": frame.json] }

    package func words(filling filled: (Template) -> String) -> String { "enter \(frame.words(filling: filled))" }

    package func check(in lint: inout ScriptLint, at mark: Mark?) { lint.check(frame, at: mark) }
}
