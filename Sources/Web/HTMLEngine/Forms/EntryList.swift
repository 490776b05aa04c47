import Foundation
import Markup
import Secrets

/// The place where an image button is pressed, in CSS pixels from its upper left corner. The form submits it.
public struct ImagePoint: Sendable, Hashable {
    public var x: Int
    public var y: Int

    /// The place that the keyboard presses.
    public static let corner = ImagePoint(x: 0, y: 0)

    public init(x: Int, y: Int) {
        self.x = x
        self.y = y
    }
}

/// A form's entry list, constructed as the HTML Standard says (section 4.10.21.4).
struct EntryList {
    struct Entry {
        var name: String
        var value: Value
    }

    enum Value {
        case input(Input)
        /// A file's name and content. An empty file field submits one without either.
        case file(name: String, content: [UInt8])

        static func text(_ text: String) -> Value { .input(.text(text)) }
    }

    private(set) var entries: [Entry] = []

    init(_ entries: [Entry]) {
        self.entries = entries
    }

    init(
        of form: Element, submitter: Element?, at point: ImagePoint = .corner, state: FormState,
        encoding: CharacterEncoding
    ) {
        for control in form.ownedControls {
            if control == submitter, control.controlType == .image {
                if !control.isDisabled { add(image: control, at: point) }
            } else {
                add(control, submitter: submitter, state: state, encoding: encoding)
            }
        }
    }

    var holdsSecret: Bool {
        entries.contains { if case .input(.secret(let secret)) = $0.value { !secret.isEmpty } else { false } }
    }

    private mutating func add(
        _ control: Element, submitter: Element?, state: FormState, encoding: CharacterEncoding
    ) {
        let type = control.controlType
        if control.isDisabled || control.ancestors.contains(where: { $0.tag == .datalist }) { return }
        if type.isButton, control != submitter || type == .image { return }
        if type == .checkbox || type == .radio, !state.isChecked(control) { return }
        let name = control[attribute: "name"] ?? ""
        guard !name.isEmpty else { return }
        switch type {
        case .select:
            for option in state.selectedOptions(of: control) where !option.isDisabled {
                let value = option.optionValue
                append(name, .input(state.isSecret(control) ? .secret(Secret(value)) : .text(value)))
            }
        case .checkbox, .radio: append(name, .text(control[attribute: "value"] ?? "on"))
        case .file: append(name, .file(name: "", content: []))
        case .hidden where name.lowercased() == "_charset_": append(name, .text(encoding.outputName))
        default: append(name, .input(Self.value(of: control, state)))
        }
        if let direction = control[attribute: "dirname"], !direction.isEmpty, type.hasDirection {
            append(direction, .text(control.direction(of: state.value(of: control))))
        }
    }

    private mutating func add(image button: Element, at point: ImagePoint) {
        let name = button[attribute: "name"] ?? ""
        let prefix = name.isEmpty ? "" : name + "."
        append(prefix + "x", .text(String(point.x)))
        append(prefix + "y", .text(String(point.y)))
    }

    private mutating func append(_ name: String, _ value: Value) {
        entries.append(Entry(name: name, value: value))
    }

    private static func value(of control: Element, _ state: FormState) -> Input {
        let value = state.value(of: control)
        guard case .text(let text) = value, control.tag == .textarea, control[attribute: "wrap"]?.lowercased() == "hard"
        else { return value }
        return .text(text.wrapped(at: max(1, Int(control[attribute: "cols"] ?? "") ?? 20)))
    }
}

extension Element {
    /// "ltr" or "rtl" (section 3.2.6.4).
    fileprivate func direction(of value: Input) -> String {
        guard let holder = holderOfDirection else { return "ltr" }
        switch holder[attribute: "dir"]?.lowercased() {
        case "rtl": return "rtl"
        case "auto": return (holder == self ? value.revealed : holder.rawText).isRightToLeft ? "rtl" : "ltr"
        default: return "ltr"
        }
    }

    private var holderOfDirection: Element? {
        func isValid(_ element: Element) -> Bool {
            ["ltr", "rtl", "auto"].contains(element[attribute: "dir"]?.lowercased() ?? "")
        }
        // A telephone number is written from left to right everywhere.
        if isValid(self) || controlType == .tel { return isValid(self) ? self : nil }
        return ancestors.first(where: isValid)
    }
}

extension String {
    /// True if its first letter with a direction is written from right to left.
    fileprivate var isRightToLeft: Bool {
        for scalar in unicodeScalars where scalar.properties.isAlphabetic {
            switch scalar.value {
            case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF: return true
            default: return false
            }
        }
        return false
    }

    /// The text broken into lines of a limited length, as `wrap=hard` requires.
    fileprivate func wrapped(at columns: Int) -> String {
        var result = ""
        var column = 0
        for character in self {
            if character == "\n" {
                column = -1
            } else if column == columns {
                result.append("\n")
                column = 0
            }
            result.append(character)
            column += 1
        }
        return result
    }
}
