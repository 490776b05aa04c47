import Encodings
import Selectors

/// Submit a form that has no button, as the page's own script would.
package struct Submit: ScriptText {
    package let steps: [Step]

    /// - Parameters:
    ///   - fields: values to set before, hidden fields included.
    ///   - expected: the statuses of 400 or more that do not end the run.
    package init(
        form: Locator, with fields: [FormField] = [], expecting expected: ClosedRange<Int>? = nil,
        file: String = #fileID, line: Int = #line
    ) {
        let submit = SubmitStep(form: form, fields: fields)
        steps = [Step(.submit(submit), expecting: expected, at: Mark(file: file, line: line))]
    }
}

/// A form that is submitted without its button.
public struct SubmitStep: Sendable, Hashable {
    public var form: Locator
    /// Values to set before, hidden fields included.
    public var fields: [FormField]

    public init(form: Locator, fields: [FormField] = []) {
        self.form = form
        self.fields = fields
    }
}

/// A field of a form by its name in the form's data.
public struct FormField: Sendable, Hashable {
    public var name: String
    public var value: Value

    public init(_ name: String, _ value: Value) {
        self.name = name
        self.value = value
    }
}

extension Action {
    public static func submit(_ submit: SubmitStep) -> Action { Action(submit) }
}

extension SubmitStep: StepDescription {
    public static let names = ["submit"]
    public static let companions = [StepCompanion.expecting, .within]
    public static let parts = ["submit": ["form", "with"]]

    public static func read(
        _ value: ScriptNode, named name: String, beside others: [String: ScriptNode]
    ) throws(ScriptSyntaxError) -> [SubmitStep] {
        [try value.submit()]
    }

    public var written: YAMLText {
        var members: [(String, YAMLText)] = [("form", form.written(as: .css))]
        if !fields.isEmpty { members.append(("with", .members(fields.map { ($0.name, $0.value.written) }))) }
        return .members(members)
    }

    static let schema = ScriptSchema.object(
        ["form": ["$ref": "#/$defs/locator"], "with": ScriptSchema.map(of: ["$ref": "#/$defs/value"])],
        required: ["form"])

    public static func schema(of name: String) -> JSONValue {
        ScriptSchema.described(schema, "Submit a form that has no button.")
    }

    public var json: JSONValue {
        .members(["submit": form.json, "with": fields.isEmpty ? nil : .array(fields.map(\.json))])
    }

    public func words(filling filled: (Template) -> String) -> String {
        "submit the form \(form.words(filling: filled))" + fields.credentialWords
    }

    public var details: [String] { fields.details }

    public func check(in lint: inout ScriptLint, at mark: Mark?) {
        lint.check(form, at: mark)
        for field in fields {
            lint.check(field.value, at: mark)
            lint.checkLiteral(field.value, in: field.name, at: mark)
        }
    }

    public var sent: [Sending] { [.form(fields.map(\.value))] }

    public var facts: StepFacts {
        let facts: StepFacts = [.sendsForm, .sendsItself]
        return fields.contains { $0.value.isCredential } ? facts.union(.signsIn) : facts
    }
}

extension FormField {
    var json: JSONValue { ["name": .string(name), "value": value.json] }
}

extension [FormField] {
    /// The names of the credentials that the fields hold.
    var credentialWords: String {
        let names = Set(compactMap(\.value.credentialName)).sorted()
        return names.isEmpty ? "" : " with " + names.map { "the \($0.inLine())" }.joined(separator: ", ")
    }

    /// A line for each field.
    var details: [String] { map { "form field \($0.name.inLine()): \($0.value.words { $0.source })" } }
}

extension ScriptNode {
    /// Reads `{ form: ".login", with: { name: value } }`.
    func submit() throws(ScriptSyntaxError) -> SubmitStep {
        let fields = try fields("submit")
        guard let form = fields["form"] else { throw error("“submit” has no “form”", hint: "{ form: \".login\" }") }
        return SubmitStep(form: try form.locator(as: .css), fields: try fields["with"]?.formFields("with") ?? [])
    }

    /// Reads the fields of a form, in the order of the file.
    func formFields(_ what: String) throws(ScriptSyntaxError) -> [FormField] {
        var result: [FormField] = []
        for (key, value) in try members(what) {
            result.append(FormField(try key.text("a field's name"), try value.value()))
        }
        return result
    }
}
