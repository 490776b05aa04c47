import Archive
import Clocks
import Foundation
import GRDB
import Machine
import Messages
import MockBank

/// `kill -9` on a broker while it files statements in an archive. Each statement that it took must be in the archive once,
/// with the bank's bytes, and nothing else may lie there.
struct ArchiveKills {
    let extent: Extent

    /// The statements of one round, each of another month.
    private static let together = 6
    private static let months = 24

    func run() async throws -> Tally {
        try await Stage.with { stage in
            let folder = stage.root.appending(path: "archive", directoryHint: .isDirectory)
            try PrivateFolder.make(folder)
            var row = Tally()
            var delivered: Set<MonthYear> = []
            while row.tried < extent.count, !extent.isOver {
                let first = row.tried * Self.together
                row.tried += 1
                let faults = row.lost + row.doubled
                let numbers = (0..<Self.together).map { (first + $0) % Self.months }
                let ids = try await killed(numbers, stage, folder)
                delivered.formUnion(numbers.map(Stage.period(monthsBefore:)))

                let broker = try stage.realBroker(["BROKER_ARCHIVE_PATH": folder.path])
                try await stage.answers(broker)
                let books = Books(stage: stage)
                let isFiled = try await eventually(within: .seconds(90)) {
                    // What was taken leaves the inbox after it was accepted.
                    try ids.allSatisfy { try books.brokerStatus($0) == "COMPLETED" } && books.unfiled() == 0
                        && stage.inboxNames().isEmpty
                }
                if !isFiled {
                    let left = stage.inboxNames().count
                    row.loseByTime(
                        "\(try books.unfiled()) statements were not filed, \(left) files stayed in the inbox")
                }
                await broker.stopped()
                try await compare(folder, delivered, &row)
                if row.lost + row.doubled == faults { row.survived += 1 }
            }
            row.add(try await Books(stage: stage).checkAll(withPhone: false))
            row.seen = "\(row.tried * Self.together) statements of \(delivered.count) months"
            return row
        }
    }

    /// Delivers statements to a broker that is killed when it takes or files one of them.
    private func killed(_ numbers: [Int], _ stage: Stage, _ folder: URL) async throws -> [RequestID] {
        let victim = Victim(
            at: ["statement accepted", "document filed"], time: Int.random(in: 1...2 * Self.together))
        let broker = try stage.realBroker(["BROKER_ARCHIVE_PATH": folder.path]) { victim.look(at: $0) }
        try await stage.answers(broker)
        var ids: [RequestID] = []
        for number in numbers {
            let id = try await stage.askApproved(monthsBefore: number)
            try stage.deliver(stage.delivery(for: id, Stage.period(monthsBefore: number)))
            ids.append(id)
        }
        victim.is(broker)
        _ = await eventually(within: .seconds(20)) { victim.wasKilled || !broker.isRunning }
        await broker.killed()
        return ids
    }

    private func compare(_ folder: URL, _ delivered: Set<MonthYear>, _ row: inout Tally) async throws {
        let archive = try DocumentArchive(root: folder)
        defer { archive.close() }
        let documents = try await archive.documents()
        for month in delivered {
            let copies = documents.count { $0.period == month }
            if copies > 1 { row.double("the statement of \(month) is in the archive \(copies) times") }
            let statement = MockBankServer.statement(month: month.month, year: month.year)
            let path = documents.first { $0.period == month }?.path
            let filed = path.flatMap { FileManager.default.contents(atPath: folder.appending(path: $0).path) }
            if filed != Data(statement) { row.lose("the archive has no statement of \(month), or not the bank's") }
        }
        let verification = try await archive.verify()
        for path in verification.extra { row.double("the index does not know \(path)") }
        if !verification.isClean, verification.extra.isEmpty { row.lose("the archive is not as it was filed") }
    }
}

extension Books {
    /// Returns the number of accepted documents that are not filed yet.
    fileprivate func unfiled() throws -> Int {
        try read(stage.database) { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM documents_to_file") ?? 0 }
    }
}
