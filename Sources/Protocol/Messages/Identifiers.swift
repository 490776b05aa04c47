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

/// The ID of an offer: a UUID in lower case.
package struct OfferID: Sendable, Hashable, LosslessStringConvertible {
    package let description: String

    /// Makes a random ID (UUID version 4).
    package init() {
        description = UUIDText.random()
    }

    /// Returns nil unless the text is a UUID in its canonical form with lower-case digits.
    package init?(_ text: String) {
        guard UUIDText.isCanonical(text) else { return nil }
        description = text
    }

    /// The first block, for a person to compare.
    package var short: String { String(description.prefix(8)) }
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

/// The name of an agent, as its owner chose it and as the approval card shows it: 1 to 40 lower-case letters, digits, dots,
/// hyphens and underscores, the first a letter or a digit. No two names look the same.
public struct AgentName: Sendable, Hashable, LosslessStringConvertible {
    public let description: String

    /// The name of the agent that shows `BROKER_API_TOKEN`.
    public static let standard = AgentName(checked: "default")

    /// The name under which a broker keeps what the owner asks for. No agent has it.
    public static let owner = AgentName(checked: "owner")

    private init(checked text: String) { description = text }

    /// Returns nil for any other text.
    public init?(_ text: String) {
        let letters: ClosedRange<UInt8> = UInt8(ascii: "a")...UInt8(ascii: "z")
        let digits: ClosedRange<UInt8> = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard (1...40).contains(text.utf8.count), let first = text.utf8.first,
            letters.contains(first) || digits.contains(first),
            text.utf8.allSatisfy({ letters.contains($0) || digits.contains($0) || ".-_".utf8.contains($0) })
        else { return nil }
        description = text
    }
}

extension MonthYear {
    /// The file names of a delivery (specification, section 12.4), without the ending.
    public func fileStem(for request: RequestID) -> String { "\(request)-\(abbreviation)-\(year)" }
}
