import DeviceTrust
import Foundation
import Messages

/// The attempts of the phones that pair just now. They are in memory alone, with the keys that were made for them: a
/// broker that is started anew has forgotten them, and their sessions are over.
actor PairingDesk {
    /// Attempts that one session may have at a time.
    static let attemptsPerSession = 256

    private struct Attempts {
        /// The oldest first.
        var waiting: [BrokerPairing] = []
        var claimed: ClaimedPairing?
    }

    /// By the session's row.
    private var sessions: [Int64: Attempts] = [:]
    private(set) var isOver = false

    /// Where too many try at once, the oldest attempt gives way: a phone claims right after it has begun, and somebody
    /// who only begins keeps nobody out.
    func add(_ attempt: BrokerPairing, to session: PairingSession) {
        var waiting = sessions[session.id]?.waiting ?? []
        if waiting.count == Self.attemptsPerSession { waiting.removeFirst() }
        sessions[session.id, default: Attempts()].waiting = waiting + [attempt]
    }

    /// An attempt claims once, and is gone with it.
    func take(_ attempt: Nonce, of session: PairingSession) -> BrokerPairing? {
        guard let index = sessions[session.id]?.waiting.firstIndex(where: { $0.offer.attempt == attempt }) else {
            return nil
        }
        return sessions[session.id]?.waiting.remove(at: index)
    }

    func claim(_ claimed: ClaimedPairing, of session: PairingSession) {
        // Those who are too late keep nothing.
        sessions[session.id] = Attempts(claimed: claimed)
    }

    func claimed(of session: PairingSession) -> ClaimedPairing? { sessions[session.id]?.claimed }

    /// Lets go of all but these sessions.
    func forget(but kept: Set<Int64>) { sessions = sessions.filter { kept.contains($0.key) } }

    var known: [Int64] { Array(sessions.keys) }

    /// Nobody is kept waiting any more: the broker ends.
    func end() { isOver = true }
}
