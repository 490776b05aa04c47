import AssistantProcesses
import AssistantStore
import Foundation
import Notifications

/// Looks for urgent mail every few minutes, and tells the user of it.
package struct UrgentMailHandler: JobHandler {
    /// More alerts than this are told of in one notice.
    private static let mostNotices = 5

    private let database: AssistantDatabase
    private let keys: StateKeys
    private let google: GoogleAccess
    private let notices: any NoticeDelivering
    private let interval: TimeInterval
    private let statements: (any StatementMailTaking)?
    private let onAlert: @Sendable () -> Void

    /// - Parameters:
    ///   - interval: the seconds between two looks.
    ///   - statements: takes up mail that says that a statement is ready; nil without a broker.
    ///   - onAlert: called once for each new alert.
    package init(
        database: AssistantDatabase, keys: StateKeys, google: GoogleAccess, notices: any NoticeDelivering,
        interval: TimeInterval, statements: (any StatementMailTaking)?, onAlert: @escaping @Sendable () -> Void
    ) {
        self.database = database
        self.keys = keys
        self.google = google
        self.notices = notices
        self.interval = interval
        self.statements = statements
        self.onAlert = onAlert
    }

    package var type: JobType { .urgentMail }
    package var planning: JobPlanning { .perConnection }

    package func perform(_ job: LeasedJob, at now: Date) async throws -> JobEnd {
        let userID = job.userID
        let next = JobEnd.next(now.addingTimeInterval(interval))
        let wishes = try await NotificationPreferences(of: userID, in: database, keys)
        // A user who wants no alerts has no mail read.
        guard wishes.alertsOfUrgentMail else {
            try await skip(userID, at: now)
            return next
        }
        var isDone = true
        do {
            let look = MailLook(database, keys, of: userID, onAlert: onAlert)
            isDone = try await google.ask(.mail, of: userID, at: now) { api, connector in
                try await look.look(
                    at: MailClient(api), connector: connector.id, connected: connector.createdAt, wishes,
                    statements: statements, at: now)
            }
        } catch let error as GoogleAccessError {
            return error.jobEnd(at: now)
        }
        if let end = try await tell(userID, wishes, at: now) { return end }
        return isDone ? next : .retry(after: .seconds(60), reason: "BROKER_UNAVAILABLE")
    }

    private func skip(_ userID: UUID, at now: Date) async throws {
        for connector in try await database.connectors.connectors(of: userID) where connector.status == .active {
            try await MailLook(database, keys, of: userID).skip(connector: connector.id, at: now)
        }
    }

    /// Tells the user of the alerts that they do not know yet.
    ///
    /// - Returns: when to try again, if no push service could be reached.
    private func tell(_ userID: UUID, _ wishes: NotificationPreferences, at now: Date) async throws -> JobEnd? {
        var fresh: [(alert: StoredAlert, mail: AlertedMail)] = []
        for alert in try await database.alerts.untold(to: userID) {
            if now.timeIntervalSince(alert.createdAt) < Notice.alertTime {
                fresh.append((alert, try AlertedMail(alert.sealedMail, of: alert.id, keys)))
            } else {
                try await database.alerts.noteTold(alert.id, of: userID, at: now)
            }
        }
        // Alerts of marked senders come one by one: they pass quiet hours, which a notice of several does not.
        let marked = fresh.filter { $0.mail.address.map(wishes.marks) == true }
        let others = fresh.filter { $0.mail.address.map(wishes.marks) != true }
        let single = others.count > Self.mostNotices ? marked : marked + others
        for (alert, mail) in single {
            let notice = Notice.urgentMail(alert.id, at: alert.createdAt, mail)
            if let end = try await tell(notice, of: [alert], userID, at: now) { return end }
        }
        guard others.count > Self.mostNotices, let last = others.last?.alert else { return nil }
        let notice = Notice.urgentMail(last.id, at: last.createdAt, among: others.count)
        return try await tell(notice, of: others.map(\.alert), userID, at: now)
    }

    private func tell(
        _ notice: Notice, of alerts: [StoredAlert], _ userID: UUID, at now: Date
    ) async throws -> JobEnd? {
        if case .later(let pause) = try await notices.deliver(notice, to: userID, at: now) {
            return .retry(after: pause, reason: "PUSH_UNAVAILABLE")
        }
        for alert in alerts { try await database.alerts.noteTold(alert.id, of: userID, at: now) }
        return nil
    }
}
