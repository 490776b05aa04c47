import Encodings
import Selectors

/// Press the button with this name.
public struct Press: ScriptText {
    public let steps: [Step]

    public init(
        _ name: String, expecting expected: ClosedRange<Int>? = nil, file: String = #fileID, line: Int = #line
    ) {
        self.init(.button(.name(name)), expecting: expected, file: file, line: line)
    }

    public init(
        _ button: Locator, expecting expected: ClosedRange<Int>? = nil, file: String = #fileID, line: Int = #line
    ) {
        steps = [Step(.press(button), expecting: expected, at: Mark(file: file, line: line))]
    }
}

/// Presses a button.
package struct PressStep: Sendable, Hashable {
    package var button: Locator

    package init(_ button: Locator) {
        self.button = button
    }
}

extension Action {
    public static func press(_ button: Locator) -> Action { Action(PressStep(button)) }
}

extension PressStep: StepDescription {
    package static let names = ["press"]
    package static let companions = [StepCompanion.expecting, .within]

    package static func read(
        _ value: ScriptNode, named name: String, beside others: [String: ScriptNode]
    ) throws(ScriptSyntaxError) -> [PressStep] {
        [PressStep(try value.locator(as: .button))]
    }

    package var written: YAMLText { button.written(as: .button) }

    package static func schema(of name: String) -> JSONValue {
        ScriptSchema.described(["$ref": "#/$defs/locator"], "Press a button.")
    }

    package var json: JSONValue { ["press": button.json] }

    package func words(filling filled: (Template) -> String) -> String { "press \(button.words(filling: filled))" }

    package func check(in lint: inout ScriptLint, at mark: Mark?) { lint.check(button, at: mark) }

    package var facts: StepFacts { [.comesFromAnywhere, .sendsForm] }
}
