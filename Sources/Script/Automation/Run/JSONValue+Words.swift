import BankScript
import Encodings

extension JSONValue {
    /// The answer's message to a person; nil when it has none. Such a text usually has one of a few names (RFC 9457's
    /// `detail` and `title`, OAuth's `error_description`, and `message`).
    var ownWords: String? { words(depth: 0) }

    private func words(depth: Int) -> String? {
        switch self {
        case .string(let text): return depth == 0 || text.contains(" ") ? text : nil
        case .object(let members) where depth < 3:
            for name in ["message", "detail", "error_description", "description", "text", "title", "ErrorMessage"] {
                if case .string(let text) = members[name], !text.isEmpty { return text }
            }
            for name in ["error", "errors", "notice", "problem"] {
                if let words = members[name]?.words(depth: depth + 1) { return words }
            }
            return nil
        case .array(let items) where depth < 3:
            return items.lazy.compactMap { $0.words(depth: depth + 1) }.first
        default: return nil
        }
    }

    /// Returns the answer's paths with their kinds, the most similar first, and never a value.
    func paths(nearestTo path: String, atMost count: Int = 6) -> [String] {
        paths.map { ($0, editDistance($0.path, path)) }.sorted { $0.1 < $1.1 }.prefix(count)
            .map { "\($0.0.path) (\($0.0.kind))" }
    }

    /// The paths to the parts of the value, five levels deep, with their kinds.
    package var paths: [(path: String, kind: String)] {
        var seen: Set<String> = []
        var found: [(path: String, kind: String)] = []
        func walk(_ value: JSONValue, _ place: String, depth: Int) {
            guard depth < 5, found.count < 200 else { return }
            if depth > 0, seen.insert(place).inserted { found.append((place, value.kind)) }
            switch value {
            case .object(let members):
                for name in members.keys.sorted() {
                    let isPlain = name.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) != nil
                    walk(members[name] ?? .null, isPlain ? "\(place).\(name)" : "\(place)['\(name)']", depth: depth + 1)
                }
            case .array(let items):
                for item in items.prefix(3) { walk(item, "\(place)[*]", depth: depth + 1) }
            default: break
            }
        }
        walk(self, "$", depth: 0)
        return found
    }

    private var kind: String {
        switch self {
        case .string: "text"
        case .number: "number"
        case .bool: "true or false"
        case .null: "null"
        case .array(let items): "\(items.count) items"
        case .object: "an object"
        }
    }
}
