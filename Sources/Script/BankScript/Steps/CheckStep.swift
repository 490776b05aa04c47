import Encodings
import Selectors

/// Check or uncheck the box with this label.
public struct Check: ScriptText {
    public let steps: [Step]

    public init(_ label: String, _ isOn: Bool = true, file: String = #fileID, line: Int = #line) {
        self.init(.field(.name(label)), isOn, file: file, line: line)
    }

    public init(_ box: Locator, _ isOn: Bool = true, file: String = #fileID, line: Int = #line) {
        steps = [Step(.check(box, isOn), at: Mark(file: file, line: line))]
    }
}

/// Checks or unchecks a box.
public struct CheckStep: Sendable, Hashable {
    public var box: Locator
    public var isOn: Bool

    public init(_ box: Locator, _ isOn: Bool) {
        self.box = box
        self.isOn = isOn
    }
}

extension Action {
    public static func check(_ box: Locator, _ isOn: Bool) -> Action { Action(CheckStep(box, isOn)) }
}

extension CheckStep: StepDescription {
    public static let names = ["check", "uncheck"]
    public static let companions = [StepCompanion.within]

    public static func read(
        _ value: ScriptNode, named name: String, beside others: [String: ScriptNode]
    ) throws(ScriptSyntaxError) -> [CheckStep] {
        [CheckStep(try value.locator(as: .field), name == names[0])]
    }

    public var writtenName: String { isOn ? Self.names[0] : Self.names[1] }
    public var written: YAMLText { box.written(as: .field) }

    public static func schema(of name: String) -> JSONValue {
        ScriptSchema.described(["$ref": "#/$defs/locator"], name == names[0] ? "Check a box." : "Uncheck a box.")
    }

    public var json: JSONValue { ["check": box.json, "on": .bool(isOn)] }

    public func words(filling filled: (Template) -> String) -> String { "\(writtenName) \(box.words(filling: filled))" }

    public func check(in lint: inout ScriptLint, at mark: Mark?) { lint.check(box, at: mark) }
}
