import Encodings
import Markup
import Secrets

/// A limit of a form's field on its value. Its description follows the name of what breaks it, such as in “The code must have
/// at most 6 characters”.
package enum FieldRule: Sendable, Hashable, CustomStringConvertible {
    case oneLine
    case atMost(Int)
    case atLeast(Int)
    /// The field's type takes one kind of value, such as “a date such as 2026-01-31”.
    case kind(String)
    /// The field's pattern takes digits only, and so many of them; any number of them when nil.
    case digits(ClosedRange<Int>?)
    /// The field has another pattern.
    case otherFormat

    package var description: String {
        switch self {
        case .oneLine: "must be on one line"
        case .atMost(let most): "must have at most \(most.counted("character"))"
        case .atLeast(let least): "must have at least \(least.counted("character"))"
        case .kind(let kind): "must be \(kind)"
        case .digits(nil): "must have digits only"
        case .digits(let count?) where count.count == 1:
            count.lowerBound == 1 ? "must be one digit" : "must have \(count.lowerBound) digits"
        case .digits(let count?): "must have \(count.lowerBound) to \(count.upperBound) digits"
        case .otherFormat: "must have another format"
        }
    }

    /// Reads a pattern of digits alone, such as `\d{6}` or `[0-9]+`; nil for any other pattern.
    init?(digitsOf pattern: String) {
        guard let match = pattern.wholeMatch(of: /\^?(?:\\d|\[0-9\]|\[\\d\])(?:[*+]|\{(\d{1,3})(?:,(\d{1,3}))?\})\$?/)
        else {
            return nil
        }
        guard let least = match.1.flatMap({ Int($0) }) else {
            self = .digits(nil)
            return
        }
        let most = match.2.flatMap { Int($0) } ?? least
        guard least > 0, least <= most else { return nil }
        self = .digits(least...most)
    }
}

extension Page {
    /// Returns the rule that a value breaks; nil where the field takes the value, or is not one to type into.
    package func rule(of field: Element, brokenBy value: Secret) -> FieldRule? {
        FormState.rule(of: field, brokenBy: value.revealed().lineFeeds)
    }
}

extension FormState {
    /// Returns the first rule that a typed value breaks: one that stops the typing, or one that stops the form.
    static func rule(of field: Element, brokenBy text: String) -> FieldRule? {
        guard field.controlType.isTypable, !text.isEmpty else { return nil }
        if let rule = typingRule(of: field, brokenBy: text) { return rule }
        // A browser checks the others when a button submits the field's form, and not for every form and button.
        guard let form = field.formOwner, !form.has("novalidate"),
            form.ownedControls.first(where: \.isSubmitButton)?.has("formnovalidate") != true
        else { return nil }
        var time = MatchingTime()
        return submissionRule(of: field, brokenBy: text, &time)
    }

    /// Returns the rule that stops a person from typing a text into a field.
    static func typingRule(of field: Element, brokenBy text: String) -> FieldRule? {
        let type = field.controlType
        if type.isSingleLine, text.utf8.contains(0x0A) { return .oneLine }
        if let most = field.mostCharacters, text.utf16.count > most { return .atMost(most) }
        return text.isEmpty || type.isWellFormed(text) ? nil : .kind(type.form)
    }

    /// Returns the first rule that keeps a browser from submitting a form with a text in one of its fields.
    ///
    /// - Parameter isTyped: false for the text that the page came with, which may be shorter than `minlength`.
    static func submissionRule(
        of field: Element, brokenBy text: String, isTyped: Bool = true, _ time: inout MatchingTime
    ) -> FieldRule? {
        if isTyped, let least = field.fewestCharacters, text.utf16.count < least { return .atLeast(least) }
        guard let pattern = field.valuePattern, !fits(text, pattern, &time) else { return nil }
        return FieldRule(digitsOf: pattern) ?? .otherFormat
    }
}

extension Element {
    /// `maxlength` where it applies, in UTF-16 units (HTML Standard, section 4.10.5.3.1).
    var mostCharacters: Int? { length("maxlength") }

    /// `minlength` where it applies, in UTF-16 units.
    var fewestCharacters: Int? { length("minlength") }

    private func length(_ name: String) -> Int? {
        guard controlType.hasLength, let length = Int(self[attribute: name] ?? ""), length >= 0 else { return nil }
        return length
    }

    /// `pattern` where it applies (section 4.10.5.3.6).
    var valuePattern: String? {
        controlType.hasLength && controlType != .textarea ? self[attribute: "pattern"] : nil
    }
}
