import Encodings
import Foundation
import Markup
import Secrets

/// The changes to a page's forms since it arrived, for display.
package struct FilledForms: Sendable {
    /// The typed texts. Secrets are shown as dots.
    package var texts: [Element: String] = [:]
    package var checked: [Element: Bool] = [:]
    /// The chosen options of ``lists``.
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

/// The changes to a page's forms. The document itself never changes.
struct FormState: Sendable {
    private var values: [Element: Input] = [:]
    private var checked: [Element: Bool] = [:]
    /// The chosen options, by `select` element.
    private var picked: [Element: [Element]] = [:]
    /// The lists whose choice is a secret.
    private var secretLists: Set<Element> = []

    // MARK: Changes

    mutating func set(_ value: Input, of field: Element) { values[field] = value }

    mutating func set(checked isOn: Bool, of box: Element) {
        if box.controlType == .radio, isOn {
            for other in box.radioGroup { checked[other] = false }
        }
        checked[box] = isOn
    }

    mutating func pick(_ option: Element, in list: Element) {
        picked[list] = list.has("multiple") ? selectedOptions(of: list).filter { $0 != option } + [option] : [option]
    }

    /// Empties the fields that hold a secret.
    mutating func forgetSecrets() {
        values = values.filter { !$0.value.isSecret }
        picked = picked.filter { !secretLists.contains($0.key) }
    }

    mutating func keepSecret(_ list: Element) { secretLists.insert(list) }

    func isSecret(_ list: Element) -> Bool { secretLists.contains(list) }

    /// The options that were chosen in a list since the page arrived.
    func pickedOptions(in list: Element) -> [Element] { picked[list] ?? [] }

    /// The reset algorithm (HTML Standard, section 4.10.22).
    mutating func reset(_ form: Element) {
        for control in form.ownedControls {
            values[control] = nil
            checked[control] = nil
            picked[control] = nil
        }
    }

    /// The changes, for display.
    var filled: FilledForms {
        FilledForms(
            texts: values.mapValues { value in
                switch value {
                case .text(let text): text
                case .secret(let secret): secret.isEmpty ? "" : Secret.mask
                }
            }, checked: checked, options: Set(picked.filter { !secretLists.contains($0.key) }.values.joined()),
            lists: Set(picked.keys))
    }

    // MARK: What holds

    /// Returns whether a person has changed the field since the page arrived.
    func isDirty(_ field: Element) -> Bool { values[field] != nil }

    /// Returns the field's "API value", with LF for every line break.
    func value(of field: Element) -> Input {
        if let value = values[field] { return value }
        let type = field.controlType
        // The parser has dropped the newline that may follow the tag.
        if type == .textarea { return .text(field.rawText.lineFeeds) }
        return .text(type.sanitized(field[attribute: "value"] ?? "", of: field))
    }

    func isChecked(_ box: Element) -> Bool {
        if let isOn = checked[box] { return isOn }
        return box.controlType == .radio ? box.isMarkedOfRadioGroup : box.has("checked")
    }

    /// Returns the selected options (section 4.10.7). A list that shows one line selects its first enabled option when
    /// the page marks none, and the last of several that it marks.
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

    /// The number of lines that a list shows.
    var displaySize: Int { Int(self[attribute: "size"] ?? "") ?? (has("multiple") ? 4 : 1) }

    /// Section 4.10.10.
    var optionValue: String { self[attribute: "value"] ?? rawText.strippingAndCollapsingASCIISpace }
    /// The names of an option together with the label of its group.
    var namesWithGroup: [String] {
        guard let group = parent?[attribute: "label"]?.foldingSpace, !group.isEmpty else { return [] }
        return ["\(optionLabel) \(group)", "\(group) \(optionLabel)"]
    }

    var optionLabel: String {
        let label = self[attribute: "label"] ?? ""
        return label.isEmpty ? rawText.foldingSpace : label.foldingSpace
    }
}

extension String {
    /// The text with LF for every line break.
    var lineFeeds: String {
        utf8.contains(0x0D) ? replacing("\r\n", with: "\n").replacing("\r", with: "\n") : self
    }

    /// "Strip and collapse ASCII whitespace" (Infra Standard, section 4.7). A no-break space stays.
    var strippingAndCollapsingASCIISpace: String { words.joined(separator: " ") }
}
