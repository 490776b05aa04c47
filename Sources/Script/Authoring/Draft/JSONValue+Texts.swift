import Encodings

extension JSONValue {
    /// A text or a number in a JSON document.
    struct Text {
        var path: String
        /// The name of the member, also of one that is in a list.
        var name: String
        var text: String
        var isNumber: Bool
        /// The paths of the list items around it, the outermost first.
        var items: [String]
    }

    /// The texts and numbers, in the document's order.
    var texts: [Text] {
        var result: [Text] = []
        func walk(_ value: JSONValue, _ path: String, _ name: String, _ items: [String]) {
            switch value {
            case .object(let members):
                for (key, member) in members.sorted(by: { $0.key < $1.key }) {
                    let isPlain =
                        key.first?.isNumber == false
                        && key.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
                    let quoted = key.escaping(["\\": "\\\\", "'": "\\'"])
                    walk(member, isPlain ? "\(path).\(key)" : "\(path)['\(quoted)']", key, items)
                }
            case .array(let list):
                for (index, item) in list.enumerated() {
                    walk(item, "\(path)[\(index)]", name, items + ["\(path)[\(index)]"])
                }
            case .string(let text):
                result.append(Text(path: path, name: name, text: text, isNumber: false, items: items))
            case .number:
                result.append(
                    Text(path: path, name: name, text: value.compactText(), isNumber: true, items: items))
            case .null, .bool: break
            }
        }
        walk(self, "$", "value", [])
        return result
    }
}
