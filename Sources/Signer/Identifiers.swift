import Foundation

/// A request's name on both sides: a UUID in lower case.
public struct RequestID: Sendable, Hashable, LosslessStringConvertible {
    public let description: String

    /// A fresh one (version 4).
    public init() {
        description = UUID().uuidString.lowercased()
    }

    /// Nil for anything but a UUID in its canonical form with lower-case digits.
    public init?(_ text: String) {
        guard text.utf8.count == 36,
            text.utf8.enumerated().allSatisfy({ place, byte in
                place == 8 || place == 13 || place == 18 || place == 23
                    ? byte == UInt8(ascii: "-") : byte.isLowerCaseHexDigit
            })
        else { return nil }
        description = text
    }

    /// The first block, for a person to compare.
    public var short: String { String(description.prefix(8)) }
}

/// A number used once: 128 random bits as 32 lower-case hexadecimal digits (the specification's `hex_32`).
public struct Nonce: Sendable, Hashable, LosslessStringConvertible {
    public let description: String

    /// A fresh one, from the system's generator.
    public init() {
        var generator = SystemRandomNumberGenerator()
        description = (0..<16).map { _ in Self.hex(UInt8.random(in: 0...255, using: &generator)) }.joined()
    }

    public init?(_ text: String) {
        guard text.utf8.count == 32, text.utf8.allSatisfy(\.isLowerCaseHexDigit) else { return nil }
        description = text
    }

    private static func hex(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
}

extension UInt8 {
    fileprivate var isLowerCaseHexDigit: Bool { (0x30...0x39).contains(self) || (0x61...0x66).contains(self) }
}

/// The month that a statement is for.
public struct MonthYear: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// 1…12.
    public let month: Int
    /// 1900…9999.
    public let year: Int

    public init?(month: Int, year: Int) {
        guard (1...12).contains(month), (1900...9999).contains(year) else { return nil }
        self.month = month
        self.year = year
    }

    private static let abbreviations = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// `jan` to `dec`, as file names have it.
    public var abbreviation: String { Self.abbreviations[month - 1] }

    /// `2026-01`.
    public var description: String { "\(year)-\(month < 10 ? "0" : "")\(month)" }

    public static func < (left: MonthYear, right: MonthYear) -> Bool {
        (left.year, left.month) < (right.year, right.month)
    }

    /// The file names of a delivery (specification, section 12.4), without the ending.
    public func fileStem(for request: RequestID) -> String { "\(request)-\(abbreviation)-\(year)" }
}
