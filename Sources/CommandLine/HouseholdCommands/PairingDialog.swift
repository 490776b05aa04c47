import BrokerStore
import Foundation
import Terminal

/// The broker's side of a pairing, from the code that is shown to the answer of the person who compares the words.
struct PairingDialog: Sendable {
    let pairings: PairingStore
    /// Is told of the device that has the code.
    let onClaim: @Sendable (PairingSession) -> Void
    /// Answers whether the device shows the same words. Is cancelled when the pairing is over before.
    let agrees: @Sendable () async throws -> Bool

    /// Waits until a device is paired, or the pairing has ended without one.
    ///
    /// - Returns: the session at its end; ``explanation(of:)`` puts its reason into words.
    /// - Throws: ``CommandFailure`` when the person says no, or answers at the very end.
    func follow(_ first: PairingSession) async throws -> PairingSession {
        let session = try await wait(for: first, while: [.open])
        guard session.state == .claimed else { return session }
        onClaim(session)
        guard let areSame = try await answer(while: session) else { return try await pairings.current(session) }
        guard areSame else {
            try await pairings.end(session, because: .denied)
            throw CommandFailure("the device was not paired")
        }
        guard try await pairings.confirm(session) else {
            throw CommandFailure("the pairing expired before you confirmed it; start again")
        }
        return try await wait(for: session, while: [.claimed, .confirmed])
    }

    /// Asks, for as long as the pairing is open: a program may never answer.
    ///
    /// - Returns: nil when the pairing is over.
    private func answer(while session: PairingSession) async throws -> Bool? {
        let (answers, answer) = AsyncThrowingStream<Bool?, any Error>.makeStream()
        let asking = Task {
            do { answer.yield(try await agrees()) } catch { answer.finish(throwing: error) }
        }
        let watching = Task {
            do {
                _ = try await wait(for: session, while: [.claimed])
                answer.yield(nil)
            } catch {
                answer.finish(throwing: error)
            }
        }
        defer {
            asking.cancel()
            watching.cancel()
        }
        for try await areSame in answers { return areSame }
        throw CancellationError()
    }

    private func wait(
        for session: PairingSession, while states: Set<PairingSession.State>
    ) async throws -> PairingSession {
        var now = try await pairings.current(session)
        while states.contains(now.state) {
            try await Task.sleep(for: .milliseconds(200))
            now = try await pairings.current(session)
        }
        return now
    }

    static func explanation(of reason: PairingSession.Reason?) -> String {
        switch reason {
        case .expired: "the pairing expired, and no device was paired; start again"
        case .wrongTries: "the code was wrong five times, which ends the pairing; start again"
        case .restarted: "the broker restarted, which ends the pairing; start again"
        case .cancelled: "the pairing was cancelled"
        case .denied, nil: "no device was paired"
        }
    }
}
