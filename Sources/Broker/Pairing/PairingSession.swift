import Clocks
import DeviceTrust
import Foundation
import GRDB

/// A pairing that was begun at the broker's own machine; a row of `pairing_sessions`.
public struct PairingSession: Sendable, FetchableRecord {
    public enum State: String, Sendable, Hashable {
        /// Waits for a phone.
        case open = "OPEN"
        /// A phone knew the code; the person compares the words.
        case claimed = "CLAIMED"
        /// The person said yes; the phone has to fetch its answer.
        case confirmed = "CONFIRMED"
        case done = "DONE"
        case dead = "DEAD"
    }

    /// Why a session is dead.
    public enum Reason: String, Sendable, Hashable {
        case expired
        case wrongTries = "wrong tries"
        case denied
        case cancelled
        /// The broker that knew of the phones that tried is gone.
        case restarted
    }

    /// The longest that a session may last.
    public static let longestLife: Duration = .seconds(PairingPayload.longestLife)
    public static let wrongTries = 5

    /// The row's own; ``session`` is used again once it is free.
    let id: Int64
    public let session: Int
    public let state: State
    public let reason: Reason?
    let codeSealed: Data?
    let wrongTries: Int
    public let createdAt: Timestamp
    public let expiresAt: Timestamp
    let boot: String
    let dueMilliseconds: Int64
    /// The attempt that claimed it.
    let attempt: String?
    public let deviceID: DeviceID?
    public let deviceName: String?
    /// What both sides show once it is claimed.
    public let words: String?

    public init(row: Row) throws {
        guard let state = State(rawValue: row["state"] as String), let created = Timestamp(row["created_at"] as String),
            let expires = Timestamp(row["expires_at"] as String)
        else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a pairing’s row cannot be read") }
        self.state = state
        createdAt = created
        expiresAt = expires
        id = row["id"]
        session = row["session"]
        reason = (row["reason"] as String?).flatMap { Reason(rawValue: $0) }
        codeSealed = row["code_sealed"]
        wrongTries = row["wrong_tries"]
        boot = row["boot"]
        dueMilliseconds = row["due_milliseconds"]
        attempt = row["attempt"]
        deviceID = (row["device_id"] as String?).flatMap { DeviceID($0) }
        deviceName = row["device_name"]
        words = row["words"]
    }

    var isOver: Bool { state == .done || state == .dead }

    /// By the wall clock and by the one that only goes forward: setting a clock back buys no time.
    func isOverdue(_ clock: BrokerClock) -> Bool {
        clock.now >= expiresAt.date || clock.boot != boot || clock.elapsedMilliseconds >= dueMilliseconds
    }

    static func purpose(_ number: Int, _ createdAt: Timestamp) -> String { "pairing/\(number)/\(createdAt)/code" }

    func code(_ sealing: Sealing) throws(StoreError) -> PairingCode? {
        guard let codeSealed else { return nil }
        let code = try sealing.open(codeSealed, as: Self.purpose(session, createdAt))
        return PairingCode(session: session, code: code.revealed())
    }
}
