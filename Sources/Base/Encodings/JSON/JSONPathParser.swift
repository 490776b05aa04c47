/// Reads a JSONPath query by the grammar of RFC 9535, appendix A.
struct JSONPathParser {
    /// The deepest nesting of brackets, and the largest number of segments.
    private static let mostNested = 32
    private static let mostSegments = 256
    /// The exact integers of RFC 7493, the range of indexes (RFC 9535, section 2.1).
    private static let largest = 9_007_199_254_740_991

    let text: String
    let input: [Unicode.Scalar]
    var position = 0
    private var nesting = 0

    init(_ text: String) {
        self.text = text
        input = Array(text.unicodeScalars)
    }

    var current: Unicode.Scalar? { position < input.count ? input[position] : nil }

    func error(_ message: String, at offset: Int? = nil) -> JSONPathError {
        JSONPathError(path: text, offset: offset ?? position, message: message)
    }

    /// The character at the current position, for a message.
    var seen: String { current.map { "“\($0)”" } ?? "the end" }

    mutating func query() throws(JSONPathError) -> [JSONPath.Segment] {
        guard take("$") else { throw error("a query begins with “$”, not with \(seen)") }
        let segments = try segments()
        guard current == nil else {
            throw error("\(seen) is not the beginning of a segment; expected “.”, “..” or “[”")
        }
        return segments
    }

    mutating func segments() throws(JSONPathError) -> [JSONPath.Segment] {
        var segments: [JSONPath.Segment] = []
        while true {
            let start = position
            skipSpace()
            guard let segment = try segment() else {
                position = start
                return segments
            }
            segments.append(segment)
            guard segments.count <= Self.mostSegments else {
                throw error("a query has at most \(Self.mostSegments) segments", at: start)
            }
        }
    }

    private mutating func segment() throws(JSONPathError) -> JSONPath.Segment? {
        if current == "[" { return JSONPath.Segment(isDescendant: false, selectors: try bracketed()) }
        guard take(".") else { return nil }
        let isDescendant = take(".")
        if isDescendant, current == "[" { return JSONPath.Segment(isDescendant: true, selectors: try bracketed()) }
        if take("*") { return JSONPath.Segment(isDescendant: isDescendant, selectors: [.wildcard]) }
        let name = takeWhile { $0 == "_" || $0.isASCIILetter || $0.value >= 0x80 || $0.isASCIIDigit }
        guard let first = name.unicodeScalars.first, !first.isASCIIDigit else {
            position -= name.unicodeScalars.count
            throw error("expected a name or “*” after “.”, not \(seen); a name with other characters goes as ['…']")
        }
        return JSONPath.Segment(isDescendant: isDescendant, selectors: [.name(name)])
    }

    private mutating func bracketed() throws(JSONPathError) -> [JSONPath.Selector] {
        try nested { (parser) throws(JSONPathError) in
            parser.position += 1
            var selectors: [JSONPath.Selector] = []
            repeat {
                parser.skipSpace()
                selectors.append(try parser.selector())
                parser.skipSpace()
            } while parser.take(",")
            guard parser.take("]") else { throw parser.error("expected “,” or “]”, not \(parser.seen)") }
            return selectors
        }
    }

    /// Counts open brackets, so that no input exhausts the stack.
    mutating func nested<Result>(
        _ body: (inout JSONPathParser) throws(JSONPathError) -> Result
    ) throws(JSONPathError) -> Result {
        nesting += 1
        defer { nesting -= 1 }
        guard nesting <= Self.mostNested else { throw error("brackets nest deeper than \(Self.mostNested)") }
        return try body(&self)
    }

    private mutating func selector() throws(JSONPathError) -> JSONPath.Selector {
        switch current {
        case "'", "\"": return .name(try string())
        case "*":
            position += 1
            return .wildcard
        case "?":
            position += 1
            skipSpace()
            return .filter(try condition())
        default: return try indexOrSlice()
        }
    }

    private mutating func indexOrSlice() throws(JSONPathError) -> JSONPath.Selector {
        let start = try integer()
        let afterStart = position
        skipSpace()
        guard take(":") else {
            position = afterStart
            guard let start else {
                throw error("expected a name in quotes, an index, a slice, “*” or “?”, not \(seen)")
            }
            return .index(start)
        }
        skipSpace()
        let end = try integer()
        skipSpace()
        var step = 1
        if take(":") {
            skipSpace()
            step = try integer() ?? 1
        }
        return .slice(start: start, end: end, step: step)
    }

    private mutating func integer() throws(JSONPathError) -> Int? {
        let start = position
        let isNegative = take("-")
        let digits = takeWhile(\.isASCIIDigit)
        if digits.isEmpty {
            guard !isNegative else { throw error("“-” needs a number after it") }
            return nil
        }
        guard digits == "0" ? !isNegative : !digits.hasPrefix("0"), let number = Int(digits), number <= Self.largest
        else {
            throw error("an integer is written without leading zeros, within ±2^53", at: start)
        }
        return isNegative ? -number : number
    }

    // MARK: Scalars

    mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard current == scalar else { return false }
        position += 1
        return true
    }

    mutating func take(_ word: String) -> Bool {
        guard input[position...].starts(with: word.unicodeScalars) else { return false }
        position += word.unicodeScalars.count
        return true
    }

    mutating func takeWhile(_ belongs: (Unicode.Scalar) -> Bool) -> String {
        var taken = String.UnicodeScalarView()
        while let scalar = current, belongs(scalar) {
            taken.append(scalar)
            position += 1
        }
        return String(taken)
    }

    mutating func skipSpace() {
        while let scalar = current, scalar == " " || scalar == "\t" || scalar == "\n" || scalar == "\r" {
            position += 1
        }
    }
}

extension Unicode.Scalar {
    var isASCIIDigit: Bool { ("0"..."9").contains(self) }
    var isASCIILetter: Bool { ("a"..."z").contains(self) || ("A"..."Z").contains(self) }
}
