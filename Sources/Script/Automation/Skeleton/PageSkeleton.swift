import Encodings

/// A bank's own part of a page: the kinds and the names of its links, buttons and fields, in order.
///
/// It is made to be kept and compared with a later visit, so an engine puts nothing of a person's into it: no rows of tables and
/// lists, no values, no addresses, and of each name only the words that every bank uses or that the script itself names.
public struct PageSkeleton: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case link, button, field
    }

    /// A link, a button or a field.
    public struct Part: Sendable, Hashable {
        public var kind: Kind
        /// With `…` in place of words that are not kept.
        public var name: String
        /// The script names it.
        public var isUsed: Bool
        /// The script turns the pages of a list with it. The last page of a list does not have it.
        public var turnsPages: Bool

        public init(_ kind: Kind, _ name: String, isUsed: Bool = false, turnsPages: Bool = false) {
            self.kind = kind
            self.name = name
            self.isUsed = isUsed
            self.turnsPages = turnsPages
        }

        /// Such as `link “Statements”`.
        public var words: String { "\(kind.rawValue) “\(name)”" }
    }

    public var title: String
    public var parts: [Part]

    /// The most parts that are kept of a page.
    public static let mostParts = 300

    public init(title: String, parts: [Part]) {
        self.title = title
        self.parts = Array(parts.prefix(Self.mostParts))
    }

    /// Returns a name in the form in which names are compared.
    package static func folded(_ name: String) -> String { name.inLine(limit: 200).lowercased() }
}

extension PageSkeleton {
    package var json: JSONValue {
        [
            "title": .string(title),
            "parts": .array(
                parts.map { part in
                    var members: [String: JSONValue] = [
                        "kind": .string(part.kind.rawValue), "name": .string(part.name),
                    ]
                    if part.isUsed { members["used"] = true }
                    if part.turnsPages { members["turns_pages"] = true }
                    return .object(members)
                }),
        ]
    }

    /// Reads what ``json`` wrote; nil for anything else.
    package init?(_ json: JSONValue) {
        guard let title = json["title"]?.stringValue, let list = json["parts"]?.arrayValue else { return nil }
        var parts: [Part] = []
        for item in list {
            guard let kind = item["kind"]?.stringValue.flatMap(Kind.init(rawValue:)),
                let name = item["name"]?.stringValue
            else { return nil }
            parts.append(
                Part(
                    kind, name, isUsed: item["used"]?.boolValue ?? false,
                    turnsPages: item["turns_pages"]?.boolValue ?? false))
        }
        self.init(title: title, parts: parts)
    }
}
