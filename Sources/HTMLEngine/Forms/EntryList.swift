import Foundation
import Secrets

/// A form's entry list, constructed to the letter of the HTML standard, section 4.10.21.4.
struct EntryList {
    struct Entry {
        var name: String
        var value: String
        var isFile = false
    }

    private(set) var entries: [Entry] = []
    private(set) var holdsSecret = false

    init(of form: Element, submitter: Element?, state: FormState, encoding: CharacterEncoding) {
        let controls = form.document.root?.descendants.filter { $0.isSubmittable && $0.formOwner == form } ?? []
        for control in controls { add(control, submitter: submitter, state: state, encoding: encoding) }
    }

    private mutating func add(
        _ control: Element, submitter: Element?, state: FormState, encoding: CharacterEncoding
    ) {
        if control.ancestors.contains(where: { $0.name == "datalist" }) || control.isDisabled { return }
        let type = control.inputType
        let isButton = control.name == "button" || ["submit", "reset", "button", "image"].contains(type)
        if isButton, control != submitter { return }
        if ["checkbox", "radio"].contains(type), !state.isChecked(control) { return }
        let name = control[attribute: "name"] ?? ""
        if type == "image" {
            let prefix = name.isEmpty ? "" : name + "."
            entries.append(Entry(name: prefix + "x", value: "0"))
            entries.append(Entry(name: prefix + "y", value: "0"))
            return
        }
        guard !name.isEmpty else { return }
        switch type {
        case "select":
            for option in state.selectedOptions(of: control) where !option.isDisabled {
                entries.append(Entry(name: name, value: option.optionValue))
            }
        case "checkbox", "radio":
            entries.append(Entry(name: name, value: control[attribute: "value"] ?? "on"))
        case "file":
            entries.append(Entry(name: name, value: "", isFile: true))
        case "hidden" where name.lowercased() == "_charset_":
            entries.append(Entry(name: name, value: encoding.outputName))
        default:
            entries.append(Entry(name: name, value: text(of: control, state)))
        }
        if let direction = control[attribute: "dirname"], !direction.isEmpty, control.hasDirection {
            entries.append(Entry(name: direction, value: control.direction))
        }
    }

    private mutating func text(of control: Element, _ state: FormState) -> String {
        switch state.value(of: control) {
        case .text(let text): return text
        case .secret(let secret):
            holdsSecret = true
            return secret.revealed()
        }
    }

    // MARK: Encodings (section 4.10.21.6 to 8)

    /// Line breaks are CR LF in what is sent.
    private static func normalised(_ text: String) -> String {
        text.replacing("\r\n", with: "\n").replacing("\r", with: "\n").replacing("\n", with: "\r\n")
    }

    func urlEncoded(_ encoding: CharacterEncoding) -> [UInt8] {
        var result: [UInt8] = []
        for entry in entries {
            if !result.isEmpty { result.append(UInt8(ascii: "&")) }
            Self.append(encoding.encode(Self.normalised(entry.name)), to: &result)
            result.append(UInt8(ascii: "="))
            Self.append(encoding.encode(Self.normalised(entry.value)), to: &result)
        }
        return result
    }

    /// The application/x-www-form-urlencoded serialiser (URL standard, section 5.2).
    private static func append(_ bytes: [UInt8], to result: inout [UInt8]) {
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in bytes {
            switch byte {
            case 0x20: result.append(UInt8(ascii: "+"))
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "*"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"):
                result.append(byte)
            default: result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
    }

    func multipart(_ encoding: CharacterEncoding, boundary: String) -> [UInt8] {
        func quoted(_ text: String) -> [UInt8] {
            let escaped = Self.normalised(text).replacing("\"", with: "%22").replacing("\r\n", with: "%0D%0A")
            return Array("\"".utf8) + encoding.encode(escaped) + Array("\"".utf8)
        }
        var result: [UInt8] = []
        for entry in entries {
            result += Array("--\(boundary)\r\nContent-Disposition: form-data; name=".utf8) + quoted(entry.name)
            if entry.isFile {
                result += Array("; filename=\"\"\r\nContent-Type: application/octet-stream".utf8)
            }
            result += Array("\r\n\r\n".utf8) + encoding.encode(Self.normalised(entry.value)) + Array("\r\n".utf8)
        }
        return result + Array("--\(boundary)--\r\n".utf8)
    }

    func plainText(_ encoding: CharacterEncoding) -> [UInt8] {
        entries.flatMap {
            encoding.encode(Self.normalised($0.name)) + Array("=".utf8) + encoding.encode(Self.normalised($0.value))
                + Array("\r\n".utf8)
        }
    }
}

extension Element {
    fileprivate var isSubmittable: Bool { ["button", "input", "select", "textarea"].contains(name) }

    fileprivate var hasDirection: Bool {
        ["textarea", "text", "search", "hidden", "tel", "url", "email", "password", "submit"].contains(inputType)
    }

    fileprivate var direction: String {
        let holder = has("dir") ? self : ancestors.first { $0.has("dir") }
        return holder?[attribute: "dir"]?.lowercased() == "rtl" ? "rtl" : "ltr"
    }
}

extension CharacterEncoding {
    /// The name of what ``encode(_:)`` makes.
    var outputName: String { name.hasPrefix("UTF-16") ? "UTF-8" : name }
}
