import Foundation
import GRDB
import Messages
import TestParties
import Testing

/// A finished request and looks at the database, for the tests of outgoing work.
extension BrokerStage {
    /// Asks for a statement, approves it and delivers it.
    func complete() async throws -> RequestID {
        let id = try await request()
        #expect(try await decide(id, "APPROVE").status == 200)
        try publish(id)
        #expect(try await BrokerStage.wait(for: id, on: self) == "COMPLETED")
        return id
    }

    /// Polls until the condition holds. The suite's time limit ends a condition that never does.
    static func until(_ isSo: () async throws -> Bool) async throws {
        while try await !isSo() { try await Task.sleep(for: .milliseconds(10)) }
    }

    /// Polls for twenty looks. Outgoing work that is not due is not done meanwhile.
    static func passTwentyLooks() async throws { try await Task.sleep(for: .milliseconds(200)) }

    func readDatabase<Value>(_ read: @Sendable (Database) throws -> Value) throws -> Value {
        try DatabaseQueue(path: database.path).read(read)
    }

    /// Makes every change of a kind fail, as a full disk does.
    func fail(_ change: String, _ table: String) throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        try DatabaseQueue(path: database.path, configuration: configuration).write { db in
            try db.execute(
                sql: """
                    CREATE TRIGGER full BEFORE \(change) ON \(table)
                    BEGIN SELECT RAISE(FAIL, 'database or disk is full'); END
                    """)
        }
    }

    /// The details of the audited events of a type, as JSON.
    func events(of type: String) throws -> [String] {
        try readDatabase { db in
            try String.fetchAll(
                db, sql: "SELECT event_details_json FROM audit_log WHERE event_type = ?", arguments: [type])
        }
    }
}
