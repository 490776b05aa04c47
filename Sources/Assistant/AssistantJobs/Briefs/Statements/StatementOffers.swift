import AssistantStore
import BrokerClient
import Clocks
import Foundation
import Logging
import Messages
import Notifications
import Synchronization

/// Makes an offer of each statement that is ready: a confirmation, which the user gives or not.
///
/// An offer that comes from a mail always waits for the user: anyone can write one. One of the schedule does not wait where
/// `high_risk_requires_confirm` is off. The phone asks its owner in any case.
package final class StatementOffers: StatementMailTaking {
    /// An offer waits for so many seconds.
    package static let lifetime: TimeInterval = 14 * 86_400
    /// A list of banks is asked for again after so many seconds.
    private static let bankAge: TimeInterval = 600
    /// The most offers of mail that wait at a time.
    private static let mostWaiting = 5
    /// A mail waits so many seconds for a broker that does not answer. Then it is left out.
    private static let patience: TimeInterval = 3600

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
        guard let banks = await banks(at: now) else {
            if now.timeIntervalSince(mail.receivedAt) < Self.patience { throw StatementsUnavailable() }
            return
        }
        guard let bank = StatementMail.bank(of: mail, among: banks, name: \.name),
            try await database.confirmations.pending(of: userID, at: now).count < Self.mostWaiting
        else { return }
        try await offer(
            StatementSubject(month: statement.month, bankID: bank.bankID, bank: bank.name), asks: true, to: userID,
            at: now)
    }

    /// Makes offers of last month's statement of every bank.
    ///
    /// - Throws: ``StatementsUnavailable``.
    package func offerLastMonth(to userID: UUID, in zone: TimeZone, at now: Date) async throws {
        guard mayAsk(userID), let month = MonthYear.current(at: now, in: zone).previous,
            let preferences = try await database.preferences.preferences(of: userID)
        else { return }
        guard let banks = await banks(at: now) else { throw StatementsUnavailable() }
        for bank in banks {
            try await offer(
                StatementSubject(month: month, bankID: bank.bankID, bank: bank.name),
                asks: preferences.highRiskRequiresConfirm, to: userID, at: now)
        }
    }

    /// Returns the consents to the banks' interfaces that end within a week, or have ended; none where the broker may not be asked
    /// for this user, or has not answered yet.
    package func consents(of userID: UUID, at now: Date) async -> [Brief.Consent] {
        guard mayAsk(userID), let banks = await banks(at: now) else { return [] }
        return banks.compactMap { bank in
            guard let consent = bank.consent, consent.stage(at: now) != .running,
                let end = consent.end(seenAt: now)
            else { return nil }
            return Brief.Consent(bank: bank.name, end: end, hasEnded: consent.stage(at: now) == .ended)
        }
    }

    /// - Parameter asks: whether the offer waits for the user.
    private func offer(_ subject: StatementSubject, asks: Bool, to userID: UUID, at now: Date) async throws {
        let id = UUID()
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

    /// Returns the broker's banks, or those that it named last; nil when it has named none yet.
    private func banks(at now: Date) async -> [OfferedBank]? {
        if let last = known.withLock({ $0 }), now.timeIntervalSince(last.time) < Self.bankAge { return last.banks }
        do throws(AgentError) {
            let banks = try await broker.banks()
            known.withLock { $0 = (banks, now) }
            return banks
        } catch {
            logger.error("cannot list the broker's banks", metadata: ["error": "\(error)"])
            return known.withLock { $0?.banks }
        }
    }
}
