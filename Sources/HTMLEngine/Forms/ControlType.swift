import CLibXML2
import TextMatching

/// What a form control is: an `input` by its `type` (HTML Standard, section 4.10.5), or the element itself.
enum ControlType: UInt8, CaseIterable {
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
    var name: String { Self.names[Int(rawValue)] }

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
    var isButton: Bool { isSubmitButton || self == .reset || self == .button }

    var isSubmitButton: Bool { self == .submit || self == .image }

    /// A person types into it, or picks from something that fills it in with text.
    var isTypable: Bool {
        switch self {
        case .text, .search, .tel, .url, .email, .password, .date, .month, .week, .time, .localDateTime, .number,
            .range, .color, .textarea:
            true
        default: false
        }
    }

    var isSingleLine: Bool { isTypable && self != .textarea }

    /// `maxlength`, `minlength` and `pattern` apply (section 4.10.5.1.1 and following).
    var hasLength: Bool {
        switch self {
        case .text, .search, .tel, .url, .email, .password, .textarea: true
        default: false
        }
    }

    /// `readonly` applies.
    var canBeReadOnly: Bool { hasLength || [.date, .month, .week, .time, .localDateTime, .number].contains(self) }

    /// `required` applies.
    var canBeRequired: Bool { canBeReadOnly || [.checkbox, .radio, .file, .select].contains(self) }

    /// An "auto-directionality form-associated element" (section 3.2.6.4), which `dirname` speaks for.
    var hasDirection: Bool {
        switch self {
        case .hidden, .text, .search, .tel, .url, .email, .password, .submit, .reset, .button, .textarea: true
        default: false
        }
    }

    /// What to do with it instead of typing.
    var advice: String {
        switch self {
        case .select: "use choose for a list"
        case .radio: "use choose or check for a radio button"
        case .checkbox: "use check for a box"
        case .file: "this engine uploads no files"
        case .hidden: "a person cannot see it; its value is the page’s own"
        case .submit, .image, .reset, .button: "use press for a button"
        default: "name the field itself"
        }
    }
}

extension Element {
    var controlType: ControlType { node.controlType }
    var isSubmitButton: Bool { controlType.isSubmitButton }
}
