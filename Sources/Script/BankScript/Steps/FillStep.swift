import Encodings
import Selectors

/// Fill the field with this label.
public struct Fill: ScriptText {
    public let steps: [Step]

    public init(_ label: String, with value: Value, file: String = #fileID, line: Int = #line) {
        self.init(.field(.name(label)), with: value, file: file, line: line)
    }

    public init(_ field: Locator, with value: Value, file: String = #fileID, line: Int = #line) {
        steps = [Step(.fill(field, value), at: Mark(file: file, line: line))]
    }
}

/// Fills a field.
package struct FillStep: Sendable, Hashable {
    package var field: Locator
    package var value: Value

    package init(_ field: Locator, _ value: Value) {
        self.field = field
        self.value = value
    }
}

extension Action {
    public static func fill(_ field: Locator, _ value: Value) -> Action { Action(FillStep(field, value)) }
}

extension FillStep: StepDescription {
    package static let names = ["fill"]
    package static let companions = [StepCompanion.within]

    /// Reads `{ Username: $username, Password: $password }`, or a locator's parts and `with`.
    package static func read(
        _ value: ScriptNode, named name: String, beside others: [String: ScriptNode]
    ) throws(ScriptSyntaxError) -> [FillStep] {
        let members = try value.members("fill")
        if let with = members.first(where: { $0.key.scalar == "with" })?.value {
            return [FillStep(try value.locator(as: .field, besides: ["with"]), try with.value())]
        }
        var steps: [FillStep] = []
        for (label, value) in members {
            steps.append(FillStep(.field(.name(try label.text("a label"))), try value.value()))
        }
        return steps
    }

    package var written: YAMLText { .members(field.members + [("with", value.written)]) }

    package var shared: (label: String, value: YAMLText)? {
        guard let label = field.plainLabel, label != "with" else { return nil }
        return (label, value.written)
    }

    package static func schema(of name: String) -> JSONValue {
        [
            "description": "Fill fields by their labels: { Username: $username }.",
            "anyOf": [
                ScriptSchema.locator(besides: ["with": ["$ref": "#/$defs/value"]], required: ["with"]),
                ScriptSchema.map(of: ["$ref": "#/$defs/value"]),
            ],
        ]
    }

    package var json: JSONValue { ["fill": field.json, "with": value.json] }

    package func words(filling filled: (Template) -> String) -> String {
        "fill \(field.words(filling: filled)) with \(value.words(filling: filled))"
    }

    package func check(in lint: inout ScriptLint, at mark: Mark?) {
        lint.check(field, filledWith: value, at: mark)
    }

    package var sent: [Sending] { [.form([value])] }
    package var facts: StepFacts { value.isCredential ? [.signsIn] : [] }
}
