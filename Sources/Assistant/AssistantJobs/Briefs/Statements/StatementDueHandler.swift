import AssistantStore
import BrokerClient
import Clocks
import Encodings
import Foundation
import Messages
import Notifications
import Secrets

/// Asks the broker for statements that the user has confirmed, and follows each until it has arrived or cannot. Where a
/// schedule is set, it also makes an offer of each month's statement.
///
/// The job of a confirmation has the confirmation's id as its subject; the schedule's has none.
package struct StatementDueHandler: JobHandler {
    /// The seconds between two looks at a request.
    private static let look: TimeInterval = 60
    /// A broker that does not answer for so many seconds is not asked any more.
    private static let patience: TimeInterval = 7 * 86_400

    private let database: AssistantDatabase
    private let keys: StateKeys
    private let broker: any StatementBroker
    private let offers: StatementOffers
    private let notices: any NoticeDelivering
    private let schedule: Recurrence?

    package init(
        database: AssistantDatabase, keys: StateKeys, broker: any StatementBroker, offers: StatementOffers,
        notices: any NoticeDelivering, schedule: Recurrence?
    ) {
        self.database = database
        self.keys = keys
        self.broker = broker
        self.offers = offers
        self.notices = notices
        self.schedule = schedule
    }

    package var type: JobType { .statementDue }
    package var planning: JobPlanning { schedule == nil ? .onDemand : .perConnection }

    package func firstDue(of userID: UUID, at now: Date) async throws -> Date { schedule?.next(after: now) ?? now }

    package func perform(_ job: LeasedJob, at now: Date) async throws -> JobEnd {
        guard let id = Self.confirmation(of: job) else { return try await offerByPlan(job, at: now) }
        guard let confirmation = try await database.confirmations.confirmation(id, of: job.userID) else {
            return .done
        }
        do {
            switch confirmation.state {
            case .approved: return try await ask(confirmation, job.userID, at: now)
            case .asked: return try await follow(confirmation, job.userID, at: now)
            case .pending, .denied, .done, .failed: return .done
            }
        } catch let error as AgentError {
            return try await end(error, confirmation, job.userID, at: now)
        }
    }

    private static func confirmation(of job: LeasedJob) -> UUID? {
        job.subject.isEmpty ? nil : UUID(uuidString: String(decoding: job.subject, as: UTF8.self))
    }

    private func offerByPlan(_ job: LeasedJob, at now: Date) async throws -> JobEnd {
        guard let schedule else { return .done }
        if job.dueAt <= now, schedule.next(after: job.dueAt.addingTimeInterval(-1)) <= now {
            do {
                try await offers.offerLastMonth(to: job.userID, in: schedule.zone, at: now)
            } catch is StatementsUnavailable {
                return .retry(after: .seconds(60), reason: "BROKER_UNAVAILABLE")
            }
        }
        return .next(schedule.next(after: now))
    }

    // MARK: A confirmed statement

    private func ask(_ confirmation: StoredConfirmation, _ userID: UUID, at now: Date) async throws -> JobEnd {
        // Nothing is asked for a user whose deletion has begun.
        guard try await database.confirmations.mayProceed(of: userID) else { return .done }
        guard offers.mayAsk(userID) else {
            try await fail(confirmation, userID, "NOT_ALLOWED", at: now)
            return .done
        }
        let subject = try StatementSubject(confirmation.sealedSubject, of: confirmation.id, keys)
        // The same key each time: a repetition after a crash finds the first request.
        let request = try await broker.ask(
            subject.month, bankID: subject.bankID, key: "assistant-\(confirmation.id.uuidString.lowercased())")
        let sealed = try keys.seal(
            Secret(JSONValue.object(["request_id": .string(request.id.description)]).compactText()),
            as: Self.binding(confirmation.id))
        _ = try await database.confirmations.move(
            confirmation.id, of: userID, from: .approved, to: .asked, sealedRequest: sealed,
            recording: Self.event("STATEMENT_REQUESTED", "SUCCESS", confirmation), at: now)
        return .next(now.addingTimeInterval(Self.look))
    }

    private func follow(_ confirmation: StoredConfirmation, _ userID: UUID, at now: Date) async throws -> JobEnd {
        guard let sealed = confirmation.sealedRequest,
            let id = try JSONReader.read(keys.open(sealed, as: Self.binding(confirmation.id)).revealed())["request_id"]?
                .stringValue.flatMap({ RequestID($0) })
        else {
            try await fail(confirmation, userID, "NO_REQUEST", at: now)
            return .done
        }
        let request = try await broker.request(id)
        guard request.status.isTerminal else { return .next(now.addingTimeInterval(Self.look)) }
        let subject = try StatementSubject(confirmation.sealedSubject, of: confirmation.id, keys)
        let arrived = request.status == .completed
        // Told before it is noted: after a crash it is told again, and the device shows one.
        if let end = try await tell(subject, arrived: arrived, confirmation, userID, at: now) { return end }
        _ = try await database.confirmations.move(
            confirmation.id, of: userID, from: .asked, to: arrived ? .done : .failed,
            recording: Self.event(
                "STATEMENT_REQUEST_ENDED", arrived ? "SUCCESS" : "FAILURE", confirmation,
                ["status": .string(request.status.rawValue)]), at: now)
        return .done
    }

    private func tell(
        _ subject: StatementSubject, arrived: Bool, _ confirmation: StoredConfirmation, _ userID: UUID, at now: Date
    ) async throws -> JobEnd? {
        let name = confirmation.id.uuidString.lowercased()
        let title = arrived ? "A statement has arrived" : "A statement did not arrive"
        let text = arrived ? "It is in your inbox folder." : "The broker's log tells why."
        let whole = "\(subject.month)" + (subject.bank.isEmpty ? "" : ", \(subject.bank)")
        let notice = Notice(
            .statement, title: title, text: text, details: Notice.Details(title: title, text: whole), id: name,
            link: "alfred://statements/\(name)", collapseKey: "statement-\(name)",
            expires: now.addingTimeInterval(86_400))
        guard case .later(let pause) = try await notices.deliver(notice, to: userID, at: now) else { return nil }
        return .retry(after: pause, reason: "PUSH_UNAVAILABLE")
    }

    /// Tells what an error of the broker means: most pass, and a request that it refuses never succeeds.
    private func end(
        _ error: AgentError, _ confirmation: StoredConfirmation, _ userID: UUID, at now: Date
    ) async throws -> JobEnd {
        switch error.code.flatMap(ErrorCode.init(rawValue:)) {
        case .badRequest?, .invalidField?, .notFound?, .requestNotFound?:
            try await fail(confirmation, userID, error.code ?? "REFUSED", at: now)
            return .done
        case _ where now.timeIntervalSince(confirmation.changedAt) > Self.patience:
            try await fail(confirmation, userID, "BROKER_UNAVAILABLE", at: now)
            return .done
        default: return .retry(after: .seconds(60), reason: "BROKER_UNAVAILABLE")
        }
    }

    private func fail(
        _ confirmation: StoredConfirmation, _ userID: UUID, _ reason: String, at now: Date
    ) async throws {
        let subject = try StatementSubject(confirmation.sealedSubject, of: confirmation.id, keys)
        // A notice that cannot be delivered is not tried again.
        _ = try await tell(subject, arrived: false, confirmation, userID, at: now)
        _ = try await database.confirmations.move(
            confirmation.id, of: userID, from: confirmation.state, to: .failed,
            recording: Self.event(
                "STATEMENT_REQUEST_ENDED", "FAILURE", confirmation, ["reason": .string(reason)]), at: now)
    }

    private static func event(
        _ type: String, _ result: String, _ confirmation: StoredConfirmation, _ more: [String: JSONValue] = [:]
    ) -> NewAuditEvent {
        let id: [String: JSONValue] = ["confirmation_id": .string(confirmation.id.uuidString.lowercased())]
        return NewAuditEvent(type, result: result, metadata: .object(id.merging(more) { $1 }))
    }

    private static func binding(_ confirmation: UUID) -> String { "request of \(confirmation.uuidString)" }
}
