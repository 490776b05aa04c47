import Foundation
import GRDB

/// Two inserts in one durable transaction, with GRDB alone.
struct BareInserts {
    private let queue: DatabaseQueue

    init(home: URL) throws {
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        var configuration = Configuration()
        configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA synchronous = FULL") }
        queue = try DatabaseQueue(path: home.appending(path: "bare.sqlite").path, configuration: configuration)
        try queue.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA journal_mode = WAL") }
        try queue.write { db in
            try db.execute(
                sql: "CREATE TABLE one (id TEXT PRIMARY KEY, text TEXT); CREATE TABLE two (id TEXT, text TEXT)")
        }
    }

    /// Pairs of inserts per second.
    func rate(for seconds: Double) async throws -> Double {
        let end = ContinuousClock.now + .seconds(seconds)
        let text = String(repeating: "x", count: 400)
        var count = 0
        while ContinuousClock.now < end {
            let id = UUID().uuidString
            try await queue.write { db in
                try db.execute(sql: "INSERT INTO one VALUES (?, ?)", arguments: [id, text])
                try db.execute(sql: "INSERT INTO two VALUES (?, ?)", arguments: [id, text])
            }
            count += 1
        }
        return Double(count) / seconds
    }
}
