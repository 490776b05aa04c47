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
package struct OpenStep: Sendable, Hashable {
    package var reference: Template

    package init(_ reference: Template) {
        self.reference = reference
    }
}

extension Action {
    public static func open(_ reference: Template) -> Action { Action(OpenStep(reference)) }
}

extension OpenStep: StepDescription {
    package static let names = ["open"]
    package static let companions = [StepCompanion.expecting]

    package static func read(
        _ value: ScriptNode, named name: String, beside others: [String: ScriptNode]
    ) throws(ScriptSyntaxError) -> [OpenStep] {
        [OpenStep(try value.template("open"))]
    }

    package var written: YAMLText { .text(reference.source) }

    package static func schema(of name: String) -> JSONValue {
        ScriptSchema.described(["$ref": "#/$defs/scalar"], "Open a path, or an address on one of the origins.")
    }

    package var json: JSONValue { ["open": .string(reference.source)] }

    package func words(filling filled: (Template) -> String) -> String { "open \(filled(reference))" }

    package func check(in lint: inout ScriptLint, at mark: Mark?) { lint.checkAddress(reference, at: mark) }

    package var sent: [Sending] { [.address(reference)] }
    package var facts: StepFacts { [.comesFromAnywhere, .bringsJSON] }
    package func moving(_ moved: (Template) -> Template) -> OpenStep { OpenStep(moved(reference)) }
}
