/// An exact decimal amount of money, in steps of 10⁻⁸. Never a floating-point number.
///
/// ISO 20022 allows 18 digits, 5 of them decimals. 10⁻⁸ also holds prices of fund shares. A sum of a million amounts fits.
public struct Amount: Sendable, Hashable, Comparable {
    /// The most digits that a text may have before the decimal mark.
    package static let integerDigits = 18
    /// The most decimals that a text may have; further zeros are accepted.
    package static let decimals = 8

    public static let zero = Amount(steps: 0)

    /// The amount in steps of 10⁻⁸.
    let steps: Int128

    init(steps: Int128) { self.steps = steps }

    /// Reads an optional sign, digits, and after a decimal mark more digits: `-1234.50`, `+7`, `,5`, `12,`.
    ///
    /// - Returns: nil for anything else: spaces, grouping, exponents, more digits than an amount holds.
    public init?(_ text: some StringProtocol, decimalMark: Character = ".") {
        guard let mark = decimalMark.asciiValue else { return nil }
        var steps: Int128 = 0
        var integers = 0
        var decimals = 0
        var isNegative = false
        var isPastMark = false
        var hasDigit = false
        for (index, byte) in text.utf8.enumerated() {
            switch byte {
            case UInt8(ascii: "-") where index == 0: isNegative = true
            case UInt8(ascii: "+") where index == 0: break
            case mark where !isPastMark: isPastMark = true
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                hasDigit = true
                let digit = Int128(byte - UInt8(ascii: "0"))
                if isPastMark, decimals == Self.decimals {
                    guard digit == 0 else { return nil }
                } else {
                    if isPastMark { decimals += 1 } else if steps > 0 || digit > 0 { integers += 1 }
                    guard integers <= Self.integerDigits else { return nil }
                    steps = steps * 10 + digit
                }
            default: return nil
            }
        }
        guard hasDigit else { return nil }
        for _ in decimals..<Self.decimals { steps *= 10 }
        self.steps = isNegative ? -steps : steps
    }

    /// Reads a number as ``init(_:decimalMark:)`` does, and also one with the noise of floating-point numbers at its end:
    /// `12.3400000000000034` and `12.339999999999996` are 12.34.
    init?(noisy text: String, decimalMark mark: Character) {
        if let exact = Amount(text, decimalMark: mark) {
            self = exact
            return
        }
        let parts = text.split(separator: mark, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].utf8.count > Self.decimals else { return nil }
        let noise = parts[1].dropFirst(4).prefix(6)
        guard parts[1].allSatisfy({ $0.isASCII && $0.isNumber }), noise.allSatisfy({ $0 == noise.first }),
            noise.first == "0" || noise.first == "9", let kept = Amount("\(parts[0]).\(parts[1].prefix(4))")
        else { return nil }
        let step = Amount(steps: noise.first == "9" ? 10_000 : 0)
        self = text.hasPrefix("-") ? kept - step : kept + step
    }

    /// Reads an amount of a JSON answer: an optional sign, digits, a full stop and more digits, perhaps with the noise of
    /// floating-point numbers at its end.
    package init?(written text: String) { self.init(noisy: text, decimalMark: ".") }

    public static func < (left: Amount, right: Amount) -> Bool { left.steps < right.steps }
    public static func + (left: Amount, right: Amount) -> Amount { Amount(steps: left.steps + right.steps) }
    public static func - (left: Amount, right: Amount) -> Amount { Amount(steps: left.steps - right.steps) }
    public static prefix func - (amount: Amount) -> Amount { Amount(steps: -amount.steps) }

    public var isNegative: Bool { steps < 0 }
}

extension Amount: CustomStringConvertible {
    /// The amount with a full stop and at least two decimals, e.g. `-1234.50`. ``init(_:decimalMark:)`` reads it.
    public var description: String {
        // A division of 128 bits takes longer.
        let magnitude = steps.magnitude
        var digits = Array((UInt64(exactly: magnitude).map { String($0) } ?? String(magnitude)).utf8)
        if digits.count <= Self.decimals {
            digits.insert(contentsOf: [UInt8](repeating: 0x30, count: Self.decimals + 1 - digits.count), at: 0)
        }
        let mark = digits.count - Self.decimals
        var end = digits.count
        while end > mark + 2, digits[end - 1] == 0x30 { end -= 1 }
        return (isNegative ? "-" : "") + String(decoding: digits[..<mark], as: UTF8.self) + "."
            + String(decoding: digits[mark..<end], as: UTF8.self)
    }
}
