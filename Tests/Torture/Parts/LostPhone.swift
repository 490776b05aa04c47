import Clocks
import Foundation
import Messages
import MockBank

/// Two phones of one owner, who approves everything on both, and one of which is lost: it is killed at a random moment,
/// and its home is gone. Each request is run by one phone alone, and what the lost one has not delivered comes from the
/// other when the agent asks again. What it has left in the inbox the broker takes away.
struct LostPhone {
    let extent: Extent

    private static let limits = ["BROKER_APPROVAL_TTL_SECONDS": "20", "BROKER_EXECUTION_TIMEOUT_SECONDS": "8"]

    func run() async throws -> Tally {
        var row = Tally()
        var (signIns, lostRuns) = (0, 0)
        while row.tried < extent.count, !extent.isOver {
            row.tried += 1
            let visits = BankVisits()
            let round = try await Stage.withPhone(phones: 2) {
                $0.onRequest = { visits.note($0, $1) }
            } _: { stage, bank in
                try await lose(stage, bank, visits)
            }
            row.addFaults(of: round)
            if round.hasNoFault { row.survived += 1 }
            signIns += visits.signIns
            lostRuns += Int(round.seen) ?? 0
        }
        row.seen = "\(signIns) sign-ins, \(lostRuns) runs that were lost with a phone"
        return row
    }

    /// - Returns: the number of the runs that were cut short, as what was seen.
    private func lose(_ stage: Stage, _ bank: String, _ visits: BankVisits) async throws -> Tally {
        var row = Tally()
        let broker = try stage.quickBroker(stability: 40, remains: 3000, Self.limits)
        try await stage.answers(broker)
        let phones = try stage.homes.map { try stage.phone(bank: bank, home: $0) }
        for phone in phones {
            guard await eventually(within: .seconds(120), { phone.lines.contains("ready") }) else {
                throw Impatience(description: "a phone does not start: \(phone.lines.suffix(3))")
            }
        }
        var months = Months()
        let wanted = months.next(4)
        var asked: [MonthYear: RequestID] = [:]
        for month in wanted {
            asked[month] = try await stage.agent.requestStatement(month: month.month, year: month.year).id
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...400)))
        }
        let lost = Int.random(in: 0...1)
        await phones[lost].killed()
        let books = Books(stage: stage)
        var runs = try books.requests("request.executing", stage.homes[lost].database)
        let cutShort = try books.phoneStatuses(stage.homes[lost].database).count { Books.open.contains($0) }
        try FileManager.default.removeItem(at: stage.homes[lost].folder)

        for month in wanted { try await stage.complete(month, asked[month], &row) }
        let isSettled = try await eventually(within: .seconds(120)) {
            try books.broker().values.allSatisfy { !Books.open.contains($0.status) }
                && books.phoneStatuses(stage.homes[1 - lost].database).allSatisfy { !Books.open.contains($0) }
                && stage.inboxNames().isEmpty
        }
        if !isSettled {
            row.loseByTime("a request is open for ever, or a file is left: \(stage.inboxNames().prefix(3))")
        }
        await phones[1 - lost].killed()
        await broker.stopped()

        runs += try books.requests("request.executing", stage.homes[1 - lost].database)
        for (id, all) in Dictionary(grouping: runs, by: \.self) where all.count > 1 {
            row.double("\(id.prefix(8)) was run \(all.count) times")
        }
        if visits.signIns > runs.count { row.double("\(visits.signIns) sign-ins for \(runs.count) runs") }
        if try books.count("hold.set", stage.homes[1 - lost].database) > 0 { row.fault("the bank was put on hold") }
        row.add(try await books.checkDatabases(withPhone: false))
        row.seen = "\(cutShort)"
        return row
    }
}
