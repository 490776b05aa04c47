import Foundation

/// A broker's stable name: a UUID in lower case, made at its first start.
public struct ServerID: Sendable, Hashable, LosslessStringConvertible {
    public let description: String

    public init() { description = UUID().uuidString.lowercased() }

    /// Nil for anything but a UUID in its canonical form with lower-case digits.
    public init?(_ text: String) {
        guard UUIDText.isCanonical(text) else { return nil }
        description = text
    }
}

/// A paired device's name: a UUID in lower case, made by the device for this one pairing.
public struct DeviceID: Sendable, Hashable, LosslessStringConvertible {
    public let description: String

    public init() { description = UUID().uuidString.lowercased() }

    /// Nil for anything but a UUID in its canonical form with lower-case digits.
    public init?(_ text: String) {
        guard UUIDText.isCanonical(text) else { return nil }
        description = text
    }

    /// The first block, for a person to compare.
    public var short: String { String(description.prefix(8)) }
}

enum UUIDText {
    static func isCanonical(_ text: String) -> Bool { UUID(uuidString: text)?.uuidString.lowercased() == text }

    /// The 16 bytes of a canonical UUID (RFC 9562, section 4).
    static func bytes(_ text: String) -> [UInt8] {
        guard let uuid = UUID(uuidString: text)?.uuid else { return [] }
        return withUnsafeBytes(of: uuid) { Array($0) }
    }
}
