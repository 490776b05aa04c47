import Clocks
import DeviceTrust
import Foundation
import GRDB
import JSON

/// A device that was paired with the broker.
public struct PairedDevice: Sendable, Hashable, FetchableRecord {
    public let id: DeviceID
    public let name: String
    public let publicKey: DevicePublicKey
    public let createdAt: Timestamp
    /// To within ten seconds.
    public let lastSeenAt: Timestamp?
    /// Its token and secret are to be exchanged for new ones at its next call.
    public let isRotationRequested: Bool
    /// How often it has got a token and a secret; 1 after the pairing.
    public let generation: Int
    /// Nil once it was removed.
    let secretSealed: Data?

    static let columns = "devices.*, (SELECT last_seen_at FROM device_sightings WHERE device_id = devices.id) AS seen"

    public init(row: Row) throws {
        guard let id = DeviceID(row["id"] as String), let key = DevicePublicKey(row["public_key"] as String),
            let createdAt = Timestamp(row["created_at"] as String)
        else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a device’s row cannot be read") }
        self.id = id
        publicKey = key
        self.createdAt = createdAt
        name = row["name"]
        lastSeenAt = (row["seen"] as String?).flatMap { Timestamp($0) }
        isRotationRequested = row["rotation_requested"]
        generation = row["generation"]
        secretSealed = row["secret_sealed"]
    }

    /// What its secret is sealed for, also the one that it has not used yet.
    var purpose: String { Self.purpose(id) }

    static func purpose(_ id: DeviceID) -> String { "device/\(id)/secret" }

    public var json: JSONValue {
        [
            "device_id": .string(id.description), "device_name": .string(name),
            "device_pubkey": .string(publicKey.description), "created_at": .string(createdAt.description),
            "last_seen_at": lastSeenAt.map { .string($0.description) } ?? .null,
            "rotation_requested": .bool(isRotationRequested), "generation": .number(Double(generation)),
        ]
    }
}

/// Who shows a phone's token.
enum CallingDevice: Sendable {
    /// The one of `PHONE_API_TOKEN`.
    case standard(DefaultDevice)
    case paired(PairedDevice)

    static let standardName = "default"

    /// The device's id, or `default`.
    var name: String {
        switch self {
        case .standard: Self.standardName
        case .paired(let device): device.id.description
        }
    }

    var paired: PairedDevice? {
        if case .paired(let device) = self { device } else { nil }
    }
}
