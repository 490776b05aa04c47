import Foundation
import Notifications

/// The end of one delivery.
package enum NoticeOutcome: Sendable, Hashable {
    /// The push service of at least one device has taken it.
    case accepted
    /// Quiet hours: it is kept, and goes out with others when they end.
    case held
    /// The user has no device that can be reached.
    case noDevice
    /// Every push service refused it for good.
    case refused
    /// No push service could be reached, or each asked to wait. Trying again after this time makes sense.
    case later(Duration)
}

/// Delivers notices to the devices of a user.
package protocol NoticeDelivering: Sendable {
    /// Sends a notice to every device of the user, or keeps it until the user's quiet hours end.
    ///
    /// A notice with the same collapse key may be sent twice after a crash; a device shows one.
    ///
    /// - Throws: `AssistantStoreError` when the database cannot be used.
    func deliver(_ notice: Notice, to userID: UUID, at now: Date) async throws -> NoticeOutcome
}
