import Foundation
import Selectors

/// Something that a person could not have filled, pressed or chosen either; says why and what to do.
public struct FormError: Error, Sendable, Hashable, CustomStringConvertible {
    public let message: String

    public var description: String { message }
}

extension FormState {
    private static let untypable: Set<String> = [
        "hidden", "submit", "image", "reset", "button", "checkbox", "radio", "file", "select",
    ]

    /// Types into a field.
    mutating func fill(_ field: Element, with value: FieldValue) throws(FormError) {
        try Self.checkUsable(field)
        let type = field.inputType
        guard field.name == "input" || field.name == "textarea", !Self.untypable.contains(type) else {
            let instead = type == "select" ? "choose" : ["checkbox", "radio"].contains(type) ? "check" : "press"
            throw FormError(message: "\(field.glimpse) is no field to type into; use \(instead)")
        }
        guard !field.has("readonly") else { throw FormError(message: "\(field.glimpse) is read-only") }
        let length =
            switch value {
            case .text(let text): text.utf16.count
            case .secret(let secret): secret.revealed().utf16.count
            }
        if let most = Int(field[attribute: "maxlength"] ?? ""), most >= 0, length > most {
            throw FormError(message: "\(field.glimpse) takes at most \(most) characters; the value has \(length)")
        }
        set(value, of: field)
    }

    /// Picks an option of a list, or a radio button of a group.
    mutating func choose(_ option: TextMatch, in list: Element, locator: Locator) throws {
        try Self.checkUsable(list)
        switch list.inputType {
        case "select":
            let options = list.options
            let byLabel = try option.matching(options, of: locator) { [$0.optionLabel] }
            let found = byLabel.isEmpty ? options.filter { $0.optionValue == option.words } : byLabel
            guard let first = found.first, found.count == 1 else {
                let offered = options.prefix(20).map { "“\($0.optionLabel)”" }.joined(separator: ", ")
                throw FormError(
                    message: "\(list.glimpse) has \(found.isEmpty ? "no" : "more than one") option \(option); "
                        + "it has: \(offered)")
            }
            guard !first.isDisabled else { throw FormError(message: "the option \(option) is disabled") }
            pick(first, in: list)
        case "radio":
            let group = [list] + list.radioGroup
            guard let found = try option.matching(group, of: locator, { $0.names }).first else {
                let offered = group.map { "“\($0.accessibleName)”" }.joined(separator: ", ")
                throw FormError(message: "the group has no button \(option); it has: \(offered)")
            }
            try Self.checkUsable(found)
            set(checked: true, of: found)
        default: throw FormError(message: "\(list.glimpse) is neither a list nor a radio button; use fill or check")
        }
    }

    mutating func check(_ box: Element, _ isOn: Bool) throws(FormError) {
        try Self.checkUsable(box)
        guard ["checkbox", "radio"].contains(box.inputType) else {
            throw FormError(message: "\(box.glimpse) is no box to check")
        }
        guard isOn || box.inputType == "checkbox" else {
            throw FormError(message: "a radio button cannot be unchecked; check another one of its group")
        }
        set(checked: isOn, of: box)
    }

    private static func checkUsable(_ field: Element) throws(FormError) {
        guard !field.isDisabled else { throw FormError(message: "\(field.glimpse) is disabled") }
        guard !field.isHidden else { throw FormError(message: "\(field.glimpse) is hidden; a person could not use it") }
    }

    /// Browsers do not submit a form whose required fields are empty (HTML standard, section 4.10.20.3).
    func checkComplete(_ form: Element, submitter: Element?) throws(FormError) {
        if form.has("novalidate") || submitter?.has("formnovalidate") == true { return }
        let controls = form.document.root?.descendants.filter { $0.formOwner == form && $0.has("required") } ?? []
        for control in controls where control.canBeRequired && !control.isDisabled && !control.has("readonly") {
            let isEmpty: Bool
            switch control.inputType {
            case "checkbox": isEmpty = !isChecked(control)
            case "radio": isEmpty = !([control] + control.radioGroup).contains(where: isChecked)
            case "select": isEmpty = selectedOptions(of: control).allSatisfy { $0.optionValue.isEmpty }
            default:
                switch value(of: control) {
                case .text(let text): isEmpty = text.isEmpty
                case .secret(let secret): isEmpty = secret.isEmpty
                }
            }
            if isEmpty { throw FormError(message: "\(control.glimpse) is required and empty; fill it first") }
        }
    }
}
