import Encodings
import Foundation
import Markup
import WebURL

/// Constraint validation (HTML Standard, section 4.10.20): required fields that are empty, and values that are too
/// short or have the wrong pattern, type or range. `step` is not checked.
extension FormState {
    func checkValidity(_ form: Element, submitter: Element?) throws(FormError) {
        if form.has("novalidate") || submitter?.has("formnovalidate") == true { return }
        var time = MatchingTime()
        for control in form.ownedControls where !Self.isBarred(control) {
            if let problem = problem(of: control, &time) {
                throw FormError(.incomplete, "\(control.glimpse) \(problem); a browser would not submit the form")
            }
        }
    }

    /// Returns whether a control is barred from constraint validation (section 4.10.20.2): a person cannot change it.
    private static func isBarred(_ control: Element) -> Bool {
        let type = control.controlType
        return control.isDisabled || type == .hidden || type == .reset || type == .button
            || (type.canBeReadOnly && control.has("readonly"))
            || control.ancestors.contains { $0.tag == .datalist }
    }

    private func problem(of control: Element, _ time: inout MatchingTime) -> String? {
        let type = control.controlType
        if isMissing(control, type) { return "is required and empty; fill it first" }
        guard type.isTypable else { return nil }
        let text = value(of: control).revealed.lineFeeds
        guard !text.isEmpty else { return nil }
        if let rule = Self.submissionRule(of: control, brokenBy: text, isTyped: isDirty(control), &time) {
            if case .atLeast = rule { return "\(rule); the value has \(text.utf16.count)" }
            let title = control[attribute: "title"].map { ": \($0)" } ?? ""
            return "\(rule), pattern \(control.valuePattern ?? "")\(title)"
        }
        return wrongKind(text, type, control, &time) ?? outOfRange(text, type, control)
    }

    private func isMissing(_ control: Element, _ type: ControlType) -> Bool {
        switch type {
        case .radio:
            guard control.isFirstOfRadioGroup else { return false }
            let group = control.radioGroup
            return group.contains { $0.has("required") } && !group.contains(where: isChecked)
        case _ where !type.canBeRequired || !control.has("required"): return false
        case .textarea: return value(of: control).revealed.isEmpty
        case .checkbox: return !isChecked(control)
        case .file: return true
        case .select:
            let selected = selectedOptions(of: control)
            return selected.isEmpty || selected == [control.placeholderOption]
        default: return value(of: control).revealed.isEmpty
        }
    }

    static func fits(_ text: String, _ pattern: String, _ time: inout MatchingTime) -> Bool {
        // Ignore an invalid pattern, as the standard says, and one that takes too long.
        guard let expression = try? NSRegularExpression(pattern: "\\A(?:\(pattern))\\z") else { return true }
        do {
            return try time.firstMatch(of: expression, in: text) != nil
        } catch {
            return true
        }
    }

    private func wrongKind(
        _ text: String, _ type: ControlType, _ control: Element, _ time: inout MatchingTime
    ) -> String? {
        switch type {
        case .email:
            // The expression of section 4.10.5.1.5.
            let label = #"[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"#
            let address = "[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@\(label)(?:\\.\(label))*"
            let addresses = control.has("multiple") ? text.split(separator: ",").map(String.init) : [text]
            let isEmail = addresses.allSatisfy { Self.fits($0.trimmingCharacters(in: .whitespaces), address, &time) }
            return isEmail ? nil : "must be an e-mail address"
        case .url: return (try? URLRecord(parsing: text)) == nil ? "must be a full URL" : nil
        default: return nil
        }
    }

    private func outOfRange(_ text: String, _ type: ControlType, _ control: Element) -> String? {
        let least = control[attribute: "min"].flatMap { type.isWellFormed($0) ? $0 : nil }
        let most = control[attribute: "max"].flatMap { type.isWellFormed($0) ? $0 : nil }
        func precedes(_ left: String, _ right: String) -> Bool {
            switch type {
            case .number, .range: (Double(left) ?? 0) < (Double(right) ?? 0)
            // Dates and times in these forms sort as text.
            case .date, .month, .week, .time, .localDateTime: left < right
            default: false
            }
        }
        if let least, precedes(text, least) { return "must not be below \(least)" }
        if let most, precedes(most, text) { return "must not be above \(most)" }
        return nil
    }
}

extension Element {
    /// The placeholder label option (section 4.10.7), such as "Please choose", which counts as nothing chosen.
    fileprivate var placeholderOption: Element? {
        guard has("required"), !has("multiple"), displaySize <= 1, let first = options.first, first.parent == self,
            first.optionValue.isEmpty
        else { return nil }
        return first
    }
}
