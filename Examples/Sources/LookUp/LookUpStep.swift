import Automation
import BankScript
import Encodings
import Selectors

/// Types a text into a field and submits its form: `look-up: { field: Search, for: "{{ year }}", form: "#search" }`.
public struct LookUpStep: PerformedStep {
    var field: Locator
    var value: Value
    var form: Locator

    // MARK: In a script

    public static let names = ["look-up"]

    public static func read(
        _ value: ScriptNode, named name: String, beside others: [String: ScriptNode]
    ) throws(ScriptSyntaxError) -> [LookUpStep] {
        let fields = try value.fields("look-up", known: ["field", "for", "form"])
        guard let field = fields["field"], let text = fields["for"], let form = fields["form"] else {
            throw value.error("“look-up” needs “field”, “for” and “form”")
        }
        return [
            LookUpStep(
                field: try field.locator(as: .field), value: try text.value(), form: try form.locator(as: .css))
        ]
    }

    public var written: YAMLText {
        .members([("field", field.written(as: .field)), ("for", value.written), ("form", form.written(as: .css))])
    }

    public static func schema(of name: String) -> JSONValue {
        [
            "type": "object", "required": ["field", "for", "form"], "additionalProperties": false,
            "properties": [
                "field": ["$ref": "#/$defs/locator"], "for": ["$ref": "#/$defs/value"],
                "form": ["$ref": "#/$defs/locator"],
            ],
        ]
    }

    public var json: JSONValue { ["lookUp": field.json, "with": value.json, "form": form.json] }

    // MARK: For the person who accepts the script

    public func words(filling filled: (Template) -> String) -> String {
        "look up \(value.words(filling: filled)) in \(field.words(filling: filled))"
    }

    public var details: [String] { ["submits the form \(form.words { $0.source })"] }

    public func check(in lint: inout ScriptLint, at mark: Mark?) {
        lint.check(field, at: mark)
        lint.check(value, at: mark)
        lint.check(form, at: mark)
    }

    public var sent: [Sending] { [.form([value])] }

    // MARK: In a run

    public func perform(
        in run: isolated ScriptExecution, at place: StepPosition, before following: ArraySlice<Step>
    ) async throws {
        try await run.type(value, into: field)
        let form = try await run.locateShown(form)
        try await run.turn(submitting: true) { try await run.engine.submit(form: form, with: []) }
    }

    public var conduct: StepConduct { [.canBeTriedAgain, .bringsPage, .checksStatus] }
    public var signs: StepSigns { StepSigns([.shows(field)]) }
}
