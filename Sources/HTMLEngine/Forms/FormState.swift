import Foundation
import Secrets

/// What is typed into a field.
public enum FieldValue: Sendable {
    case text(String)
    /// Refused where it would end up in a URL.
    case secret(Secret)
}

/// What a person has changed on a page's forms; the document itself does not change.
struct FormState: Sendable {
    private(set) var values: [Element: FieldValue] = [:]
    private(set) var checked: [Element: Bool] = [:]
    /// Options picked, by their select.
    private(set) var picked: [Element: [Element]] = [:]

    mutating func set(_ value: FieldValue, of field: Element) { values[field] = value }

    mutating func set(checked isOn: Bool, of box: Element) {
        if box[attribute: "type"]?.lowercased() == "radio", isOn {
            for other in box.radioGroup { checked[other] = false }
        }
        checked[box] = isOn
    }

    mutating func pick(_ option: Element, in list: Element) {
        picked[list] = list.has("multiple") ? (selectedOptions(of: list) + [option]) : [option]
    }

    func isChecked(_ box: Element) -> Bool { checked[box] ?? box.has("checked") }

    func value(of field: Element) -> FieldValue {
        if let value = values[field] { return value }
        if field.name == "textarea" {
            // The parser has already dropped the one newline that may follow the tag.
            return .text(field.rawText)
        }
        return .text(field[attribute: "value"] ?? "")
    }

    /// HTML standard, section 4.10.7: a list that shows one line has its first enabled option selected if none is.
    func selectedOptions(of list: Element) -> [Element] {
        if let picked = picked[list] { return picked }
        let options = list.options
        let marked = options.filter { $0.has("selected") }
        if list.has("multiple") { return marked }
        if let last = marked.last { return [last] }
        let lines = Int(list[attribute: "size"] ?? "") ?? 1
        guard lines <= 1, let first = options.first(where: { !$0.isDisabled }) else { return [] }
        return [first]
    }
}

extension Element {
    var options: [Element] { descendants.filter { $0.name == "option" } }

    /// HTML standard, section 4.10.10.
    var optionValue: String { self[attribute: "value"] ?? rawText.foldingSpace }
    var optionLabel: String { self[attribute: "label"] ?? rawText.foldingSpace }

    var inputType: String {
        guard name == "input" else { return name }
        return self[attribute: "type"]?.lowercased() ?? "text"
    }

    /// The form owner (section 4.10.18.3): the `form` attribute, else the nearest form around it.
    var formOwner: Element? {
        if let id = self[attribute: "form"] {
            return document.element(withID: id).flatMap { $0.name == "form" ? $0 : nil }
        }
        return ancestors.first { $0.name == "form" }
    }

    /// The other radio buttons of the group (section 4.10.5.1.16).
    var radioGroup: [Element] {
        guard let name = self[attribute: "name"], !name.isEmpty, let root = document.root else { return [] }
        let owner = formOwner
        return root.descendants.filter {
            $0.inputType == "radio" && $0 != self && $0[attribute: "name"] == name && $0.formOwner == owner
        }
    }

    var isSubmitButton: Bool {
        switch name {
        case "button": !["button", "reset"].contains(self[attribute: "type"]?.lowercased() ?? "submit")
        case "input": ["submit", "image"].contains(inputType)
        default: false
        }
    }
}
