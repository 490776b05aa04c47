// JSON that others write for browsers. Our own messages stay I-JSON: what is signed must have one reading.

extension JSONReader {
    /// Reads a JSON text as browsers and their usual libraries do: behind a byte order mark or a guard against inclusion such
    /// as `)]}',`, in a call (`callback({…})`), with a name twice, of which the last counts, and with half of a surrogate pair,
    /// which becomes U+FFFD. Numbers that a double cannot hold exactly, `NaN` and `Infinity` become texts.
    ///
    /// - Throws: ``JSONError`` with the place.
    package static func readForeign(_ bytes: some Sequence<UInt8>) throws(JSONError) -> JSONValue {
        let contiguous = ContiguousArray(bytes)
        let limits = JSONLimits(depth: 256, size: max(contiguous.count, 1))
        var scanner = JSONScanner(bytes: contiguous, limits: limits, isForeign: true)
        return try scanner.document()
    }
}

extension JSONScanner {
    /// Texts before a value that keep other pages from including it as a script.
    private static let guards = [
        ")]}',", ")]}'", ")]}", "while(1);", "while (1);", "while(1){}", "for(;;);", "for (;;);", "throw 1;", "{}&&",
        "{} &&", "&&&START&&&", "/*-secure-", "/*", "/**/",
    ].map { Array($0.utf8) }

    /// The longest name of a function that a value is handed to.
    private static let longestCall = 100

    mutating func skipGuard() {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        skipSpace()
        let longest = Self.guards.filter { bytes[position...].starts(with: $0) }.max { $0.count < $1.count }
        if let longest {
            position += longest.count
            skipSpace()
            // “throw 1; < don't be evil' >” and its like.
            if bytes[position...].first == UInt8(ascii: "<"),
                let end = bytes[position...].prefix(Self.longestCall).firstIndex(of: UInt8(ascii: ">"))
            {
                position = end + 1
                skipSpace()
            }
        }
        skipCall()
    }

    /// Skips the name of a function and its parenthesis, in which JSONP wraps a value.
    private mutating func skipCall() {
        let name = bytes[position...].prefix { byte in
            byte.isDigit || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || [0x24, 0x2E, 0x5F].contains(byte)
        }
        guard name.count <= Self.longestCall, name.endIndex < bytes.count, bytes[name.endIndex] == UInt8(ascii: "(")
        else {
            return
        }
        position = name.endIndex + 1
    }

    /// Skips what ends a guard or a call.
    mutating func skipEndOfGuard() {
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: ")"), UInt8(ascii: ";"), 0: position += 1
            case UInt8(ascii: "*") where bytes[position...].starts(with: "*/".utf8): position += 2
            default: return
            }
            skipSpace()
        }
    }

    /// Reads one of the words that some libraries write for a number that JSON does not have.
    mutating func acceptNonNumber() -> String? {
        guard [UInt8(ascii: "N"), UInt8(ascii: "I"), UInt8(ascii: "-")].contains(bytes[position]) else { return nil }
        for word in ["NaN", "-Infinity", "Infinity"] where bytes[position...].starts(with: word.utf8) {
            position += word.utf8.count
            return word
        }
        return nil
    }
}
