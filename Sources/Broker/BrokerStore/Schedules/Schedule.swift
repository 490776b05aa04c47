import Clocks
import Encodings
import Foundation
import Messages

/// A rule of the owner's by which the broker offers documents again and again. It makes offers, never approvals.
package struct Schedule: Sendable, Hashable {
    /// Eight lower-case hexadecimal digits.
    package let id: String
    package let bankID: String
    package let recurrence: Recurrence
    package let kinds: [DocumentKind]
    /// Empty for every account that the phone has told of.
    package let accounts: [AccountAlias]
    /// The months of one offer, 1…``mostMonths``; the last one is the month before the offer.
    package let months: Int
    /// The agent that will have the documents.
    package let agent: AgentName
    package let createdAt: Timestamp
    /// The moments up to here have had their offers.
    package let handledUntil: Timestamp

    package static let mostMonths = 24

    package init(
        id: String, bankID: String, recurrence: Recurrence, kinds: [DocumentKind], accounts: [AccountAlias],
        months: Int, agent: AgentName, createdAt: Timestamp, handledUntil: Timestamp
    ) {
        self.id = id
        self.bankID = bankID
        self.recurrence = recurrence
        self.kinds = kinds
        self.accounts = accounts
        self.months = months
        self.agent = agent
        self.createdAt = createdAt
        self.handledUntil = handledUntil
    }

    /// The next moment after this one.
    package func next(after now: Date) -> Date { recurrence.next(after: max(now, handledUntil.date)) }

    /// Returns what is due now; nil when no moment has come since the last offer.
    ///
    /// Several moments that have passed, because the broker did not run, make one offer of all their months.
    ///
    /// - Parameters:
    ///   - accountCount: the number of accounts of the bank, which limits the months where the schedule names none.
    ///   - oneByOne: true for a bank that gives one statement in a visit. Only the first moment that has passed is handled.
    /// - Returns: the documents, and the time up to which they handle the schedule.
    package func due(
        at now: Date, accountCount: Int, oneByOne: Bool = false
    ) -> (documents: DocumentsRequest, until: Date)? {
        let moments = recurrence.moments(after: handledUntil.date, through: now)
        guard let first = moments.first, let last = oneByOne ? first : moments.last,
            let to = MonthYear.current(at: last, in: recurrence.zone).previous,
            let earliest = MonthYear.current(at: first, in: recurrence.zone).back(by: months)
        else { return nil }
        let columns = kinds.count * max(1, accounts.isEmpty ? accountCount : accounts.count)
        let room = max(1, DocumentSelection.most / columns)
        let from = max(earliest, to.back(by: room - 1) ?? earliest)
        return (
            DocumentsRequest(from: from, to: to, kinds: kinds, accounts: accounts, bankID: bankID),
            until: oneByOne ? first : now
        )
    }

    /// - Parameter now: the time from which the next moment counts.
    package func json(at now: Date) -> JSONValue {
        [
            "schedule_id": .string(id), "bank_id": .string(bankID), "recurrence": .string(recurrence.description),
            "kinds": .array(kinds.map { .string($0.rawValue) }),
            "accounts": .array(accounts.map { .string($0.description) }), "months": .number(Double(months)),
            "agent": .string(agent.description), "created_at": .string(createdAt.description),
            "next_at": .string(Timestamp(next(after: now)).description),
        ]
    }
}

extension MonthYear {
    /// Returns the month so many months before this one; nil before 1900.
    fileprivate func back(by count: Int) -> MonthYear? {
        (0..<count).reduce(Optional(self)) { month, _ in month?.previous }
    }
}

/// A schedule that cannot be kept, or that does not exist.
package struct ScheduleError: Error, Sendable, Hashable, CustomStringConvertible {
    package let message: String

    package var description: String { message }
}
