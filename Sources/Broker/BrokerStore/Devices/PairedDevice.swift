import Clocks
import DeviceTrust
import Encodings
import Foundation
import Secrets

import struct Crypto.SHA256

/// A device that was paired with the broker.
package struct PairedDevice: Sendable, Hashable {
    package let id: DeviceID
    package let name: String
    package let publicKey: DevicePublicKey
    package let createdAt: Timestamp
    /// The time of the last call, to within ten seconds.
    package let lastSeenAt: Timestamp?
    /// True when the device is to exchange its token and secret for new ones at its next call.
    package let isRotationRequested: Bool
    /// The number of times that it has received a token and a secret; 1 after the pairing.
    package let generation: Int
    /// Nil after the device was removed.
    package let secretSealed: Data?

    /// The sealing purpose of its secret, and of the next one that it has not used yet.
    package var purpose: String { Self.purpose(id) }

    package static func purpose(_ id: DeviceID) -> String { "device/\(id)/secret" }

    /// Returns the form in which the broker keeps a token: its SHA-256 in hexadecimal digits.
    package static func digest(ofToken token: some Collection<UInt8>) -> String {
        Base16.encode(SHA256.hash(data: Data(token)))
    }

    package var json: JSONValue {
        [
            "device_id": .string(id.description), "device_name": .string(name),
            "device_pubkey": .string(publicKey.description), "created_at": .string(createdAt.description),
            "last_seen_at": lastSeenAt.map { .string($0.description) } ?? .null,
            "rotation_requested": .bool(isRotationRequested), "generation": .number(Double(generation)),
        ]
    }
}

/// A name that matches no device or several, or that a device cannot have.
package struct DeviceNameError: Error, Sendable, CustomStringConvertible {
    package let message: String

    package var description: String { message }
}
