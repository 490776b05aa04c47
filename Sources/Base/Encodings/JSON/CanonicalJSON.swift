extension JSONValue {
    /// Returns the canonical form as UTF-8 (RFC 8785).
    ///
    /// - Throws: ``JSONError`` with the code `unwritable` for NaN and the infinities.
    public func canonicalBytes() throws(JSONError) -> [UInt8] {
        var bytes: [UInt8] = []
        try write(to: &bytes)
        return bytes
    }

    /// The canonical form as text. A value without a JSON form becomes `null`.
    public func compactText() -> String {
        String(decoding: compactBytes(), as: UTF8.self)
    }

    /// The canonical form as UTF-8. A value without a JSON form becomes `null`.
    public func compactBytes() -> [UInt8] {
        (try? canonicalBytes()) ?? Array("null".utf8)
    }

    private func write(to bytes: inout [UInt8]) throws(JSONError) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .number(let value): bytes.append(contentsOf: try Self.ecmaScriptText(value).utf8)
        case .string(let value): Self.write(value, to: &bytes)
        case .array(let items):
            bytes.append(UInt8(ascii: "["))
            for (index, item) in items.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                try item.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            // RFC 8785, section 3.2.3: names are sorted by their UTF-16 code units.
            let sorted = members.sorted { $0.key.utf16.lexicographicallyPrecedes($1.key.utf16) }
            for (index, member) in sorted.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                Self.write(member.key, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                try member.value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// RFC 8785, section 3.2.2.2.
    private static func write(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        defer { bytes.append(UInt8(ascii: "\"")) }
        // Most texts need no escape.
        let isPlain = text.utf8.withContiguousStorageIfAvailable { text in
            guard !text.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C }) else { return false }
            bytes.append(contentsOf: text)
            return true
        }
        guard isPlain != true else { return }
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): bytes.append(contentsOf: #"\""#.utf8)
            case UInt8(ascii: "\\"): bytes.append(contentsOf: #"\\"#.utf8)
            case 0x08: bytes.append(contentsOf: #"\b"#.utf8)
            case 0x09: bytes.append(contentsOf: #"\t"#.utf8)
            case 0x0A: bytes.append(contentsOf: #"\n"#.utf8)
            case 0x0C: bytes.append(contentsOf: #"\f"#.utf8)
            case 0x0D: bytes.append(contentsOf: #"\r"#.utf8)
            case 0..<0x20:
                let hex = String(byte, radix: 16)
                bytes.append(contentsOf: (byte < 0x10 ? #"\u000"# : #"\u00"#).utf8)
                bytes.append(contentsOf: hex.utf8)
            default: bytes.append(byte)
            }
        }
    }

    /// ECMAScript's Number::toString (ECMA-262, section 6.1.6.1.20), as RFC 8785, section 3.2.2.3, requires.
    ///
    /// Swift's own description has the same shortest digits in another format.
    static func ecmaScriptText(_ value: Double) throws(JSONError) -> String {
        guard value.isFinite else {
            throw JSONError(code: .unwritable, offset: 0, line: 1, column: 1, message: "JSON has no \(value)")
        }
        if value == 0 { return "0" }
        let (digits, exponent) = shortestDigits(value.magnitude)
        let sign = value < 0 ? "-" : ""
        let count = digits.count
        // n of the specification: the value is 0.digits × 10^n.
        switch exponent {
        case _ where exponent >= count && exponent <= 21:
            return sign + digits + String(repeating: "0", count: exponent - count)
        case 1...21:
            return sign + digits.prefix(exponent) + "." + digits.dropFirst(exponent)
        case -5...0:
            return sign + "0." + String(repeating: "0", count: -exponent) + digits
        default:
            let power = exponent - 1
            let mantissa = count == 1 ? digits : digits.prefix(1) + "." + digits.dropFirst()
            return sign + mantissa + "e" + (power < 0 ? "-" : "+") + String(power.magnitude)
        }
    }

    /// Returns the shortest digits that identify the value, without zeros at either end, and the place of the decimal point.
    private static func shortestDigits(_ value: Double) -> (digits: String, exponent: Int) {
        let parts = value.description.split(separator: "e")
        let halves = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        let whole = halves[0].drop { $0 == "0" }
        let fraction = halves.count > 1 ? halves[1] : ""
        var exponent = (parts.count > 1 ? Int(parts[1]) ?? 0 : 0) + whole.count
        var digits = Substring(whole + fraction)
        if whole.isEmpty {
            let zeros = digits.prefix { $0 == "0" }.count
            exponent -= zeros
            digits = digits.dropFirst(zeros)
        }
        while digits.last == "0" { digits.removeLast() }
        return (String(digits), exponent)
    }
}
