import Agent
import AssistantMail
import AssistantNotices
import AssistantState
import AssistantStore
import Clocks
import Foundation
import Logging
import Messages
import Notifications
import Synchronization

/// Makes an offer of each statement that is ready: a confirmation, which the user gives or not. While
/// `high_risk_requires_confirm` holds, nothing is asked for without one. Without it, the phone still asks its owner.
package final class StatementOffers: StatementMailTaking {
    /// An offer waits for so many seconds.
    package static let lifetime: TimeInterval = 14 * 86_400
    /// A list of banks is asked for again after so many seconds.
    private static let bankAge: TimeInterval = 600

    private let database: AssistantDatabase
    private let keys: StateKeys
    private let broker: any StatementBroker
    private let notices: any NoticeDelivering
    private let users: Set<UUID>?
    private let logger: Logger
    private let known = Mutex<(banks: [OfferedBank], time: Date)?>(nil)

    /// - Parameter users: those for whom the broker may be asked; nil for every user.
    package init(
        database: AssistantDatabase, keys: StateKeys, broker: any StatementBroker, notices: any NoticeDelivering,
        users: Set<UUID>?, logger: Logger
    ) {
        self.database = database
        self.keys = keys
        self.broker = broker
        self.notices = notices
        self.users = users
        self.logger = logger
    }

    package func mayAsk(_ userID: UUID) -> Bool { users?.contains(userID) ?? true }

    /// Makes an offer of the statement that a mail speaks of, if the mail names one bank that the broker can ask.
    package func take(_ mail: ReceivedMail, of userID: UUID, at now: Date) async throws {
        guard mayAsk(userID), let statement = StatementMail(mail) else { return }
        guard let bank = StatementMail.bank(of: mail, among: await banks(at: now), name: \.name) else { return }
        try await offer(
            StatementSubject(month: statement.month, bankID: bank.bankID, bank: bank.name), to: userID, at: now)
    }

    /// Makes offers of last month's statement of every bank.
    package func offerLastMonth(to userID: UUID, in zone: TimeZone, at now: Date) async throws {
        guard mayAsk(userID), let month = MonthYear.current(at: now, in: zone).previous else { return }
        for bank in await banks(at: now) {
            try await offer(StatementSubject(month: month, bankID: bank.bankID, bank: bank.name), to: userID, at: now)
        }
    }

    private func offer(_ subject: StatementSubject, to userID: UUID, at now: Date) async throws {
        guard let preferences = try await database.preferences.preferences(of: userID) else { return }
        let id = UUID()
        let asks = preferences.highRiskRequiresConfirm
        let isNew = try await database.confirmations.add(
            id, of: userID, kind: StatementSubject.kind, subject: subject.digest(of: userID, keys),
            sealedSubject: try subject.sealed(for: id, keys), isApproved: !asks, job: StatementSubject.job,
            expires: now.addingTimeInterval(Self.lifetime),
            recording: NewAuditEvent(
                "STATEMENT_OFFERED", result: asks ? "WAITS" : "APPROVED",
                metadata: ["confirmation_id": .string(id.uuidString.lowercased())]), at: now)
        guard isNew, asks else { return }
        let name = id.uuidString.lowercased()
        // A notice that cannot be delivered is not tried again: the offer stands in the next brief.
        _ = try await notices.deliver(
            Notice(
                .confirmation, title: "A statement is ready", text: "Confirm it, and the assistant asks for it.",
                details: Notice.Details(title: "A statement is ready", text: subject.title), id: name,
                link: "alfred://confirmations/\(name)", collapseKey: "confirm-\(name)",
                expires: now.addingTimeInterval(86_400)), to: userID, at: now)
    }

    /// Returns the broker's banks, or those that it named last.
    private func banks(at now: Date) async -> [OfferedBank] {
        if let last = known.withLock({ $0 }), now.timeIntervalSince(last.time) < Self.bankAge { return last.banks }
        do throws(AgentError) {
            let banks = try await broker.banks()
            known.withLock { $0 = (banks, now) }
            return banks
        } catch {
            logger.error("the broker does not tell its banks", metadata: ["error": "\(error)"])
            return known.withLock { $0?.banks ?? [] }
        }
    }
}
