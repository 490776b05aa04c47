/// The text that a reader for bank cards is to be given through five flickering bars (chipTAN optical): a start code, and up to
/// three further elements.
///
/// Source: ZKA-TAN-Generator, “Belegungsrichtlinien” and “HHD-Erweiterung für unidirektionale Kopplung” (HHD_UC), versions 1.3.2 and
/// 1.4: the length LC, LS with the start code and its control bytes, LDE with each element, then a check digit by Luhn and a
/// check by exclusive or. The bank sends the text of it in HITAN (FinTS 3.0, Security, Sicherheitsverfahren PIN/TAN, 2020-07-10,
/// data dictionary, “Challenge HHD_UC”).
struct HHDCode: Sendable, Hashable {
    private enum Version { case v13, v14 }

    let startCode: String
    private let controlBytes: [UInt8]
    /// The further elements, at most three.
    let elements: [String]
    private let version: Version

    /// Reads what a bank sent; nil for another text.
    init?(_ text: String) {
        let digits = text.filter { !$0.isWhitespace }.uppercased()
        guard (6...512).contains(digits.utf8.count), digits.utf8.allSatisfy(Self.isLatin) else { return nil }
        // A length of two or three digits, and elements whose own lengths have two or, at some banks, three.
        for (isNew, width, ofElement) in [(true, 3, 2), (true, 3, 3), (false, 2, 2)] {
            if let code = Self(digits, isNew: isNew, widthOfLength: width, ofElement) {
                self = code
                return
            }
        }
        return nil
    }

    private init?(_ text: String, isNew: Bool, widthOfLength: Int, _ widthOfElement: Int) {
        var rest = text[...]
        func take(_ count: Int) -> Substring? {
            guard rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }
        guard let length = take(widthOfLength).flatMap({ Int($0) }), rest.count >= length,
            let start = take(2).flatMap({ UInt8($0, radix: 16) })
        else { return nil }
        var control: [UInt8] = []
        if start & 0x80 != 0 {
            while true {
                guard control.count < 10, let byte = take(2).flatMap({ UInt8($0, radix: 16) }) else { return nil }
                control.append(byte)
                if byte & 0x80 == 0 { break }
            }
        }
        guard isNew == (start & 0x80 != 0), let code = take(Int(start & 0x1F)), !code.isEmpty,
            code.utf8.allSatisfy(Self.isDigit)
        else { return nil }
        var elements: [String] = []
        while !rest.isEmpty, elements.count < 3 {
            guard let length = take(widthOfElement).flatMap({ Int($0) }), let element = take(length & 0x1F) else {
                return nil
            }
            elements.append(String(element))
        }
        guard rest.isEmpty else { return nil }
        // Version 1.3 gives the length of a text one digit.
        guard isNew || elements.allSatisfy({ $0.utf8.count < 16 || $0.utf8.allSatisfy(Self.isDigit) }) else {
            return nil
        }
        (startCode, controlBytes, self.elements) = (String(code), control, elements)
        version = control.isEmpty ? .v13 : .v14
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    private static func isLatin(_ byte: UInt8) -> Bool { (0x20...0x7E).contains(byte) }

    /// The half bytes as hexadecimal digits, in the order in which the text has them.
    var transmitted: String {
        let start = Self.body(startCode)
        var payload = Self.hex(start.count / 2 + (controlBytes.isEmpty ? 0 : 0x80), 2)
        let control = controlBytes.map { Self.hex(Int($0), 2) }.joined()
        payload += control + start
        for element in elements {
            let body = Self.body(element)
            let isPlain = element.utf8.allSatisfy(Self.isDigit)
            let length = body.count / 2
            payload +=
                isPlain ? Self.hex(length, 2) : version == .v14 ? Self.hex(length + 0x40, 2) : "1" + Self.hex(length, 1)
            payload += body
        }
        payload = Self.hex((payload.count + 2) / 2, 2) + payload
        let checked = control + start + elements.map(Self.body).joined()
        return payload + Self.luhn(checked) + Self.exclusiveOr(payload)
    }

    /// Two digits a byte where there are digits alone, filled with an F; else a byte for each character.
    private static func body(_ text: String) -> String {
        guard text.utf8.allSatisfy(isDigit) else { return text.utf8.map { hex(Int($0), 2) }.joined() }
        return text.count.isMultiple(of: 2) ? text : text + "F"
    }

    private static func hex(_ number: Int, _ width: Int) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    private static func values(_ digits: String) -> [Int] { digits.compactMap(\.hexDigitValue) }

    private static func luhn(_ digits: String) -> String {
        let sum = values(digits).enumerated().reduce(0) { sum, digit in
            let doubled = digit.element * 2
            return sum + (digit.offset.isMultiple(of: 2) ? digit.element : doubled / 10 + doubled % 10)
        }
        return hex((10 - sum % 10) % 10, 1)
    }

    private static func exclusiveOr(_ digits: String) -> String { hex(values(digits).reduce(0, ^), 1) }
}
