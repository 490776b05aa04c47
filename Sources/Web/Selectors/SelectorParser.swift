/// A parser for CSS Selectors Level 4 (sections 4 and 18). It skips namespaces.
struct SelectorParser {
    private let text: String
    private let scalars: [Unicode.Scalar]
    private var position = 0
    private var depth = 0

    private static let deepest = 16

    init(_ text: String) {
        self.text = text
        scalars = Array(text.unicodeScalars)
    }

    mutating func document() throws(SelectorError) -> SelectorList {
        let list = try list()
        guard position == scalars.count else { throw failure("\(seen) is not expected here") }
        return list
    }

    private mutating func list() throws(SelectorError) -> SelectorList {
        SelectorList(selectors: try complexSelectors(isRelative: false))
    }

    private mutating func complexSelectors(isRelative: Bool) throws(SelectorError) -> [ComplexSelector] {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.deepest else { throw failure("selectors nest deeper than \(Self.deepest) levels") }
        var selectors: [ComplexSelector] = []
        repeat {
            skipSpace()
            selectors.append(try complex(isRelative: isRelative))
            skipSpace()
        } while accept(",")
        return selectors
    }

    private mutating func complex(isRelative: Bool) throws(SelectorError) -> ComplexSelector {
        var parts: [ComplexSelector.Part] = []
        var combinator = ComplexSelector.Combinator.descendant
        if isRelative, let written = combinatorSign() { combinator = written }
        while true {
            skipSpace()
            parts.append(.init(combinator: combinator, compound: try compound()))
            let hadSpace = skipSpace()
            if let written = combinatorSign() {
                combinator = written
            } else if hadSpace, position < scalars.count, peek != ",", peek != ")" {
                combinator = .descendant
            } else {
                return ComplexSelector(parts: parts)
            }
        }
    }

    private mutating func combinatorSign() -> ComplexSelector.Combinator? {
        skipSpace()
        if accept(">") { return .child }
        if accept("+") { return .nextSibling }
        if accept("~") { return .subsequentSibling }
        return nil
    }

    private mutating func compound() throws(SelectorError) -> CompoundSelector {
        var result = CompoundSelector(type: nil, simple: [])
        let start = position
        if accept("*") {
            if accept("|") { try typeAfterNamespace(&result) }
        } else if startsIdentifier {
            result.type = try identifier("an element's name").lowercased()
            if peek == "|", peekNext != "=" {
                position += 1
                result.type = nil
                try typeAfterNamespace(&result)
            }
        } else if peek == "|" {
            position += 1
            try typeAfterNamespace(&result)
        }
        while let next = peek {
            switch next {
            case "#":
                position += 1
                guard position < scalars.count, isNameCharacter(scalars[position]) || scalars[position] == "\\" else {
                    throw failure("an id is missing after “#”")
                }
                result.simple.append(.id(name()))
            case ".":
                position += 1
                result.simple.append(.class(try identifier("a class")))
            case "[": result.simple.append(.attribute(try attribute()))
            case ":": result.simple.append(try pseudoClass())
            default:
                guard position > start else { throw failure("\(seen) where a selector was expected") }
                return result
            }
        }
        guard position > start else { throw failure("a selector is missing") }
        return result
    }

    private mutating func typeAfterNamespace(_ result: inout CompoundSelector) throws(SelectorError) {
        if !accept("*") { result.type = try identifier("an element's name").lowercased() }
    }

    private mutating func attribute() throws(SelectorError) -> AttributeSelector {
        position += 1
        skipSpace()
        if accept("*") || peek == "|" {
            guard accept("|") else { throw failure("\(seen) where “|” was expected") }
        }
        var name = try identifier("an attribute's name")
        if peek == "|", peekNext != "=" {
            position += 1
            name = try identifier("an attribute's name")
        }
        skipSpace()
        var selector = AttributeSelector(name: name.lowercased(), op: .exists, value: "", isCaseSensitive: nil)
        if accept("]") { return selector }
        selector.op = try attributeOperator()
        skipSpace()
        if let quote = peek, quote == "\"" || quote == "'" {
            selector.value = try string()
        } else {
            selector.value = try identifier("a value; put it in quotes unless it is one word")
        }
        if skipSpace() || peek != "]" {
            if accept("i") || accept("I") {
                selector.isCaseSensitive = false
            } else if accept("s") || accept("S") {
                selector.isCaseSensitive = true
            }
            skipSpace()
        }
        guard accept("]") else { throw failure("\(seen) where “]” was expected") }
        return selector
    }

