import AssistantJobs
import AssistantStore
import Foundation
import Notifications

/// Devices that cost the database what real ones do: who gets the notice is read, and that it was sent is recorded.
struct RecordedDevices: NoticeDelivering {
    let devices: RememberingDevices
    let database: AssistantDatabase

    func deliver(_ notice: Notice, to userID: UUID, at now: Date) async throws -> NoticeOutcome {
        guard try await database.notices.recipient(userID) != nil else { return .noDevice }
        let outcome = try await devices.deliver(notice, to: userID, at: now)
        try await database.audit.recordUnlessDeleted(
            NewAuditEvent("NOTICE_SENT", metadata: ["kind": .string(notice.kind.rawValue)]), of: userID, at: now)
        return outcome
    }
}
