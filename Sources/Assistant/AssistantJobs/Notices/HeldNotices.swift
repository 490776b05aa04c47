import AssistantStore
import Clocks
import Encodings
import Foundation
import Logging
import Notifications

/// Sends what quiet hours have held, once they are over: one notice to each user, whatever was held.
///
/// A worker calls ``releaseDue(at:)`` every few seconds. Any number of workers may.
package struct HeldNotices: Sendable {
    /// The most users that are served side by side.
    private static let most = 64
    /// The seconds after which another worker takes users whose worker died.
    private static let lease: TimeInterval = 60
    /// Held notices of a user without a device that can be reached are kept so long, in seconds.
    private static let mostAge: TimeInterval = 86_400
    private static let pause: TimeInterval = 3600

    private let delivery: NoticeDelivery

    package init(_ delivery: NoticeDelivery) {
        self.delivery = delivery
    }

    /// Sends the held notices of every user whose quiet hours are over.
    ///
    /// - Returns: the number of users who got theirs.
    /// - Throws: `AssistantStoreError` when due users cannot be read. A failure of one user's notices is logged, and they
    ///   are tried again.
    @discardableResult
    package func releaseDue(at now: Date) async throws -> Int {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            var (count, running) = (0, 0)
            while !Task.isCancelled {
                let due = try await delivery.database.notices.takeDue(
                    atMost: Self.most - running, until: now.addingTimeInterval(Self.lease), at: now)
                for user in due { group.addTask { await releaseReporting(user, at: now) } }
                running += due.count
                // A user whose push service is slow holds up no other one.
                guard let isReleased = try await group.next() else { break }
                running -= 1
                count += isReleased ? 1 : 0
            }
            return count
        }
    }

    private func releaseReporting(_ userID: UUID, at now: Date) async -> Bool {
        do {
            return try await release(userID, at: now)
        } catch {
            delivery.logger.error(
                "held notices could not be sent, and are tried again", metadata: ["error": "\(error)"])
            return false
        }
    }

    private func release(_ userID: UUID, at now: Date) async throws -> Bool {
        let store = delivery.database.notices
        guard let recipient = try await store.recipient(userID) else { return false }
        // The user may have changed the quiet hours, or the zone, since.
        if let end = QuietHours(recipient.preferences).end(around: now) {
            try await store.postpone(userID, until: end)
            return false
        }
        let held = try await store.held(of: userID)
        let notices = held.compactMap { SealedNotice.open($0.sealed, of: userID, $0.collapseDigest, delivery.keys) }
        if notices.count < held.count { delivery.logger.error("a held notice cannot be opened, and is left out") }
        guard let first = held.first, !notices.isEmpty else {
            try await store.forget(held, of: userID)
            return false
        }
        // The same key after a crash, so that devices show the notice once.
        let merged = Self.merged(notices, key: "held-\(first.id.uuidString.lowercased())", at: now)
        switch try await delivery.channels.send(merged, to: userID, recipient, at: now) {
        case .accepted:
            try await store.forget(held, of: userID)
            return true
        case .later(let wait):
            try await store.postpone(userID, until: now.addingTimeInterval(max(1, wait.seconds)))
        case .noDevice, .refused, .held:
            // A device may be registered again soon.
            if now.timeIntervalSince(first.heldAt) > Self.mostAge {
                try await store.forget(held, of: userID)
            } else {
                try await store.postpone(userID, until: now.addingTimeInterval(Self.pause))
            }
        }
        return false
    }

    /// Makes one notice of several.
    static func merged(_ notices: [Notice], key: String, at now: Date) -> Notice {
        let counts = Notice.Kind.allCases.compactMap { kind -> String? in
            let count = notices.count { $0.kind == kind }
            return count == 0 ? nil : kind.counted(count)
        }
        let title = "While it was quiet"
        let only = notices.count == 1 ? notices[0] : nil
        let lines = notices.map { notice in
            [notice.details?.title ?? notice.title, notice.details?.text ?? notice.text].filter { !$0.isEmpty }
                .joined(separator: ": ")
        }
        return Notice(
            .heldNotices, title: title, text: counts.joined(separator: ", "),
            details: Notice.Details(title: title, text: lines.joined(separator: "; ")), id: only?.id ?? key,
            link: only?.link ?? "alfred://notices", collapseKey: key, expires: now.addingTimeInterval(mostAge))
    }
}

extension Notice.Kind {
    /// Tells how many notices of this kind there are, such as `2 meeting reminders`.
    fileprivate func counted(_ count: Int) -> String {
        let (one, more) =
            switch self {
            case .meetingReminder: ("meeting reminder", "meeting reminders")
            case .morningBrief: ("morning brief", "morning briefs")
            case .urgentMail: ("urgent email", "urgent emails")
            case .reconnect: ("connection to renew", "connections to renew")
            case .heldNotices: ("notice", "notices")
            case .statement: ("statement", "statements")
            case .confirmation: ("question for you", "questions for you")
            }
        return count.counted(one, more)
    }
}
