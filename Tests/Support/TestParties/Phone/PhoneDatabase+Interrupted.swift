import Foundation
import Messages
import Phone
import PhoneStore
import Signer

extension PhoneDatabase {
    /// Leaves an approved request as it is when the process stops during its run. No page may be served meanwhile: it looks for
    /// such requests several times a second, and ends them.
    ///
    /// - Parameter status: how far the run came: `approved` or `executing`.
    /// - Throws: ``NotInterrupted`` if the request did not wait for an approval.
    package func interrupt(_ id: RequestID, at status: RequestStatus = .executing, now: Date) async throws {
        guard try await claim(id, decision: .approve, at: now),
            try await move(id, from: .pendingApproval, to: .approved, at: now)
        else { throw NotInterrupted() }
        guard status == .executing else { return }
        guard try await move(id, from: .approved, to: .executing, at: now) else { throw NotInterrupted() }
    }
}

extension TestPhone {
    /// Has the phone know what its broker offers, as after a refresh, while neither a runner nor a page is there.
    ///
    /// - Returns: the phone's database.
    package func knowing() async throws -> PhoneDatabase {
        let store = try PhoneDatabase(home)
        for envelope in await broker.envelopes {
            let verified = try SignedEnvelope(json: envelope).verified(with: try FakeBroker.secret(), at: clock.now)
            guard try await store.admit(verified, at: clock.now) == .admitted else { throw RequestNotShown() }
        }
        return store
    }
}

/// Thrown when a request is not in the state in which its run can be cut short.
package struct NotInterrupted: Error {}
