import BrokerStore
import Encodings
import Foundation
import GRDB
import Messages
import Storage
import Testing

@testable import Broker

@Suite("A thief of the broker's disk finds the requests of years", .timeLimit(.minutes(3)))
struct ForeverKeptTests {
    @Test("requests, their evidence and the log go after the retention, and the chain still verifies")
    func retention() async throws {
        let broker = try AttackedBroker()
        let checkpoint = try await filled(broker)
        let ids = try await DatabaseQueue(path: broker.database.path).read { db in
            try String.fetchAll(db, sql: "SELECT id FROM pending_requests")
        }
        #expect(ids.count == 3)
        for text in ids { #expect(try Self.places(of: text, broker).isEmpty == false, "the files have it before") }
        broker.advance(by: 91 * 86_400)
        var configuration = try broker.configuration
        configuration.retentionDays = 90
        try await broker.run(configuration) { broker in
            while !broker.log.all.contains(where: { $0.contains("older than the retention, removed") }) {
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(try await broker.send("GET", "/requests").json["requests"]?.arrayValue?.isEmpty == true)
            let log = try BrokerAudit.open(broker.database)
            #expect(try await log.verify().isIntact)
            #expect(try await log.verify(against: checkpoint).isIntact)
            #expect(try await log.records().contains { $0.event.type == "request.created" } == false)
            for text in ids + ["canary-of-an-old-request"] {
                #expect(try Self.places(of: text, broker).isEmpty, "deletion reaches the files")
            }
            #expect(try await broker.ask(month: 3).status == 202, "the database still works")
        }
    }

    @Test("a beginning that was cut off by hand is reported")
    func cutOff() async throws {
        let broker = try AttackedBroker()
        _ = try await filled(broker)
        try await DatabaseQueue(path: broker.database.path).write { db in
            // As the file's owner can do, past the triggers' intention.
            try db.execute(
                sql: """
                    UPDATE audit_anchor SET pruned_through = 2, hash = (SELECT hash FROM audit_log WHERE id = 2);
                    DELETE FROM audit_log WHERE id <= 2;
                    """)
        }
        #expect(try await BrokerAudit.open(broker.database).verify() == .unexplainedStart(after: 2))
    }

    /// Returns the names of the files beside the broker's database that have a text in them: database, write-ahead log, journal and
    /// whatever else is there.
    private static func places(of text: String, _ broker: AttackedBroker) throws -> [String] {
        let folder = broker.database.deletingLastPathComponent()
        return try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { name in
            (try? Data(contentsOf: folder.appending(path: name)).range(of: Data(text.utf8))) != nil
        }
    }

    /// Makes requests that ended, and returns the end of the log.
    private func filled(_ broker: AttackedBroker) async throws -> AuditCheckpoint {
        try await broker.run { broker in
            for month in 1...3 {
                let id = try #require(
                    try await broker.ask(month: month, key: "canary-of-an-old-request-\(month)").json["request_id"]?
                        .stringValue)
                let denial: JSONValue = ["decision": "DENY", "decided_at": .string(Date().ISO8601Format())]
                _ = try await broker.send(
                    "POST", "/phone/requests/\(id)/decision", token: AttackedBroker.phoneToken, denial)
            }
        }
        return try await BrokerAudit.open(broker.database).checkpoint()
    }
}
