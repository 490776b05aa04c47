import Encodings

/// Open a path on the first origin, or an absolute URL on one of the origins.
public struct Open: ScriptText {
    public let steps: [Step]

    /// - Parameter expected: the statuses of 400 or more that do not end the run.
    public init(
        _ reference: Template, expecting expected: ClosedRange<Int>? = nil, file: String = #fileID, line: Int = #line
    ) {
        steps = [Step(.open(reference), expecting: expected, at: Mark(file: file, line: line))]
    }
}

/// Opens a path on the first origin, or an absolute URL on one of the origins.
public struct OpenStep: Sendable, Hashable {
    public var reference: Template

    public init(_ reference: Template) {
        self.reference = reference
    }
}

extension Action {
    public static func open(_ reference: Template) -> Action { Action(OpenStep(reference)) }
}

extension OpenStep: StepDescription {
    public static let names = ["open"]
    public static let companions = [StepCompanion.expecting]

    public static func read(
        _ value: ScriptNode, named name: String, beside others: [String: ScriptNode]
    ) throws(ScriptSyntaxError) -> [OpenStep] {
        [OpenStep(try value.template("open"))]
    }

    public var written: YAMLText { .text(reference.source) }

    public static func schema(of name: String) -> JSONValue {
        ScriptSchema.described(["$ref": "#/$defs/scalar"], "Open a path, or an address on one of the origins.")
    }

    public var json: JSONValue { ["open": .string(reference.source)] }

    public func words(filling filled: (Template) -> String) -> String { "open \(filled(reference))" }

    public func check(in lint: inout ScriptLint, at mark: Mark?) { lint.checkAddress(reference, at: mark) }

    public var sent: [Sending] { [.address(reference)] }
    public var facts: StepFacts { [.comesFromAnywhere, .bringsJSON] }
    public func moving(_ moved: (Template) -> Template) -> OpenStep { OpenStep(moved(reference)) }
}
