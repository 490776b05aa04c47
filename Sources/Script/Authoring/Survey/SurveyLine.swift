/// A line of a survey: the kind of an element, its text, and further details.
public struct SurveyLine: Sendable, Hashable {
    /// 0 for a page, 1 for an element of it, 2 for a part of that element.
    public var depth: Int
    public var kind: String
    public var text: String?
    /// The details in writing order; a flag has no value.
    public var details: [Detail]

    public struct Detail: Sendable, Hashable {
        public var name: String
        public var value: String?
    }

    init(_ depth: Int, _ kind: String, _ text: String? = nil, _ details: [(String, String?)] = []) {
        self.depth = depth
        self.kind = kind
        self.text = text
        self.details = details.map { Detail(name: $0.0, value: $0.1) }
    }

    subscript(name: String) -> String? { details.first { $0.name == name }?.value }

    func has(_ name: String) -> Bool { details.contains { $0.name == name } }
}

extension SurveyLine: CustomStringConvertible {
    /// `    field "Username" type=text name=username required`
    public var description: String {
        var words = [kind]
        if let text { words.append(Self.quoted(text)) }
        words += details.map { detail in
            let name = Self.plain(detail.name)
            return detail.value.map { value in
                let value = Self.plain(value)
                return "\(name)=" + (value.contains { $0 == " " || $0 == "=" } ? Self.quoted(value) : value)
            } ?? name
        }
        return String(repeating: "  ", count: depth) + words.joined(separator: " ")
    }

    private static func quoted(_ text: String) -> String { "\"" + plain(text) + "\"" }

    /// Replaces quotation marks, which would end a quoted text.
    private static func plain(_ text: String) -> String { text.escaping(["\"": "”"]) }

    /// Reads a line; nil for an empty one.
    init?(reading line: some StringProtocol) {
        let spaces = line.prefix { $0 == " " }.count
        var rest = Substring(line).drop { $0 == " " }
        let kind = rest.prefix { $0 != " " }
        guard !kind.isEmpty else { return nil }
        rest = rest.dropFirst(kind.count).drop { $0 == " " }
        var text: String?
        if rest.first == "\"" { text = Self.quotedText(&rest) }
        var details: [(String, String?)] = []
        while !rest.isEmpty {
            let name = rest.prefix { $0 != " " && $0 != "=" }
            rest = rest.dropFirst(name.count)
            guard rest.first == "=" else {
                if !name.isEmpty { details.append((String(name), nil)) }
                rest = rest.drop { $0 == " " }
                continue
            }
            rest = rest.dropFirst()
            if rest.first == "\"" {
                details.append((String(name), Self.quotedText(&rest)))
            } else {
                let value = rest.prefix { $0 != " " }
                details.append((String(name), String(value)))
                rest = rest.dropFirst(value.count).drop { $0 == " " }
            }
        }
        self.init(spaces / 2, String(kind), text, details)
    }

    private static func quotedText(_ rest: inout Substring) -> String {
        let text = rest.dropFirst().prefix { $0 != "\"" }
        rest = rest.dropFirst(text.count + 2).drop { $0 == " " }
        return String(text)
    }
}
