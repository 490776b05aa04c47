/// A strict JSON reader: RFC 8259 without extensions, with the restrictions of I-JSON (RFC 7493).
public enum JSONReader {
    /// - Throws: ``JSONError`` with the place.
    public static func read(
        _ bytes: some Sequence<UInt8>, limits: JSONLimits = JSONLimits()
    ) throws(JSONError) -> JSONValue {
        let contiguous = ContiguousArray(bytes)
        var scanner = JSONScanner(bytes: contiguous, limits: limits)
        return try scanner.document()
    }

    public static func read(_ text: String, limits: JSONLimits = JSONLimits()) throws(JSONError) -> JSONValue {
        try read(text.utf8, limits: limits)
    }
}

struct JSONScanner {
    let bytes: ContiguousArray<UInt8>
    let limits: JSONLimits
    /// True for a text that others wrote for browsers.
    let isForeign: Bool
    var position = 0
    private var count = 0

    init(bytes: ContiguousArray<UInt8>, limits: JSONLimits, isForeign: Bool = false) {
        self.bytes = bytes
        self.limits = limits
        self.isForeign = isForeign
    }

    mutating func document() throws(JSONError) -> JSONValue {
        guard bytes.count <= limits.size else {
            throw failure(.tooLarge, "the text has \(bytes.count) bytes; at most \(limits.size) are accepted")
        }
        if isForeign { skipGuard() }
        skipSpace()
        let value = try value(depth: 0)
        skipSpace()
        if isForeign { skipEndOfGuard() }
        guard position == bytes.count else { throw failure(.syntax, "\(seen) after the end of the value") }
        return value
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        count += 1
        guard count <= limits.values else {
            throw failure(.tooLarge, "the text has more than \(limits.values) values")
        }
        guard position < bytes.count else { throw failure(.syntax, "a value is missing") }
        if isForeign, let word = acceptNonNumber() { return .string(word) }
        switch bytes[position] {
        case UInt8(ascii: "{"): return try object(depth: depth + 1)
        case UInt8(ascii: "["): return try array(depth: depth + 1)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default: throw failure(.syntax, "\(seen) where a value was expected")
        }
    }

    private mutating func literal(_ word: String, _ value: JSONValue) throws(JSONError) -> JSONValue {
        guard bytes[position...].starts(with: word.utf8) else {
            throw failure(.syntax, "\(seen) where a value was expected; only true, false and null are words")
        }
        position += word.utf8.count
        return value
    }

    private mutating func array(depth: Int) throws(JSONError) -> JSONValue {
        try enter(depth)
        var items: [JSONValue] = []
        skipSpace()
        if accept(UInt8(ascii: "]")) { return .array(items) }
        while true {
            skipSpace()
            items.append(try value(depth: depth))
            skipSpace()
            if accept(UInt8(ascii: "]")) { return .array(items) }
            guard accept(UInt8(ascii: ",")) else { throw failure(.syntax, "\(seen) where “,” or “]” was expected") }
        }
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSONValue {
        try enter(depth)
        var members: [String: JSONValue] = [:]
        // Swift compares strings by canonical equivalence; JSON names are equal only when their code points are.
        var names: Set<ContiguousArray<UInt8>> = []
        skipSpace()
        if accept(UInt8(ascii: "}")) { return .object(members) }
        while true {
            skipSpace()
            guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
                throw failure(.syntax, "\(seen) where a name in quotes was expected")
            }
            let start = position
            let name = try string()
            guard isForeign || names.insert(ContiguousArray(name.utf8)).inserted else {
                position = start
                throw failure(.notIJSON, "the name “\(name.prefix(40))” is there twice")
            }
            skipSpace()
            guard accept(UInt8(ascii: ":")) else { throw failure(.syntax, "\(seen) where “:” was expected") }
            skipSpace()
            let value = try value(depth: depth)
            guard members.updateValue(value, forKey: name) == nil || isForeign else {
                position = start
                throw failure(.notIJSON, "the name “\(name.prefix(40))” is there twice, in two normal forms")
            }
            skipSpace()
            if accept(UInt8(ascii: "}")) { return .object(members) }
            guard accept(UInt8(ascii: ",")) else { throw failure(.syntax, "\(seen) where “,” or “}” was expected") }
        }
    }

    private mutating func enter(_ depth: Int) throws(JSONError) {
        guard depth <= limits.depth else {
            throw failure(.tooDeep, "the text nests deeper than \(limits.depth) levels")
        }
        position += 1
    }

    /// RFC 8259, section 6.
    private mutating func number() throws(JSONError) -> JSONValue {
        let start = position
        var isInteger = true
        _ = accept(UInt8(ascii: "-"))
        if accept(UInt8(ascii: "0")) {
            if position < bytes.count, bytes[position].isDigit {
                throw failure(.syntax, "a number does not begin with 0")
            }
        } else {
            try digits()
        }
        if accept(UInt8(ascii: ".")) {
            isInteger = false
            try digits()
        }
        if accept(UInt8(ascii: "e")) || accept(UInt8(ascii: "E")) {
            isInteger = false
            if !accept(UInt8(ascii: "+")) { _ = accept(UInt8(ascii: "-")) }
            try digits()
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        guard let number = Double(text), number.isFinite else {
            if isForeign { return .string(text) }
            position = start
            throw failure(.notIJSON, "the number \(text.prefix(40)) is too large for a double")
        }
        // RFC 7493, section 2.2: integers are exact only up to 2^53 - 1. A larger number below 10^21 has an integer as its
        // canonical form, which could not be read again.
        if isInteger || number.magnitude < 1e21, number.magnitude > 9_007_199_254_740_991 {
            if isForeign { return .string(text) }
            position = start
            throw failure(.notIJSON, "the integer \(text.prefix(40)) is beyond 2^53 - 1; write it as a string")
        }
        return .number(number)
    }

    private mutating func digits() throws(JSONError) {
        guard position < bytes.count, bytes[position].isDigit else {
            throw failure(.syntax, "\(seen) where a digit was expected")
        }
        while position < bytes.count, bytes[position].isDigit { position += 1 }
    }

    mutating func accept(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    mutating func skipSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }

    /// The byte at the position, in words.
    var seen: String {
        guard position < bytes.count else { return "the end of the text" }
        let byte = bytes[position]
        return (0x21...0x7E).contains(byte)
            ? "“\(Character(UnicodeScalar(byte)))”" : "the byte 0x" + String(byte, radix: 16, uppercase: true)
    }

    func failure(_ code: JSONError.Code, _ message: String) -> JSONError {
        let before = bytes[..<min(position, bytes.count)]
        let line = before.count { $0 == 0x0A } + 1
        let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        return JSONError(
            code: code, offset: position, line: line, column: position - lineStart + 1, message: message)
    }
}

extension UInt8 {
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
