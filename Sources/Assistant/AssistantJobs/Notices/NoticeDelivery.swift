import AssistantStore
import Foundation
import Logging
import Notifications

/// Delivers notices to the devices of users by Apple's service and by Web Push, and keeps them during quiet hours.
///
/// Quiet hours hold every notice but the morning brief, a reminder of a meeting that begins after them, and urgent mail from
/// a sender that the user marked. ``HeldNotices`` sends what was held.
package struct NoticeDelivery: NoticeDelivering {
    let channels: PushChannels
    let database: AssistantDatabase
    let keys: StateKeys
    let logger: Logger

    /// - Parameters:
    ///   - state: the folder with the service's keys.
    ///   - keys: those in that folder.
    /// - Throws: `WebPushError`, `FileError`.
    package init(
        _ settings: NoticeSettings, state: URL, database: AssistantDatabase, keys: StateKeys, logger: Logger
    ) throws {
        channels = try PushChannels(settings, state: state, database: database, keys: keys, logger: logger)
        self.database = database
        self.keys = keys
        self.logger = logger
    }

    package func close() async { await channels.close() }

    package func deliver(_ notice: Notice, to userID: UUID, at now: Date) async throws -> NoticeOutcome {
        guard now < notice.expires else { return .refused }
        guard let recipient = try await database.notices.recipient(userID) else { return .noDevice }
        if let end = QuietHours(recipient.preferences).end(around: now),
            try waits(notice, until: end, recipient, of: userID)
        {
            let digest = keys.digest(notice.collapseKey, for: "held notice")
            let sealed = try SealedNotice.seal(notice, of: userID, digest, keys)
            let isHeld = try await database.notices.hold(
                sealed, collapseDigest: digest, of: userID, until: end, at: now)
            return isHeld ? .held : .noDevice
        }
        return try await channels.send(notice, to: userID, recipient, at: now)
    }

    /// Returns whether a notice waits for the end of the quiet hours that it comes in.
    private func waits(_ notice: Notice, until end: Date, _ recipient: NoticeRecipient, of userID: UUID) throws
        -> Bool
    {
        switch notice.kind {
        case .morningBrief: return false
        case .meetingReminder:
            if recipient.notifications.remindsInQuietHours { return false }
            // A meeting right after the quiet hours would be missed.
            return notice.begins.map { $0 < end } ?? true
        case .urgentMail:
            guard let sender = notice.sender else { return true }
            return try !NotificationPreferences(recipient.notifications, of: userID, keys).marks(sender)
        case .reconnect, .heldNotices, .statement, .confirmation: return true
        }
    }
}
