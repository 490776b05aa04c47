import Encodings
import Selectors

/// The rules of a `style` element that show or hide elements (CSS Syntax Level 3, section 5; CSS Cascade Level 4, section
/// 6). All other declarations are skipped, and so is a rule whose selector this module does not know, as browsers skip it.
struct StyleSheet {
    /// The effect of a declaration on an element.
    enum Effect: Hashable {
        case display(isShown: Bool)
        case visibility(isShown: Bool)

        var isShown: Bool {
            switch self {
            case .display(let isShown), .visibility(let isShown): isShown
            }
        }

        /// True if both set the same property.
        func sets(sameAs other: Effect) -> Bool {
            switch (self, other) {
            case (.display, .display), (.visibility, .visibility): true
            default: false
            }
        }
    }

    struct Declaration {
        let effect: Effect
        let isImportant: Bool
    }

    struct Rule {
        let selector: ComplexSelector
        let declaration: Declaration
    }

    /// In the order of the sheet.
    private(set) var rules: [Rule] = []

    /// Rules beyond this number are not read: a page of a bank has some dozen.
    private static let mostRules = 2000
    private static let deepest = 8

    /// - Parameter text: the content of a `style` element.
    init(_ text: String) {
        var reader = StyleReader(text)
        read(&reader, depth: 0)
    }

    /// Reads the rules of a sheet or of a block in it.
    private mutating func read(_ reader: inout StyleReader, depth: Int) {
        while rules.count < Self.mostRules, let part = reader.next() {
            switch part {
            case .statement: continue
            case .end: return
            case .block(let prelude):
                guard prelude.first == "@" else {
                    let body = reader.body()
                    add(Self.declarations(in: body), of: prelude)
                    continue
                }
                let words = prelude.dropFirst().split(maxSplits: 1) { $0.isWhitespace || $0 == "(" }
                let condition = prelude.dropFirst(1 + (words.first?.count ?? 0))
                let applies: Bool
                switch words.first?.lowercased() {
                case "media": applies = MediaQuery.holds(String(condition))
                case "supports", "layer": applies = true
                default: applies = false
                }
                if applies, depth < Self.deepest {
                    read(&reader, depth: depth + 1)
                } else {
                    _ = reader.body()
                }
            }
        }
    }

    private mutating func add(_ declarations: [Declaration], of prelude: Substring) {
        guard !declarations.isEmpty, let list = try? SelectorList(parsing: String(prelude)) else { return }
        // A relation to what comes after an element would be looked for again and again.
        for selector in list.selectors where !selector.looksAhead {
            for declaration in declarations { rules.append(Rule(selector: selector, declaration: declaration)) }
        }
    }

    /// Reads the declarations of `display` and `visibility` in a rule or in a `style` attribute.
    static func declarations(in body: some StringProtocol) -> [Declaration] {
        body.split(separator: ";").compactMap { text in
            let sides = text.split(separator: ":", maxSplits: 1)
            guard sides.count == 2 else { return nil }
            var value = sides[1].lowercased().filter { !$0.isWhitespace }
            let isImportant = value.hasSuffix("!important")
            if isImportant { value.removeLast("!important".count) }
            let effect: Effect
            switch sides[0].lowercased().filter({ !$0.isWhitespace }) {
            case "display": effect = .display(isShown: value != "none")
            case "visibility": effect = .visibility(isShown: value != "hidden" && value != "collapse")
            default: return nil
            }
            return Declaration(effect: effect, isImportant: isImportant)
        }
    }
}

extension ComplexSelector {
    fileprivate var looksAhead: Bool {
        parts.contains { part in
            part.compound.simple.contains { simple in
                switch simple {
                case .has: true
                case .is(let list), .not(let list): list.selectors.contains(where: \.looksAhead)
                default: false
                }
            }
        }
    }
}

/// Cuts a style sheet into preludes and blocks.
private struct StyleReader {
    enum Part {
        /// A text that ends in a semicolon, such as `@import`.
        case statement
        /// The text before a brace. The block's content comes next.
        case block(Substring)
        /// The brace that ends the block around it.
        case end
    }

    private let text: String
    private var place: String.Index

    /// - Parameter text: a sheet. Its comments are dropped, and so are the marks of a comment of HTML around it.
    init(_ text: String) {
        self.text = Self.withoutComments(text)
        place = self.text.startIndex
    }

    private static func withoutComments(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let start = rest.firstRange(of: "/*") {
            result += rest[..<start.lowerBound] + " "
            rest = rest[start.upperBound...].firstRange(of: "*/").map { rest[$0.upperBound...] } ?? ""
        }
        result += rest
        return result.replacing("<!--", with: " ").replacing("-->", with: " ")
    }

    /// Returns the next part; nil at the end of the sheet.
    mutating func next() -> Part? {
        let start = place
        var quote: Character?
        while place < text.endIndex {
            let character = text[place]
            place = text.index(after: place)
            if let open = quote {
                if character == open { quote = nil }
                continue
            }
            switch character {
            case "\"", "'": quote = character
            case ";": return .statement
            case "}": return .end
            case "{":
                let prelude = text[start..<text.index(before: place)]
                let words = prelude.drop { $0.isWhitespace }
                return .block(words)
            default: break
            }
        }
        return nil
    }

    /// Returns the declarations of the block that has begun, without the rules nested in it.
    mutating func body() -> String {
        var declarations = ""
        var start = place
        var depth = 0
        var quote: Character?
        while place < text.endIndex {
            let character = text[place]
            let here = place
            place = text.index(after: place)
            if let open = quote {
                if character == open { quote = nil }
                continue
            }
            switch character {
            case "\"", "'": quote = character
            case "{":
                // The declarations before a nested rule's selector count; the selector itself does not.
                if depth == 0, let end = text[start..<here].lastIndex(of: ";") { declarations += text[start...end] }
                depth += 1
            case "}":
                if depth == 0 { return declarations + text[start..<here] }
                depth -= 1
                if depth == 0 { start = place }
            default: break
            }
        }
        return declarations + (depth == 0 ? text[start...] : "")
    }
}
