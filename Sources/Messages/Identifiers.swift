import Clocks
import Encodings
import Secrets

/// The ID of a request on both sides: a UUID in lower case.
public struct RequestID: Sendable, Hashable, LosslessStringConvertible {
    public let description: String

    /// Makes a random ID (UUID version 4).
    public init() {
        description = UUIDText.random()
    }

    /// Returns nil unless the text is a UUID in its canonical form with lower-case digits.
    public init?(_ text: String) {
        guard UUIDText.isCanonical(text) else { return nil }
        description = text
    }

    /// The first block, for a person to compare.
    public var short: String { String(description.prefix(8)) }
}

/// A number that is used once: 128 random bits as 32 lower-case hexadecimal digits (the specification's `hex_32`).
public struct Nonce: Sendable, Hashable, LosslessStringConvertible {
    public let description: String

    /// Makes a random nonce with the system's generator.
    public init() {
        var generator = SystemRandomNumberGenerator()
        description = Base16.encode((0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    public init?(_ text: String) {
        guard Base16.isEncoding(text, ofBytes: 16) else { return nil }
        description = text
    }
}

extension MonthYear {
    /// The file names of a delivery (specification, section 12.4), without the ending.
    public func fileStem(for request: RequestID) -> String { "\(request)-\(abbreviation)-\(year)" }
}
