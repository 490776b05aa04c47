/// A text with placeholders: `{{ name }}`, `{{ name.property }}`, `{{ name | filter: argument }}`.
///
/// Names are parameters and captures. Credentials are not available: a secret goes into a field, never into a text.
/// The text is parsed once. An invalid one throws an error with its column when it is used or linted.
public struct Template: Sendable, Hashable, ExpressibleByStringInterpolation, CustomStringConvertible {
    public let source: String
    /// Nil if the text contains no braces.
    private let parsed: Result<[Part], TemplateError>?

    public init(_ source: String) {
        self.source = source
        let hasPlaces = source.utf8.contains { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") }
        parsed = hasPlaces ? Result { () throws(TemplateError) in try Self.parts(of: source) } : nil
    }

    public init(stringLiteral value: String) {
        self.init(value)
    }

    public static func == (left: Template, right: Template) -> Bool { left.source == right.source }

    public func hash(into hasher: inout Hasher) { hasher.combine(source) }

    public var description: String { source }

    public enum Part: Sendable, Hashable {
        case text(String)
        case placeholder(Placeholder)
    }

    /// The text between `{{` and `}}`, parsed.
    public struct Placeholder: Sendable, Hashable {
        public var name: String
        public var filters: [Filter]
        /// The position of its first character, counted from 1.
        public var column: Int
    }

    public struct Filter: Sendable, Hashable {
        public var name: String
        public var argument: String?
    }

    /// Returns the parts of the text.
    ///
    /// - Throws: ``TemplateError`` for an unclosed brace, or an empty or malformed placeholder.
    public func parts() throws(TemplateError) -> [Part] {
        if let parsed { return try parsed.get() }
        return source.isEmpty ? [] : [.text(source)]
    }

    private static func parts(of source: String) throws(TemplateError) -> [Part] {
        var parts: [Part] = []
        var rest = Substring(source)
        while let open = rest.firstRange(ofTwo: UInt8(ascii: "{")) {
            if open.lowerBound > rest.startIndex {
                parts.append(.text(String(rest[..<open.lowerBound])))
            }
            let column = source.distance(from: source.startIndex, to: open.lowerBound) + 1
            guard let close = rest[open.upperBound...].firstRange(ofTwo: UInt8(ascii: "}")) else {
                throw TemplateError(template: source, column: column, message: "“{{” is not closed; end it with “}}”")
            }
            let inside = rest[open.upperBound..<close.lowerBound]
            parts.append(.placeholder(try placeholder(inside, column: column, of: source)))
            rest = rest[close.upperBound...]
        }
        if let stray = rest.firstRange(ofTwo: UInt8(ascii: "}")) {
            let column = source.distance(from: source.startIndex, to: stray.lowerBound) + 1
            throw TemplateError(template: source, column: column, message: "“}}” has no “{{” before it")
        }
        if !rest.isEmpty { parts.append(.text(String(rest))) }
        return parts
    }

    /// True if the text may contain placeholders or errors.
    package var hasPlaces: Bool { parsed != nil }

    /// The names that the template uses; empty if it cannot be parsed.
    public var names: [String] {
        ((try? parts()) ?? []).compactMap {
            if case .placeholder(let placeholder) = $0 { placeholder.name } else { nil }
        }
    }

    private static func placeholder(
        _ text: Substring, column: Int, of source: String
    ) throws(TemplateError) -> Placeholder {
        var pieces = text.pieces(between: "|").map(\.trimmed)
        var path = Substring(pieces.removeFirst()).pieces(between: ".").map(String.init)
        let name = path.removeFirst()
        guard name.isIdentifier, path.allSatisfy(\.isIdentifier) else {
            throw TemplateError(
                template: source, column: column,
                message: text.contains("}")
                    ? "the “{{” has only one “}” after it; close it with “}}”"
                    : "“{{\(text)}}” does not begin with a name; write a placeholder such as “{{ year }}”")
        }
        var filters = path.map { Filter(name: $0, argument: nil) }
        for piece in pieces {
            let halves = piece.split(separator: ":", maxSplits: 1).map { Substring($0).trimmed }
            guard let filter = halves.first, !filter.isEmpty else {
                throw TemplateError(template: source, column: column, message: "a filter is missing after “|”")
            }
            filters.append(Filter(name: filter, argument: halves.dropFirst().first.map(unquoted)))
        }
        return Placeholder(name: name, filters: filters, column: column)
    }

    private static func unquoted(_ text: String) -> String {
        guard text.count >= 2, let quote = text.first, quote == "\"" || quote == "'", text.last == quote else {
            return text
        }
        return String(text.dropFirst().dropLast())
    }
}

/// The content of a field.
///
/// A string literal is a ``Template``: `"{{ year }}"` is the year. A credential is given by name, never by value.
public enum Value: Sendable, Hashable, ExpressibleByStringInterpolation {
    case template(Template)
    /// One of the person's credentials for this bank. It stays a secret from the vault to the form field.
    case credential(String)
    /// A capture. A secret capture stays a secret.
    case captured(String)
    /// A text of digits that becomes a number; only in a JSON body.
    case number(Template)
    /// One character of a credential: the one whose position the field's label names as `{{ position }}`. Only in a
    /// `fill` step.
    case character(of: String)

    public init(stringLiteral value: String) {
        self = .template(Template(stringLiteral: value))
    }

    public static let username = Value.credential("username")
    public static let password = Value.credential("password")
}

/// A template that cannot be parsed or filled in.
public struct TemplateError: Error, Sendable, Hashable, CustomStringConvertible {
    public let template: String
    /// The position in the template in characters, counted from 1.
    public let column: Int
    public let message: String

    public init(template: String, column: Int, message: String) {
        self.template = template
        self.column = column
        self.message = message
    }

    public var description: String { "template “\(template)”, column \(column): \(message)" }
}

extension Substring {
    /// Returns the first place where an ASCII character occurs twice in a row.
    fileprivate func firstRange(ofTwo byte: UInt8) -> Range<Index>? {
        var place = utf8.startIndex
        while let first = utf8[place...].firstIndex(of: byte) {
            place = utf8.index(after: first)
            if place < utf8.endIndex, utf8[place] == byte { return first..<utf8.index(after: place) }
        }
        return nil
    }

    /// Splits at the separator and keeps empty pieces.
    fileprivate func pieces(between separator: Unicode.Scalar) -> [Substring] {
        utf8.split(separator: UInt8(ascii: separator), omittingEmptySubsequences: false).map(Substring.init)
    }

    var trimmed: String {
        guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace })
        else {
            return ""
        }
        return String(self[first...last])
    }
}

extension String {
    package var isIdentifier: Bool {
        // Check bytes first: nearly all names are ASCII, and reading characters is slow.
        if let first = utf8.first, first.isLetterOrUnderscore, utf8.dropFirst().allSatisfy(\.isPlain) { return true }
        guard let first, first.isLetter || first == "_" else { return false }
        return allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
    }
}

extension UInt8 {
    fileprivate var isLetterOrUnderscore: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): true
        default: false
        }
    }

    fileprivate var isPlain: Bool {
        isLetterOrUnderscore || self == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
    }
}
