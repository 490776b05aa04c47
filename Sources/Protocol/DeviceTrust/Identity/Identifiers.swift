import Encodings
import Secrets

/// A broker's stable ID: a UUID in lower case, made at its first start.
package struct ServerID: Sendable, Hashable, LosslessStringConvertible {
    package let description: String

    package init() { description = UUIDText.random() }

    /// Returns nil unless the text is a UUID in its canonical form with lower-case digits.
    package init?(_ text: String) {
        guard UUIDText.isCanonical(text) else { return nil }
        description = text
    }
}

/// A paired device's ID: a UUID in lower case, made by the device for this one pairing.
package struct DeviceID: Sendable, Hashable, LosslessStringConvertible {
    package let description: String

    package init() { description = UUIDText.random() }

    /// Returns nil unless the text is a UUID in its canonical form with lower-case digits.
    package init?(_ text: String) {
        guard UUIDText.isCanonical(text) else { return nil }
        description = text
    }

    /// The first block, for a person to compare.
    package var short: String { String(description.prefix(8)) }
}

/// A broker's identity: its stable ID, and the key that proves it.
package struct ServerIdentity: Sendable, Hashable {
    package let id: ServerID
    package let publicKey: AgreementPublicKey

    package init(id: ServerID, publicKey: AgreementPublicKey) {
        self.id = id
        self.publicKey = publicKey
    }
}
