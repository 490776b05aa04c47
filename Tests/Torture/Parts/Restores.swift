import Clocks
import Foundation
import Messages
import MockBank

/// An old backup of the broker in place of its database, while requests run: `broker backup --all` is made beside
/// running requests, more requests complete after it, the broker is killed, and `broker restore` puts the backup in place.
///
/// The restored broker knows nothing of what came after the backup. A statement that it had before must still be there, a
/// phone that has run a request must not run it again, and an agent that asks again must get every month.
struct Restores {
    let extent: Extent

    private static let limits = ["BROKER_APPROVAL_TTL_SECONDS": "20", "BROKER_EXECUTION_TIMEOUT_SECONDS": "8"]

    func run() async throws -> Tally {
        let visits = BankVisits()
        return try await Stage.withPhone {
            $0.onRequest = { visits.note($0, $1) }
        } _: { stage, bank in
            var row = Tally()
            var months = Months()
            var forgotten = 0
            let passphrase = stage.root.appending(path: "backup.passphrase")
            try Data("the words of a backup under torture\n".utf8).write(to: passphrase)
            let phone = try stage.phone(bank: bank)
            var broker = try stage.quickBroker(stability: 40, Self.limits)
            try await stage.answers(broker)
            while row.tried < extent.count, !extent.isOver {
                row.tried += 1
                let faults = row.lost + row.doubled
                let before = try await completed(months.next(2), on: stage, &row)
                let later = Task { [asked = months.next(4)] in try await ask(asked, on: stage) }
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...800)))
                let backup = stage.root.appending(path: "backup-\(row.tried)")
                try await countersign(
                    ["broker", "backup", "--all", "--passphrase-file", passphrase.path, backup.path], stage)
                let asked = try await later.value
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...1500)))
                await broker.killed()
                try FileManager.default.removeItem(at: stage.database.deletingLastPathComponent())
                try await countersign(["broker", "restore", "--passphrase-file", passphrase.path, backup.path], stage)
                try FileManager.default.removeItem(at: backup)
                broker = try stage.quickBroker(stability: 40, Self.limits)
                try await stage.answers(broker)
                for (month, id) in before {
                    try await check(id, month, on: stage) { row.lose("after the restore, \($0)") }
                }
                let known = Set(try Books(stage: stage).broker().keys)
                forgotten += asked.values.count { !known.contains($0.description) }
                for month in asked.keys { _ = try await completed([month], on: stage, &row) }
                try await settle(stage, &row)
                if row.lost + row.doubled == faults { row.survived += 1 }
            }
            await phone.killed()
            await broker.stopped()
            try await reckon(stage, visits, &row)
            row.seen = "\(visits.signIns) sign-ins, \(forgotten) requests that the backup did not know"
            return row
        }
    }

    // MARK: Requests

    private func ask(_ months: [MonthYear], on stage: Stage) async throws -> [MonthYear: RequestID] {
        var asked: [MonthYear: RequestID] = [:]
        for month in months {
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...1000)))
            asked[month] = try await stage.agent.requestStatement(month: month.month, year: month.year).id
        }
        return asked
    }

    /// Asks for months until each has its statement.
    ///
    /// - Returns: the request that completed each.
    private func completed(
        _ months: [MonthYear], on stage: Stage, _ row: inout Tally
    ) async throws -> [MonthYear: RequestID] {
        var completed: [MonthYear: RequestID] = [:]
        for month in months {
            var status: RequestStatus?
            for _ in 0..<5 where status != .completed {
                let id = try await stage.agent.requestStatement(month: month.month, year: month.year).id
                _ = await eventually(within: .seconds(120)) {
                    status = try? await stage.agent.request(id).status
                    return status?.isTerminal == true
                }
                if status == .completed { completed[month] = id }
            }
            guard let id = completed[month] else {
                row.loseByTime(
                    "the statement of \(month) did not come in five requests; the last is \(status?.rawValue ?? "?")")
                continue
            }
            try await check(id, month, on: stage) { row.lose($0) }
        }
        return completed
    }

    private func check(
        _ id: RequestID, _ month: MonthYear, on stage: Stage, _ report: (String) -> Void
    ) async throws {
        let request = try await stage.agent.request(id)
        let bytes = request.filePath.flatMap { FileManager.default.contents(atPath: $0) }
        guard request.status == .completed,
            bytes == Data(MockBankServer.statement(month: month.month, year: month.year))
        else { return report("\(month) is \(request.status.rawValue), or its file is not the bank's") }
    }

    // MARK: Ends

    /// Waits until both sides have nothing open, and the inbox is empty.
    private func settle(_ stage: Stage, _ row: inout Tally) async throws {
        let books = Books(stage: stage)
        let isSettled = try await eventually(within: .seconds(120)) {
            try books.broker().values.allSatisfy { !Books.open.contains($0.status) }
                && books.phone().values.allSatisfy { !Books.open.contains($0.status) } && stage.inboxNames().isEmpty
        }
        guard !isSettled else { return }
        for (side, requests) in [("broker", try books.broker()), ("phone", try books.phone())] {
            for (id, entry) in requests where Books.open.contains(entry.status) {
                row.loseByTime("\(id.prefix(8)) is \(entry.status) for ever on the \(side)'s side")
            }
        }
        if !stage.inboxNames().isEmpty { row.fault("left in the inbox: \(stage.inboxNames().prefix(4))") }
    }

    private func reckon(_ stage: Stage, _ visits: BankVisits, _ row: inout Tally) async throws {
        let books = Books(stage: stage)
        row.add(try await books.checkDatabases())
        let runs = try books.count("request.executing", stage.home.database)
        if visits.signIns > runs { row.double("\(visits.signIns) sign-ins for \(runs) runs") }
        let holds = try books.count("hold.set", stage.home.database)
        if holds > 0 { row.fault("the bank was put on hold \(holds) times") }
    }

    /// Runs a command of the broker's owner.
    private func countersign(_ arguments: [String], _ stage: Stage) async throws {
        let child = try stage.command(arguments)
        guard await child.end() == 0 else {
            throw Impatience(description: "\(arguments.prefix(2).joined(separator: " ")): \(child.lines.suffix(3))")
        }
    }
}

/// Different months, one after the other, backwards from the stage's own.
struct Months {
    private var number = 12 * Stage.period.year + Stage.period.month - 1

    /// Returns so many months. After ten years they begin again: a bank has no older ones.
    mutating func next(_ count: Int) -> [MonthYear] {
        (0..<count).compactMap { _ in
            let first = 12 * Stage.period.year + Stage.period.month - 1
            number = number > first - 24 ? number - 1 : first
            return MonthYear(month: number % 12 + 1, year: number / 12)
        }
    }
}
