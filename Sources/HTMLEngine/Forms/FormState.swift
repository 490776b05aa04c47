import DOM
import Foundation
import Secrets
import TextMatching

/// What is typed into a field.
public enum FieldValue: Sendable {
    case text(String)
    /// Refused where it would end up in a URL.
    case secret(Secret)
}

/// What was filled into a page's forms since it came, to be shown.
package struct FilledForms: Sendable {
    /// Secrets as dots.
    package var texts: [Element: String] = [:]
    package var checked: [Element: Bool] = [:]
    /// Options that were picked, in ``lists``.
    package var options: Set<Element> = []
    package var lists: Set<Element> = []

    package init(
        texts: [Element: String] = [:], checked: [Element: Bool] = [:], options: Set<Element> = [],
        lists: Set<Element> = []
    ) {
        self.texts = texts
        self.checked = checked
        self.options = options
        self.lists = lists
    }
}

/// What a person has changed on a page's forms; the document itself does not change.
struct FormState: Sendable {
    private var values: [Element: FieldValue] = [:]
    private var checked: [Element: Bool] = [:]
    /// Options picked, by their select.
    private var picked: [Element: [Element]] = [:]

    // MARK: Changes

    mutating func set(_ value: FieldValue, of field: Element) { values[field] = value }

    mutating func set(checked isOn: Bool, of box: Element) {
        if box.controlType == .radio, isOn {
            for other in box.radioGroup { checked[other] = false }
        }
        checked[box] = isOn
    }

    mutating func pick(_ option: Element, in list: Element) {
        picked[list] = list.has("multiple") ? selectedOptions(of: list).filter { $0 != option } + [option] : [option]
    }

    /// The reset algorithm (HTML Standard, section 4.10.22).
    mutating func reset(_ form: Element) {
        for control in form.ownedControls {
            values[control] = nil
            checked[control] = nil
            picked[control] = nil
        }
    }

    /// What was changed, to be shown: secrets as dots.
    var filled: FilledForms {
        FilledForms(
            texts: values.mapValues { value in
                switch value {
                case .text(let text): text
                case .secret(let secret): secret.isEmpty ? "" : Secret.mask
                }
            }, checked: checked, options: Set(picked.values.joined()), lists: Set(picked.keys))
    }

    // MARK: What holds

    /// A person has changed it since the page came.
    func isDirty(_ field: Element) -> Bool { values[field] != nil }

    /// The field's value, line breaks as LF ("API value").
    func value(of field: Element) -> FieldValue {
        if let value = values[field] { return value }
        let type = field.controlType
        // The parser has already dropped the one newline that may follow the tag.
        if type == .textarea { return .text(field.rawText.lineFeeds) }
        return .text(type.sanitized(field[attribute: "value"] ?? "", of: field))
    }

    func isChecked(_ box: Element) -> Bool {
        if let isOn = checked[box] { return isOn }
        return box.controlType == .radio ? box.isMarkedOfRadioGroup : box.has("checked")
    }

    /// Section 4.10.7: where one line is shown, the first enabled option is selected if no other is; of several that the
    /// page marks, the last one is.
    func selectedOptions(of list: Element) -> [Element] {
        if let picked = picked[list] {
            return picked.count < 2 ? picked : list.options.filter(picked.contains)
        }
        let options = list.options
        let marked = options.filter { $0.has("selected") }
        if list.has("multiple") { return marked }
        if let last = marked.last { return [last] }
        guard list.displaySize <= 1, let first = options.first(where: { !$0.isDisabled }) else { return [] }
        return [first]
    }
}

extension Element {
    var options: [Element] { descendants.filter { $0.tag == .option } }

    /// How many lines a list shows.
    var displaySize: Int { Int(self[attribute: "size"] ?? "") ?? (has("multiple") ? 4 : 1) }

    /// Section 4.10.10.
    var optionValue: String { self[attribute: "value"] ?? rawText.strippingAndCollapsingASCIISpace }
    var optionLabel: String {
        let label = self[attribute: "label"] ?? ""
        return label.isEmpty ? rawText.foldingSpace : label.foldingSpace
    }
}

extension String {
    /// Line breaks as LF.
    var lineFeeds: String {
        utf8.contains(0x0D) ? replacing("\r\n", with: "\n").replacing("\r", with: "\n") : self
    }

    /// "Strip and collapse ASCII whitespace" (Infra Standard, section 4.7); a no-break space stays.
    var strippingAndCollapsingASCIISpace: String { words.joined(separator: " ") }
}
