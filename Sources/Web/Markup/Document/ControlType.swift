import CLibXML2
import Encodings

/// The kind of a form control: an `input` by its `type` (HTML Standard, section 4.10.5), or the element itself.
package enum ControlType: UInt8, CaseIterable {
    /// Not a control.
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

    /// The standard's name for it.
    package var name: String { Self.names[Int(rawValue)] }

    private static let ofInputs = Dictionary(
        uniqueKeysWithValues: allCases.filter { ![.none, .select, .textarea].contains($0) }.map { ($0.name, $0) })

    /// - Parameter type: the attribute's value, ended by a NUL.
    init(of tag: Tag, _ type: UnsafePointer<xmlChar>?) {
        let type = type.map { String(cString: $0).loweringCase }
        switch tag {
        // An unknown type means a text field.
        case .input: self = type.flatMap { Self.ofInputs[$0] } ?? .text
        case .button: self = type == "button" ? .button : type == "reset" ? .reset : .submit
        case .select: self = .select
        case .textarea: self = .textarea
        default: self = .none
        }
    }

    /// True if it is a button in the sense of form submission (section 4.10.2).
    package var isButton: Bool { isSubmitButton || self == .reset || self == .button }

    package var isSubmitButton: Bool { self == .submit || self == .image }

    /// True if a person types into it, or picks a value that fills in text.
    package var isTypable: Bool {
        switch self {
        case .text, .search, .tel, .url, .email, .password, .date, .month, .week, .time, .localDateTime, .number,
            .range, .color, .textarea:
            true
        default: false
        }
    }

    package var isSingleLine: Bool { isTypable && self != .textarea }

    /// True if `maxlength`, `minlength` and `pattern` apply (section 4.10.5.1.1 and following).
    package var hasLength: Bool {
        switch self {
        case .text, .search, .tel, .url, .email, .password, .textarea: true
        default: false
        }
    }

    /// True if `readonly` applies.
    package var canBeReadOnly: Bool {
        hasLength || [.date, .month, .week, .time, .localDateTime, .number].contains(self)
    }

    /// True if `required` applies.
    package var canBeRequired: Bool { canBeReadOnly || [.checkbox, .radio, .file, .select].contains(self) }

    /// True if it is an "auto-directionality form-associated element" (section 3.2.6.4), whose direction `dirname`
    /// submits.
    package var hasDirection: Bool {
        switch self {
        case .hidden, .text, .search, .tel, .url, .email, .password, .submit, .reset, .button, .textarea: true
        default: false
        }
    }
}
