/// IPv4 addresses in every spelling that a browser accepts: decimal, octal, hexadecimal, with one to four parts (URL
/// Standard, section 3.5).
enum IPv4 {
    static func endsInNumber(_ domain: String) -> Bool {
        var parts = domain.split(separator: ".", omittingEmptySubsequences: false)
        if parts.last == "" {
            if parts.count == 1 { return false }
            parts.removeLast()
        }
        guard let last = parts.last, !last.isEmpty else { return false }
        return last.utf8.allSatisfy { (0x30...0x39).contains($0) } || number(last) != nil
    }

    static func parse(_ domain: String) -> UInt32? {
        var parts = domain.split(separator: ".", omittingEmptySubsequences: false)
        if parts.last == "", parts.count > 1 { parts.removeLast() }
        guard parts.count <= 4 else { return nil }
        var numbers: [UInt64] = []
        for part in parts {
            guard let number = number(part) else { return nil }
            numbers.append(number)
        }
        guard let last = numbers.last, numbers.dropLast().allSatisfy({ $0 <= 255 }),
            last < 1 << (8 * UInt64(5 - numbers.count))
        else { return nil }
        var address = UInt32(last)
        for (index, number) in numbers.dropLast().enumerated() {
            address |= UInt32(number) << UInt32(8 * (3 - index))
        }
        return address
    }

    /// Returns nil when the part is not a number.
    private static func number(_ part: Substring) -> UInt64? {
        var digits = part.utf8
        guard let first = digits.popFirst() else { return nil }
        var radix: UInt64 = 10
        if first != UInt8(ascii: "0") || digits.isEmpty {
            digits = part.utf8
        } else if let second = digits.first, second | 0x20 == UInt8(ascii: "x") {
            digits = digits.dropFirst()
            radix = 16
        } else {
            radix = 8
        }
        var number: UInt64 = 0
        for byte in digits {
            guard let digit = PercentEncoding.nibble(byte).map(UInt64.init), digit < radix else { return nil }
            // Cap the value: a number that is too large is still a number.
            number = min(number * radix + digit, 1 << 40)
        }
        return number
    }

    static func serialize(_ address: UInt32) -> String {
        var text = String(address >> 24)
        for shift in [16, 8, 0] {
            text += "."
            text += String(address >> shift & 255)
        }
        return text
    }
}

/// IPv6 addresses, serialized in their shortest form (URL Standard, section 3.5; RFC 5952).
enum IPv6 {
    static func parse(_ text: Substring) -> [UInt16]? {
        let halves = text.split(separator: "::", maxSplits: 2, omittingEmptySubsequences: false)
        // ":::" would otherwise leave a stray colon at the edge of a half.
        guard halves.count <= 2, halves.allSatisfy({ !$0.hasPrefix(":") && !$0.hasSuffix(":") }) else { return nil }
        guard let head = pieces(halves[0], mayEndInIPv4: halves.count == 1) else { return nil }
        if halves.count == 1 { return head.count == 8 ? head : nil }
        guard let tail = pieces(halves[1], mayEndInIPv4: true), head.count + tail.count <= 7 else { return nil }
        return head + Array(repeating: 0, count: 8 - head.count - tail.count) + tail
    }

    private static func pieces(_ half: Substring, mayEndInIPv4: Bool) -> [UInt16]? {
        if half.isEmpty { return [] }
        let parts = half.split(separator: ":", omittingEmptySubsequences: false)
        var result: [UInt16] = []
        for (index, part) in parts.enumerated() {
            if mayEndInIPv4, index == parts.count - 1, part.contains(".") {
                guard let address = dottedQuad(part) else { return nil }
                result += [UInt16(address >> 16), UInt16(address & 0xFFFF)]
            } else {
                guard (1...4).contains(part.utf8.count), part.allSatisfy({ $0.isASCII && $0.isHexDigit }),
                    let piece = UInt16(part, radix: 16)
                else { return nil }
                result.append(piece)
            }
        }
        return result
    }

    /// Parses the IPv4 part of an IPv6 address, which allows one spelling: four decimal numbers without leading zeros.
    private static func dottedQuad(_ text: Substring) -> UInt32? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var address: UInt32 = 0
        for part in parts {
            guard let number = UInt8(part), String(number) == part else { return nil }
            address = address << 8 | UInt32(number)
        }
        return address
    }

    static func serialize(_ pieces: [UInt16]) -> String {
        var longest = 0..<0
        var index = 0
        while index < pieces.count {
            let end = pieces[index...].firstIndex { $0 != 0 } ?? pieces.endIndex
            if end - index > max(longest.count, 1) { longest = index..<end }
            index = max(end, index + 1)
        }
        func hex(_ range: Range<Int>) -> String {
            pieces[range].map { String($0, radix: 16) }.joined(separator: ":")
        }
        if longest.isEmpty { return hex(0..<pieces.count) }
        return hex(0..<longest.lowerBound) + "::" + hex(longest.upperBound..<pieces.count)
    }
}