    private mutating func attributeOperator() throws(SelectorError) -> AttributeSelector.Operator {
        let operators: [(Unicode.Scalar, AttributeSelector.Operator)] = [
            ("~", .includes), ("|", .dash), ("^", .prefix), ("$", .suffix), ("*", .substring),
        ]
        for (sign, op) in operators where peek == sign && peekNext == "=" {
            position += 2
            return op
        }
        guard accept("=") else { throw failure("\(seen) where “=” or “]” was expected") }
        return .equals
    }

    // MARK: Pseudo-classes

    private static let functions = [
        "is", "where", "not", "has", "lang", "nth-child", "nth-last-child", "nth-of-type", "nth-last-of-type",
    ]
    private static let positions = ["first-child", "last-child", "first-of-type", "last-of-type"]

    private mutating func pseudoClass() throws(SelectorError) -> SimpleSelector {
        let start = position
        position += 1
        guard peek != ":" else { throw failure("pseudo-elements are not elements, so a selector cannot find them") }
        let name = try identifier("a pseudo-class").lowercased()
        guard accept("(") else {
            if let state = SimpleSelector.State(rawValue: name) { return .state(state) }
            if let nth = Self.nth(named: name) { return .nth(nth) }
            position = start
            throw unknown(name)
        }
        let result = try function(name, from: start)
        skipSpace()
        guard accept(")") else { throw failure("\(seen) where “)” was expected") }
        return result
    }

    private static func nth(named name: String) -> NthSelector? {
        guard positions.contains(name) else { return nil }
        return NthSelector(
            a: 0, b: 1, fromEnd: name.hasPrefix("last"), ofType: name.hasSuffix("of-type"), of: nil)
    }

    private func unknown(_ name: String) -> SelectorError {
        let known = Self.functions.map { $0 + "()" } + Self.positions + SimpleSelector.State.allCases.map(\.rawValue)
        let dynamic = ["hover", "focus", "active", "visited", "target", "focus-within", "focus-visible"]
        if dynamic.contains(name) {
            return failure("“:\(name)” depends on a person at a screen; leave it out")
        }
        let near = known.filter { $0.hasPrefix(name.prefix(3)) }
        return failure(
            "“:\(name)” is not known" + (near.isEmpty ? "" : "; did you mean “:\(near.joined(separator: "” or “:"))”?"))
    }

    private mutating func function(_ name: String, from start: Int) throws(SelectorError) -> SimpleSelector {
        switch name {
        case "is", "where", "matches": return .is(try list())
        case "not": return .not(try list())
        case "has": return .has(try complexSelectors(isRelative: true))
        case "lang":
            skipSpace()
            var ranges: [String] = []
            repeat {
                skipSpace()
                ranges.append(peek == "\"" || peek == "'" ? try string() : try identifier("a language"))
                skipSpace()
            } while accept(",")
            return .lang(ranges)
        case "nth-child", "nth-last-child", "nth-of-type", "nth-last-of-type":
            var nth = try anPlusB()
            nth.fromEnd = name.contains("last")
            nth.ofType = name.hasSuffix("of-type")
            if !nth.ofType, skipSpace(), peek == "o", peekNext == "f" {
                position += 2
                nth.of = try list()
            }
            return .nth(nth)
        default:
            position = start
            throw unknown(name)
        }
    }

