import BrokerStore
import Clocks
import Foundation
import Logging
import Messages

/// Makes the offers of the owner's schedules when their time has come, and ends the offers whose time is over.
struct Scheduler: Sendable {
    /// The time between two looks at the schedules.
    private static let interval: Duration = .seconds(5)

    let schedules: ScheduleStore
    let offers: OfferStore
    let requests: RequestStore
    let banks: BankStore
    let life: Duration
    let clock: BrokerClock
    let logger: Logger
    /// Receives every new offer.
    let announce: @Sendable (DocumentOffer) -> Void

    /// Looks at the schedules now and every few seconds, until the task is cancelled.
    func run() async {
        await reportUnreadable()
        while !Task.isCancelled {
            do {
                try await look()
            } catch is CancellationError {
                return
            } catch {
                logger.error("the schedules could not be followed", metadata: ["error": "\(error)"])
            }
            try? await Task.sleep(for: Self.interval)
        }
    }

    private func reportUnreadable() async {
        guard let ids = try? await schedules.unreadable(), !ids.isEmpty else { return }
        logger.error(
            """
            some schedules cannot be read, and make no offers; remove each with countersign schedule remove ID, or start the \
            broker with the plug-in of their kind
            """,
            metadata: ["schedules": "\(ids.joined(separator: ", "))"])
    }

    /// Makes the offers that are due. A schedule that was missed, however often, makes one; for a bank that gives one statement
    /// in a visit, each look makes one of those that were missed.
    func look() async throws {
        let now = clock.now
        try await offers.expire(at: now)
        for schedule in try await schedules.schedules() {
            let known = try await banks.known(withDefaultDevice: true)
            let bank = known.list.banks.first { $0.bankID == schedule.bankID }
            let isSingle = bank?.offersDocuments == false
            let accounts = bank?.accounts ?? []
            guard
                let (due, until) = schedule.due(at: now, accountCount: accounts.count, oneByOne: isSingle)
            else { continue }
            let isThere =
                isSingle
                ? try await hasStatement(of: due.to, schedule) : try await isThere(due, schedule, accounts)
            let offer = isThere ? nil : offer(of: due, by: schedule, at: now)
            guard let made = try await schedules.handle(schedule, until: until, offer) else { continue }
            logger.info(
                "offer made by a schedule",
                metadata: ["offer": "\(made.id)", "schedule": "\(schedule.id)", "documents": "\(made.words)"])
            announce(made)
        }
    }

    private func offer(of documents: DocumentsRequest, by schedule: Schedule, at now: Date) -> DocumentOffer {
        DocumentOffer(
            bankID: schedule.bankID, documents, agent: schedule.agent, isScheduled: true, createdAt: Timestamp(now),
            expiresAt: Timestamp(now.addingTimeInterval(life.seconds)))
    }

    /// Returns whether the agent has a month's statement already.
    private func hasStatement(of period: MonthYear, _ schedule: Schedule) async throws -> Bool {
        let file = try await requests.statement(of: period, ofBank: schedule.bankID, for: schedule.agent)
        return file.map { access($0, R_OK) == 0 } ?? false
    }

    /// Returns whether the agent has all these documents already.
    private func isThere(
        _ documents: DocumentsRequest, _ schedule: Schedule, _ accounts: [AccountAlias]
    ) async throws -> Bool {
        guard let selection = try? documents.selection(of: accounts) else { return false }
        let ids = selection.items(ofBank: schedule.bankID).map(\.id)
        let there = try await requests.earlierDocuments(ids, of: schedule.agent)
        return ids.allSatisfy { there[$0]?.filePath.map { access($0, R_OK) == 0 } ?? false }
    }
}
