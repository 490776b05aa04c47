import Clocks
import Foundation
import Machine
import Messages
import MockBank

/// A newer program in the broker's place while a phone fetches: the file is replaced, as a package does it, and the broker is
/// told to end and started again. COUNTERSIGN_EARLIER names the earlier program; without it, both are this one.
///
/// No request may be lost, no bank may have a sign-in too many, and the earlier broker has to end by itself.
struct Upgrades {
    let extent: Extent

    private static let limits = ["BROKER_APPROVAL_TTL_SECONDS": "30", "BROKER_EXECUTION_TIMEOUT_SECONDS": "20"]

    func run() async throws -> Tally {
        var row = Tally()
        var (signIns, inTheMiddle) = (0, 0)
        let earlier = ProcessInfo.processInfo.environment["COUNTERSIGN_EARLIER"].map { URL(filePath: $0) }
        while row.tried < extent.count, !extent.isOver {
            row.tried += 1
            let visits = BankVisits()
            let round = try await Stage.withPhone {
                $0.onRequest = { visits.note($0, $1) }
            } _: { stage, bank in
                try await upgrade(stage, bank, from: earlier ?? Child.executable("countersign"), visits)
            }
            row.addFaults(of: round)
            if round.hasNoFault { row.survived += 1 }
            signIns += visits.signIns
            inTheMiddle += Int(round.seen) ?? 0
        }
        row.seen =
            "\(signIns) sign-ins, \(inTheMiddle) requests open at an upgrade, from "
            + (earlier?.lastPathComponent ?? "the same program")
        return row
    }

    /// - Returns: the number of the requests that were open at the upgrade, as what was seen.
    private func upgrade(_ stage: Stage, _ bank: String, from earlier: URL, _ visits: BankVisits) async throws -> Tally
    {
        var row = Tally()
        let program = stage.root.appending(path: "countersign")
        try Self.install(earlier, as: program)
        var broker = try stage.realBroker(Self.limits, program: program)
        try await stage.answers(broker)
        let phone = try stage.phone(bank: bank)
        guard await eventually(within: .seconds(120), { phone.lines.contains("ready") }) else {
            throw Impatience(description: "the phone does not start: \(phone.lines.suffix(3))")
        }
        var months = Months()
        let wanted = months.next(4)
        var asked: [MonthYear: RequestID] = [:]
        for month in wanted {
            asked[month] = try await stage.agent.requestStatement(month: month.month, year: month.year).id
        }
        try await Task.sleep(for: .milliseconds(Int.random(in: 0...4000)))

        try Self.install(Child.executable("countersign"), as: program)
        let books = Books(stage: stage)
        let open = try books.broker().values.count { Books.open.contains($0.status) }
        broker.signal(SIGTERM)
        let hasEnded = await eventually(within: .seconds(30)) { [broker] in !broker.isRunning }
        if !hasEnded { row.fault("the earlier broker did not end in 30 s") }
        await broker.killed()
        broker = try stage.realBroker(Self.limits, program: program)
        try await stage.answers(broker)

        for month in wanted { try await stage.complete(month, asked[month], &row) }
        let isSettled = try await eventually(within: .seconds(90)) {
            try books.broker().values.allSatisfy { !Books.open.contains($0.status) }
                && books.phone().values.allSatisfy { !Books.open.contains($0.status) } && stage.inboxNames().isEmpty
        }
        if !isSettled {
            row.loseByTime("a request is open for ever, or a file is left: \(stage.inboxNames().prefix(3))")
        }
        await phone.killed()
        await broker.stopped()
        let runs = try books.requests("request.executing", stage.home.database)
        for (id, all) in Dictionary(grouping: runs, by: \.self) where all.count > 1 {
            row.double("\(id.prefix(8)) was run \(all.count) times")
        }
        if visits.signIns > runs.count { row.double("\(visits.signIns) sign-ins for \(runs.count) runs") }
        if try books.count("hold.set", stage.home.database) > 0 { row.fault("the bank was put on hold") }
        row.add(try await books.checkAll(withPhone: true))
        row.seen = "\(open)"
        return row
    }

    /// Puts a program in another's place under its name, in one step.
    private static func install(_ program: URL, as place: URL) throws {
        let new = place.appendingPathExtension("new")
        let target = program.resolvingSymlinksInPath()
        // A copy, for a rename between two links to one file would replace nothing.
        try FileManager.default.copyItem(at: target, to: new)
        guard rename(new.path, place.path) == 0 else { throw FileError("installed", place.path) }
    }
}
