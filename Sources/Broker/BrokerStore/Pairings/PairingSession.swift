import Clocks
import DeviceTrust
import Foundation

/// A pairing that was begun at the broker's own machine.
package struct PairingSession: Sendable {
    package enum State: String, Sendable, Hashable {
        /// It waits for a phone.
        case open = "OPEN"
        /// A phone proved that it knows the code; the person compares the words.
        case claimed = "CLAIMED"
        /// The person confirmed the words; the phone has yet to fetch its answer.
        case confirmed = "CONFIRMED"
        case done = "DONE"
        case dead = "DEAD"
    }

    /// The reason for which a session is dead.
    package enum Reason: String, Sendable, Hashable {
        case expired
        case wrongTries = "wrong tries"
        case denied
        case cancelled
        /// The broker was restarted, and its memory of the phones' attempts is gone.
        case restarted
    }

    /// The longest time that a session may last.
    package static let longestLife: Duration = .seconds(PairingPayload.longestLife)
    /// The number of wrong codes that end a session.
    package static let wrongTries = 5

    /// The row's number. ``session`` is used again once it is free.
    package let id: Int64
    package let session: Int
    package let state: State
    package let reason: Reason?
    package let codeSealed: Data?
    package let wrongTries: Int
    package let createdAt: Timestamp
    package let expiresAt: Timestamp
    package let boot: String
    package let dueMilliseconds: Int64
    /// The attempt that claimed the session.
    package let attempt: String?
    package let deviceID: DeviceID?
    package let deviceName: String?
    /// The words that both sides show once the session is claimed.
    package let words: String?

    package var isOver: Bool { state == .done || state == .dead }

    /// Returns whether the session's time is over by either clock: setting the wall clock back extends nothing.
    package func isOverdue(_ clock: BrokerClock) -> Bool {
        clock.now >= expiresAt.date || clock.boot != boot || clock.elapsedMilliseconds >= dueMilliseconds
    }

    /// The purpose under which the code is sealed.
    package static func purpose(_ number: Int, _ createdAt: Timestamp) -> String {
        "pairing/\(number)/\(createdAt)/code"
    }

    /// Returns the code; nil once the session is claimed or over.
    package func code(_ sealing: Sealing) throws(StoreError) -> PairingCode? {
        guard let codeSealed else { return nil }
        let code = try sealing.open(codeSealed, as: Self.purpose(session, createdAt))
        return PairingCode(session: session, code: code.revealed())
    }
}
