import Encodings
import Secrets

/// A broker's stable ID: a UUID in lower case, made at its first start.
public struct ServerID: Sendable, Hashable, LosslessStringConvertible {
    public let description: String

    public init() { description = UUIDText.random() }

    /// Returns nil unless the text is a UUID in its canonical form with lower-case digits.
    public init?(_ text: String) {
        guard UUIDText.isCanonical(text) else { return nil }
        description = text
    }
}

/// A paired device's ID: a UUID in lower case, made by the device for this one pairing.
public struct DeviceID: Sendable, Hashable, LosslessStringConvertible {
    public let description: String

    public init() { description = UUIDText.random() }

    /// Returns nil unless the text is a UUID in its canonical form with lower-case digits.
    public init?(_ text: String) {
        guard UUIDText.isCanonical(text) else { return nil }
        description = text
    }

    /// The first block, for a person to compare.
    public var short: String { String(description.prefix(8)) }
}

/// A broker's identity: its stable ID, and the key that proves it.
public struct ServerIdentity: Sendable, Hashable {
    public let id: ServerID
    public let publicKey: AgreementPublicKey

    public init(id: ServerID, publicKey: AgreementPublicKey) {
        self.id = id
        self.publicKey = publicKey
    }
}
