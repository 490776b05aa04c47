import CLibXML2
import TextMatching

/// What a form control is: an `input` by its `type` (HTML Standard, section 4.10.5), or the element itself.
package enum ControlType: UInt8, CaseIterable {
    /// No control at all.
    case none
    case text, search, tel, url, email, password
    case date, month, week, time, localDateTime
    case number, range, color, checkbox, radio, file, submit, image, reset, button, hidden
    case select, textarea

    /// In the order of the cases.
    private static let names = [
        "none", "text", "search", "tel", "url", "email", "password", "date", "month", "week", "time", "datetime-local",
        "number", "range", "color", "checkbox", "radio", "file", "submit", "image", "reset", "button", "hidden",
        "select", "textarea",
    ]

    /// As the standard spells it.
    package var name: String { Self.names[Int(rawValue)] }

    private static let ofInputs = Dictionary(
        uniqueKeysWithValues: allCases.filter { ![.none, .select, .textarea].contains($0) }.map { ($0.name, $0) })

    /// - Parameter type: the attribute's value, ended by a NUL.
    init(of tag: Tag, _ type: UnsafePointer<xmlChar>?) {
        let type = type.map { String(cString: $0).loweringCase }
        switch tag {
        // A type that nobody knows is a text field.
        case .input: self = type.flatMap { Self.ofInputs[$0] } ?? .text
        case .button: self = type == "button" ? .button : type == "reset" ? .reset : .submit
        case .select: self = .select
        case .textarea: self = .textarea
        default: self = .none
        }
    }

    /// "A button" in the entry list's sense (section 4.10.2).
    package var isButton: Bool { isSubmitButton || self == .reset || self == .button }

    package var isSubmitButton: Bool { self == .submit || self == .image }

    /// A person types into it, or picks from something that fills it in with text.
    package var isTypable: Bool {
        switch self {
        case .text, .search, .tel, .url, .email, .password, .date, .month, .week, .time, .localDateTime, .number,
            .range, .color, .textarea:
            true
        default: false
        }
    }

    package var isSingleLine: Bool { isTypable && self != .textarea }

    /// `maxlength`, `minlength` and `pattern` apply (section 4.10.5.1.1 and following).
    package var hasLength: Bool {
        switch self {
        case .text, .search, .tel, .url, .email, .password, .textarea: true
        default: false
        }
    }

    /// `readonly` applies.
    package var canBeReadOnly: Bool { hasLength || [.date, .month, .week, .time, .localDateTime, .number].contains(self) }

    /// `required` applies.
    package var canBeRequired: Bool { canBeReadOnly || [.checkbox, .radio, .file, .select].contains(self) }

    /// An "auto-directionality form-associated element" (section 3.2.6.4), which `dirname` speaks for.
    package var hasDirection: Bool {
        switch self {
        case .hidden, .text, .search, .tel, .url, .email, .password, .submit, .reset, .button, .textarea: true
        default: false
        }
    }
}
