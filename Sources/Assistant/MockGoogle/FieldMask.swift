import Encodings

/// A mask of the fields of an answer, as Google's `fields` parameter writes it: `items(id,start),nextPageToken`, with
/// `a/b` for `a(b)`.
struct FieldMask {
    private indirect enum Node {
        case all
        case some([String: Node])
    }

    private let root: Node

    /// Returns nil for a mask that cannot be read.
    init?(_ text: String) {
        var rest = Substring(text)
        guard let root = Self.list(&rest), rest.isEmpty else { return nil }
        self.root = root
    }

    func applied(to json: JSONValue) -> JSONValue { Self.apply(root, json) }

    private static func apply(_ node: Node, _ json: JSONValue) -> JSONValue {
        guard case .some(let members) = node else { return json }
        switch json {
        case .array(let items): return .array(items.map { apply(node, $0) })
        case .object(let object):
            var kept: [String: JSONValue] = [:]
            for (name, child) in members { kept[name] = object[name].map { apply(child, $0) } }
            return .object(kept)
        default: return json
        }
    }

    private static func list(_ rest: inout Substring) -> Node? {
        var members: [String: Node] = [:]
        repeat {
            if rest.first == "," { rest.removeFirst() }
            let name = rest.prefix { $0.isLetter || $0.isNumber }
            guard !name.isEmpty else { return nil }
            rest.removeFirst(name.count)
            guard let child = child(&rest) else { return nil }
            members[String(name)] = child
        } while rest.first == ","
        return .some(members)
    }

    private static func child(_ rest: inout Substring) -> Node? {
        switch rest.first {
        case "(":
            rest.removeFirst()
            guard let node = list(&rest), rest.first == ")" else { return nil }
            rest.removeFirst()
            return node
        case "/":
            rest.removeFirst()
            let name = rest.prefix { $0.isLetter || $0.isNumber }
            guard !name.isEmpty else { return nil }
            rest.removeFirst(name.count)
            return child(&rest).map { .some([String(name): $0]) }
        default: return .all
        }
    }
}