    /// CSS Syntax Level 3, section 6.
    private mutating func anPlusB() throws(SelectorError) -> NthSelector {
        skipSpace()
        let start = position
        while let next = peek, next != ")", !(isSpace(next) && followsOf) { position += 1 }
        let written = String(String.UnicodeScalarView(scalars[start..<position]))
            .lowercased().filter { !$0.isWhitespace }
        func nth(_ a: Int, _ b: Int) -> NthSelector { NthSelector(a: a, b: b, fromEnd: false, ofType: false, of: nil) }
        if written == "odd" { return nth(2, 1) }
        if written == "even" { return nth(2, 0) }
        if let match = written.wholeMatch(of: /([+-]?\d*)n([+-]\d+)?/) {
            let a = match.1.isEmpty || match.1 == "+" ? 1 : match.1 == "-" ? -1 : Int(match.1)
            let b = match.2.map { Int($0) } ?? 0
            if let a, let b { return nth(a, b) }
        }
        if let b = Int(written), written.last?.isNumber == true { return nth(0, b) }
        position = start
        throw failure("“\(written)” is not a position; write odd, even, a number, or 2n+1")
    }

    /// True if the white space here is followed by the word `of`.
    private var followsOf: Bool {
        var index = position
        while index < scalars.count, isSpace(scalars[index]) { index += 1 }
        return index + 2 < scalars.count && scalars[index] == "o" && scalars[index + 1] == "f"
            && isSpace(scalars[index + 2])
    }

    // MARK: Characters (CSS Syntax Level 3, section 4)

    private var peek: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }
    private var peekNext: Unicode.Scalar? { position + 1 < scalars.count ? scalars[position + 1] : nil }

    private mutating func accept(_ scalar: Unicode.Scalar) -> Bool {
        guard peek == scalar else { return false }
        position += 1
        return true
    }

    @discardableResult
    private mutating func skipSpace() -> Bool {
        let start = position
        while let next = peek, isSpace(next) { position += 1 }
        return position > start
    }

    private func isSpace(_ scalar: Unicode.Scalar) -> Bool { " \t\n\r\u{0C}".unicodeScalars.contains(scalar) }

    private func isNameCharacter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "-", "_", "\u{80}"...: true
        default: false
        }
    }

    private var startsIdentifier: Bool {
        guard let next = peek else { return false }
        if next == "\\" { return true }
        if next == "-" {
            guard let second = peekNext else { return false }
            return second == "-" || second == "\\" || (isNameCharacter(second) && !("0"..."9").contains(second))
        }
        return isNameCharacter(next) && !("0"..."9").contains(next)
    }

    private mutating func identifier(_ what: String) throws(SelectorError) -> String {
        guard startsIdentifier else { throw failure("\(seen) where \(what) was expected") }
        return name()
    }

    private mutating func name() -> String {
        var result = String.UnicodeScalarView()
        while let next = peek {
            if next == "\\" {
                position += 1
                result.append(escape())
            } else if isNameCharacter(next) {
                result.append(next)
                position += 1
            } else {
                break
            }
        }
        return String(result)
    }

    private mutating func escape() -> Unicode.Scalar {
        guard let next = peek else { return "\u{FFFD}" }
        var digits = ""
        while digits.count < 6, let digit = peek, digit.properties.isASCIIHexDigit {
            digits.unicodeScalars.append(digit)
            position += 1
        }
        guard let code = UInt32(digits, radix: 16) else {
            position += 1
            return next
        }
        if let space = peek, isSpace(space) { position += 1 }
        return code == 0 ? "\u{FFFD}" : Unicode.Scalar(code) ?? "\u{FFFD}"
    }

    private mutating func string() throws(SelectorError) -> String {
        let start = position
        let quote = scalars[position]
        position += 1
        var result = String.UnicodeScalarView()
        while let next = peek {
            position += 1
            switch next {
            case quote: return String(result)
            case "\\":
                if accept("\n") { continue }
                result.append(escape())
            case "\n": break
            default: result.append(next)
            }
        }
        position = start
        throw failure("the quote is not closed")
    }

    private var seen: String { peek.map { "“\($0)”" } ?? "the end" }

    private func failure(_ message: String) -> SelectorError {
        SelectorError(selector: text, column: position + 1, message: message)
    }
}
