import DOM
import Secrets
import TextMatching

/// A rule of a field that a value breaks, whatever else is on the page. Its description is the end of a sentence about the
/// value that the field wants: “The code must have at most 6 characters”.
package enum FieldRule: Sendable, Hashable, CustomStringConvertible {
    case oneLine
    case atMost(Int)
    case atLeast(Int)
    /// The field takes a number, and no other text.
    case number
    /// The field's pattern takes digits, so many of them; any number when nil.
    case digits(ClosedRange<Int>?)
    case otherForm

    package var description: String {
        switch self {
        case .oneLine: "must be on one line"
        case .atMost(let most): "must have at most \(most) \(most == 1 ? "character" : "characters")"
        case .atLeast(let least): "must have at least \(least) \(least == 1 ? "character" : "characters")"
        case .number: "must be a number"
        case .digits(nil): "must have digits only"
        case .digits(let count?) where count.count == 1:
            count.lowerBound == 1 ? "must be one digit" : "must have \(count.lowerBound) digits"
        case .digits(let count?): "must have \(count.lowerBound) to \(count.upperBound) digits"
        case .otherForm: "must have another format"
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
    /// Returns the rule of a field that a value breaks; nil where the field takes the value, or takes none at all.
    package func rule(of field: Element, brokenBy value: Secret) -> FieldRule? {
        FormState.rule(of: field, brokenBy: value.revealed().lineFeeds)
    }
}

extension FormState {
    /// The checks of ``fill(_:with:)`` and of constraint validation that concern one field and its value alone.
    static func rule(of field: Element, brokenBy text: String) -> FieldRule? {
        let type = field.controlType
        guard type.isTypable, !text.isEmpty else { return nil }
        if type.isSingleLine, text.utf8.contains(0x0A) { return .oneLine }
        if let most = field.mostCharacters, text.utf16.count > most { return .atMost(most) }
        if !type.isWellFormed(text) { return type == .number || type == .range ? .number : .otherForm }
        // A browser checks the rest when a button submits the field's form, and not for every form and button.
        guard let form = field.formOwner, !form.has("novalidate"),
            form.ownedControls.first(where: \.isSubmitButton)?.has("formnovalidate") != true
        else { return nil }
        if let least = field.fewestCharacters, text.utf16.count < least { return .atLeast(least) }
        var time = MatchingTime()
        if let pattern = field.valuePattern, !fits(text, pattern, &time) {
            return FieldRule(digitsOf: pattern) ?? .otherForm
        }
        return nil
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
