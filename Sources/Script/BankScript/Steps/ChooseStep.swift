import Encodings
import Selectors

/// Choose an option by its text, in the list with this label.
public struct Choose: ScriptText {
    public let steps: [Step]

    public init(_ label: String, _ option: Value, file: String = #fileID, line: Int = #line) {
        self.init(.field(.name(label)), option, file: file, line: line)
    }

    public init(_ list: Locator, _ option: Value, file: String = #fileID, line: Int = #line) {
        steps = [Step(.choose(list, option), at: Mark(file: file, line: line))]
    }
}

/// Chooses an option of a select, or a radio button of a group, by its text.
package struct ChooseStep: Sendable, Hashable {
    package var list: Locator
    package var option: Value

    package init(_ list: Locator, _ option: Value) {
        self.list = list
        self.option = option
    }
}

extension Action {
    public static func choose(_ list: Locator, _ option: Value) -> Action { Action(ChooseStep(list, option)) }
}

extension ChooseStep: StepDescription {
    package static let names = ["choose"]
    package static let companions = [StepCompanion.within]

    /// Reads `{ Year: "{{ year }}", Accounts: [Current, Savings] }`, or a locator's parts and `option`.
    package static func read(
        _ value: ScriptNode, named name: String, beside others: [String: ScriptNode]
    ) throws(ScriptSyntaxError) -> [ChooseStep] {
        let members = try value.members("choose")
        if let option = members.first(where: { $0.key.scalar == "option" })?.value {
            return try choices(option, in: try value.locator(as: .field, besides: ["option"]))
        }
        var steps: [ChooseStep] = []
        for (label, option) in members {
            steps += try choices(option, in: .field(.name(try label.text("a label"))))
        }
        return steps
    }

    /// Reads an option, or a list of those that are chosen one after the other in a list that takes several.
    private static func choices(
        _ option: ScriptNode, in list: Locator
    ) throws(ScriptSyntaxError) -> [ChooseStep] {
        guard option.isSequence else { return [ChooseStep(list, try option.value())] }
        var steps: [ChooseStep] = []
        for item in try option.items("the options") { steps.append(ChooseStep(list, try item.value())) }
        guard !steps.isEmpty else {
            throw option.error("the list of options is empty", hint: "choose: { Accounts: [Current, Savings] }")
        }
        return steps
    }

    package var written: YAMLText { .members(list.members + [("option", option.written)]) }

    package var shared: (label: String, value: YAMLText)? {
        guard let label = list.plainLabel, label != "option" else { return nil }
        return (label, option.written)
    }

    package static func schema(of name: String) -> JSONValue {
        let options: JSONValue = [
            "anyOf": [["$ref": "#/$defs/value"], ScriptSchema.list(of: ["$ref": "#/$defs/value"])]
        ]
        return [
            "description": "Choose options by their text: { Year: \"{{ year }}\" }.",
            "anyOf": [
                ScriptSchema.locator(besides: ["option": options], required: ["option"]), ScriptSchema.map(of: options),
            ],
        ]
    }

    package var json: JSONValue { ["choose": option.json, "in": list.json] }

    package func words(filling filled: (Template) -> String) -> String {
        if case .template(let text) = option { return "choose “\(filled(text))” in \(list.words(filling: filled))" }
        return "choose \(option.words(filling: filled)) in \(list.words(filling: filled))"
    }

    package func check(in lint: inout ScriptLint, at mark: Mark?) {
        lint.check(list, filledWith: option, at: mark, isTyped: false)
    }

    package var sent: [Sending] { [.form([option])] }
    package var facts: StepFacts { option.isCredential ? [.signsIn] : [] }
}
