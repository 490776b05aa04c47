import Encodings
import Selectors

/// Check or uncheck the box with this label.
package struct Check: ScriptText {
    package let steps: [Step]

    package init(_ label: String, _ isOn: Bool = true, file: String = #fileID, line: Int = #line) {
        self.init(.field(.name(label)), isOn, file: file, line: line)
    }

    package init(_ box: Locator, _ isOn: Bool = true, file: String = #fileID, line: Int = #line) {
        steps = [Step(.check(box, isOn), at: Mark(file: file, line: line))]
    }
}

/// Checks or unchecks a box.
package struct CheckStep: Sendable, Hashable {
    package var box: Locator
    package var isOn: Bool

    package init(_ box: Locator, _ isOn: Bool) {
        self.box = box
        self.isOn = isOn
    }
}

extension Action {
    public static func check(_ box: Locator, _ isOn: Bool) -> Action { Action(CheckStep(box, isOn)) }
}

extension CheckStep: StepDescription {
    package static let names = ["check", "uncheck"]
    package static let companions = [StepCompanion.within]

    package static func read(
        _ value: ScriptNode, named name: String, beside others: [String: ScriptNode]
    ) throws(ScriptSyntaxError) -> [CheckStep] {
        [CheckStep(try value.locator(as: .field), name == names[0])]
    }

    package var writtenName: String { isOn ? Self.names[0] : Self.names[1] }
    package var written: YAMLText { box.written(as: .field) }

    package static func schema(of name: String) -> JSONValue {
        ScriptSchema.described(["$ref": "#/$defs/locator"], name == names[0] ? "Check a box." : "Uncheck a box.")
    }

    package var json: JSONValue { ["check": box.json, "on": .bool(isOn)] }

    package func words(filling filled: (Template) -> String) -> String {
        "\(writtenName) \(box.words(filling: filled))"
    }

    package func check(in lint: inout ScriptLint, at mark: Mark?) { lint.check(box, at: mark) }
}
