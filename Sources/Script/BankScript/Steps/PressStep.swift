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
public struct PressStep: Sendable, Hashable {
    public var button: Locator

    public init(_ button: Locator) {
        self.button = button
    }
}

extension Action {
    public static func press(_ button: Locator) -> Action { Action(PressStep(button)) }
}

extension PressStep: StepDescription {
    public static let names = ["press"]
    public static let companions = [StepCompanion.expecting, .within]

    public static func read(
        _ value: ScriptNode, named name: String, beside others: [String: ScriptNode]
    ) throws(ScriptSyntaxError) -> [PressStep] {
        [PressStep(try value.locator(as: .button))]
    }

    public var written: YAMLText { button.written(as: .button) }

    public static func schema(of name: String) -> JSONValue {
        ScriptSchema.described(["$ref": "#/$defs/locator"], "Press a button.")
    }

    public var json: JSONValue { ["press": button.json] }

    public func words(filling filled: (Template) -> String) -> String { "press \(button.words(filling: filled))" }

    public func check(in lint: inout ScriptLint, at mark: Mark?) { lint.check(button, at: mark) }

    public var facts: StepFacts { [.comesFromAnywhere, .sendsForm] }
}
