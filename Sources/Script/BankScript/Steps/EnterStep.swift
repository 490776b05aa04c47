import Encodings
import Selectors

/// Continue inside a frame until a step opens another page.
public struct Enter: ScriptText {
    public let steps: [Step]

    public init(frame: Locator, file: String = #fileID, line: Int = #line) {
        steps = [Step(.enter(frame), at: Mark(file: file, line: line))]
    }
}

/// Goes on inside a frame of the page.
public struct EnterStep: Sendable, Hashable {
    public var frame: Locator

    public init(_ frame: Locator) {
        self.frame = frame
    }
}

extension Action {
    public static func enter(_ frame: Locator) -> Action { Action(EnterStep(frame)) }
}

extension EnterStep: StepDescription {
    public static let names = ["enter"]
    public static let companions = [StepCompanion.within]

    public static func read(
        _ value: ScriptNode, named name: String, beside others: [String: ScriptNode]
    ) throws(ScriptSyntaxError) -> [EnterStep] {
        [EnterStep(try value.locator(as: .css))]
    }

    public var written: YAMLText { frame.written(as: .css) }

    public static func schema(of name: String) -> JSONValue {
        ScriptSchema.described(["$ref": "#/$defs/locator"], "Continue inside a frame.")
    }

    public var json: JSONValue { ["enter": frame.json] }

    public func words(filling filled: (Template) -> String) -> String { "enter \(frame.words(filling: filled))" }

    public func check(in lint: inout ScriptLint, at mark: Mark?) { lint.check(frame, at: mark) }
}
