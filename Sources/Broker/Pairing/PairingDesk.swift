import DeviceTrust
import Foundation
import Signer

/// The attempts of the phones that pair just now. They are in memory alone, with the keys that were made for them: a
/// broker that is started anew has forgotten them, and their sessions are over.
actor PairingDesk {
    /// Attempts that one session may have at a time.
    static let attemptsPerSession = 256

    private struct Attempts {
        var waiting: [Nonce: BrokerPairing] = [:]
        var claimed: ClaimedPairing?
    }

    /// By the session's row.
    private var sessions: [Int64: Attempts] = [:]
    private(set) var isOver = false

    /// - Returns: false when too many try at once.
    func add(_ attempt: BrokerPairing, to session: PairingSession) -> Bool {
        guard sessions[session.id]?.waiting.count ?? 0 < Self.attemptsPerSession else { return false }
        sessions[session.id, default: Attempts()].waiting[attempt.offer.attempt] = attempt
        return true
    }

    /// An attempt claims once, and is gone with it.
    func take(_ attempt: Nonce, of session: PairingSession) -> BrokerPairing? {
        sessions[session.id]?.waiting.removeValue(forKey: attempt)
    }

    func claim(_ claimed: ClaimedPairing, of session: PairingSession) {
        // Those who are too late keep nothing.
        sessions[session.id] = Attempts(claimed: claimed)
    }

    func claimed(of session: PairingSession) -> ClaimedPairing? { sessions[session.id]?.claimed }

    /// Lets go of the sessions that are over, but for the last one that was done: its phone may have missed the answer.
    func forget(but kept: Set<Int64>) { sessions = sessions.filter { kept.contains($0.key) } }

    var known: [Int64] { Array(sessions.keys) }

    /// Nobody is kept waiting any more: the broker ends.
    func end() { isOver = true }
}
