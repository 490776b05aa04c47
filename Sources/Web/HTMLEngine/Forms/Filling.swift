import Encodings
import Foundation
import Markup
import Secrets
import Selectors

extension FormState {
    /// Types into a field, if a person could.
    mutating func fill(_ field: Element, with value: Input) throws(FormError) {
        let type = field.controlType
        guard type.isTypable else {
            throw FormError(.wrongKind, "\(field.glimpse) is not a field to type into; \(type.advice)")
        }
        try Self.checkUsable(field)
        guard !(type.canBeReadOnly && field.has("readonly")) else {
            throw FormError(.notUsable, "\(field.glimpse) is read-only; a person could not change it")
        }
        let text = value.revealed.lineFeeds
        switch Self.typingRule(of: field, brokenBy: text) {
        case .atMost(let most)?:
            throw FormError(
                .tooLong, "\(field.glimpse) \(FieldRule.atMost(most)); the value has \(text.utf16.count)")
        case let rule?: throw FormError(.invalidValue, "\(field.glimpse) \(rule); the value is not")
        case nil: set(value, of: field)
        }
    }

    /// Chooses an option of a list, or a radio button of a group.
    mutating func choose(_ option: TextMatch, in list: Element, locator: Locator) throws {
        let radios = list.controlType == .radio ? list.radioGroup : list.descendants.filter { $0.controlType == .radio }
        if list.controlType == .select {
            try chooseOption(option, in: list, locator: locator)
        } else if !radios.isEmpty {
            try chooseRadio(option, among: radios, in: list, locator: locator)
        } else {
            throw FormError(
                .wrongKind, "\(list.glimpse) is neither a list nor a group of radio buttons; use fill, check or press")
        }
    }

    private mutating func chooseOption(_ option: TextMatch, in list: Element, locator: Locator) throws {
        try Self.checkUsable(list)
        let options = list.options
        let byLabel = try option.matching(options, of: locator) { [$0.optionLabel, $0.rawText.foldingSpace] }
        var byValue = byLabel.isEmpty ? options.filter { $0.optionValue == option.words } : byLabel
        // “3” is the month 03 of a list from 01 to 12.
        if byValue.isEmpty, case .name(let text) = option, let number = Int(text) {
            byValue = options.filter { Int($0.optionLabel) == number }
        }
        // A person reads “March” under “2025” as March 2025.
        let found =
            byValue.isEmpty
            ? try option.matching(options.filter { $0.parent?.tag == .optgroup }, of: locator, \.namesWithGroup)
            : byValue
        guard let first = found.first, found.count == 1 else {
            let which = found.isEmpty ? "no option" : "\(found.count) options for"
            throw FormError(
                .noSuchOption,
                "\(list.glimpse) has \(which) \(option); it has: \(Self.list(options.map(\.optionLabel)))",
                isMissingPeriod: option.isPeriodMissing(among: options.map(\.optionLabel)))
        }
        guard !first.isDisabled else {
            throw FormError(
                .notUsable, "the option \(option) of \(list.glimpse) is disabled; a person could not choose it")
        }
        pick(first, in: list)
    }

    private mutating func chooseRadio(
        _ option: TextMatch, among radios: [Element], in list: Element, locator: Locator
    ) throws {
        let byName = try option.matching(radios, of: locator) { $0.names }
        let found = byName.isEmpty ? radios.filter { $0[attribute: "value"] == option.words } : byName
        guard let first = found.first, found.count == 1 else {
            let which = found.isEmpty ? "no button" : "\(found.count) buttons for"
            throw FormError(
                .noSuchOption,
                "\(list.glimpse) has \(which) \(option); it has: \(Self.list(radios.map(\.accessibleName)))",
                isMissingPeriod: option.isPeriodMissing(among: radios.map(\.accessibleName)))
        }
        try Self.checkUsable(first)
        set(checked: true, of: first)
    }

    private static func list(_ names: [String]) -> String {
        let shown = names.prefix(20).map { "“\($0.prefix(60))”" }.joined(separator: ", ")
        return names.isEmpty ? "none" : names.count > 20 ? "\(shown) and \(names.count - 20) more" : shown
    }

    mutating func check(_ box: Element, _ isOn: Bool) throws(FormError) {
        let type = box.controlType
        guard type == .checkbox || type == .radio else {
            throw FormError(.wrongKind, "\(box.glimpse) is not a box to check; use fill, choose or press")
        }
        try Self.checkUsable(box)
        guard isOn || type == .checkbox else {
            throw FormError(.wrongKind, "a radio button cannot be unchecked; check another one of its group")
        }
        set(checked: isOn, of: box)
    }

    static func checkUsable(_ field: Element) throws(FormError) {
        guard !field.isDisabled else {
            throw FormError(.notUsable, "\(field.glimpse) is disabled; a person could not use it either")
        }
        // Style sheets often hide the box itself and draw its label.
        let type = field.controlType
        let isDrawnByLabel = (type == .checkbox || type == .radio) && field.labels.contains { !$0.isHidden }
        guard !field.isInert else {
            throw FormError(
                .notUsable, "\(field.glimpse) is inert while a dialog is open; a person could not use it either")
        }
        guard !field.isOutOfReach || isDrawnByLabel else {
            throw FormError(.notUsable, "\(field.glimpse) is hidden; a person could not use it either")
        }
    }
}

extension ControlType {
    /// How to use the control instead of typing.
    fileprivate var advice: String {
        switch self {
        case .select: "use choose for a list"
        case .radio: "use choose or check for a radio button"
        case .checkbox: "use check for a box"
        case .file: "this engine does not upload files"
        case .hidden: "a person cannot see it; the page sets its value"
        case .submit, .image, .reset, .button: "use press for a button"
        default: "name the field itself"
        }
    }
}
