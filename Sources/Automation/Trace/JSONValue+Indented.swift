import JSON

extension JSONValue {
    /// The value on several lines, for the eye.
    func indentedText(margin: String = "") -> String {
        let inner = margin + "  "
        switch self {
        case .array(let items) where !items.isEmpty:
            let lines = items.map { inner + $0.indentedText(margin: inner) }
            return "[\n" + lines.joined(separator: ",\n") + "\n\(margin)]"
        case .object(let members) where !members.isEmpty:
            let lines = members.sorted { $0.key < $1.key }.map { member in
                "\(inner)\(JSONValue.string(member.key).compactText()): \(member.value.indentedText(margin: inner))"
            }
            return "{\n" + lines.joined(separator: ",\n") + "\n\(margin)}"
        default: return compactText()
        }
    }
}
