import BrokerStore
import DeviceTrust
import Foundation
import Messages

/// Keeps the attempts of the phones that are pairing, in memory only, with the keys made for them. A restarted broker has
/// forgotten them, so it ends their sessions.
actor PairingDesk {
    /// The number of attempts that one session may have at a time.
    static let attemptsPerSession = 256

    private struct Attempts {
        /// The attempts that have begun, the oldest first.
        var waiting: [BrokerPairing] = []
        var claimed: ClaimedPairing?
    }

    /// The attempts by the session's row.
    private var sessions: [Int64: Attempts] = [:]
    private(set) var isOver = false

    /// Adds an attempt. When there are too many, the oldest is dropped: a phone claims right after it begins, so attempts
    /// that never claim cannot lock other phones out.
    func add(_ attempt: BrokerPairing, to session: PairingSession) {
        var waiting = sessions[session.id]?.waiting ?? []
        if waiting.count == Self.attemptsPerSession { waiting.removeFirst() }
        sessions[session.id, default: Attempts()].waiting = waiting + [attempt]
    }

    /// Removes and returns an attempt: each attempt may claim once.
    func take(_ attempt: Nonce, of session: PairingSession) -> BrokerPairing? {
        guard let index = sessions[session.id]?.waiting.firstIndex(where: { $0.offer.attempt == attempt }) else {
            return nil
        }
        return sessions[session.id]?.waiting.remove(at: index)
    }

    func claim(_ claimed: ClaimedPairing, of session: PairingSession) {
        // The session's other attempts are dropped.
        sessions[session.id] = Attempts(claimed: claimed)
    }

    func claimed(of session: PairingSession) -> ClaimedPairing? { sessions[session.id]?.claimed }

    /// Drops the attempts of all other sessions.
    func forget(but kept: Set<Int64>) { sessions = sessions.filter { kept.contains($0.key) } }

    var known: [Int64] { Array(sessions.keys) }

    /// Ends the waits for the person's answer, because the broker ends.
    func end() { isOver = true }
}
