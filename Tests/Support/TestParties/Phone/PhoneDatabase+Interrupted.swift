import Foundation
import Messages
import PhoneStore

extension PhoneDatabase {
    /// Leaves an approved request as it is when the process stops during its run.
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

/// Thrown when a request is not in the state in which its run can be cut short.
package struct NotInterrupted: Error {}
