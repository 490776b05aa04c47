import Encodings
import Foundation
import GRDB
import Secrets
import Testing

@testable import Storage

private func aLog() throws -> (AuditLog, DatabaseQueue) {
    let database = try DatabaseQueue()
    var migrator = DatabaseMigrator()
    AuditLog.registerMigrations(&migrator)
    try migrator.migrate(database)
    return (AuditLog(database), database)
}

private func aFilledLog(_ count: Int = 5) async throws -> (AuditLog, DatabaseQueue) {
    let (log, database) = try aLog()
    for number in 1...count {
        let time = Date(timeIntervalSince1970: 1_800_000_000 + Double(number) * 60)
        try await log.record(
            AuditEvent(
                "request.\(number.isMultiple(of: 2) ? "denied" : "approved")",
                severity: AuditSeverity.allCases[number % 4], requestID: "r\(number)",
                details: ["number": .number(Double(number))], time: time))
    }
    return (log, database)
}

@Suite struct Chain {
    @Test("a record contains the hash of the one before")
    func chained() async throws {
        let (log, _) = try await aFilledLog()
        let records = try await log.records()
        #expect(records.map(\.id) == [1, 2, 3, 4, 5])
        #expect(records[0].previousHash == AuditRecord.noHash)
        for (one, next) in zip(records, records.dropFirst()) { #expect(next.previousHash == one.hash) }
        #expect(try await log.verify() == .intact(count: 5, last: log.checkpoint()))
    }

    @Test("an empty log is intact")
    func empty() async throws {
        let (log, _) = try aLog()
        #expect(try await log.verify().isIntact)
        #expect(try await log.checkpoint().id == 0)
    }

    @Test(
        "SQLite refuses to change the past",
        arguments: [
            "UPDATE audit_log SET event_type = 'x' WHERE id = 3", "DELETE FROM audit_log WHERE id = 5",
            "DELETE FROM audit_log WHERE id = 1", "UPDATE audit_anchor SET pruned_through = 3",
            "UPDATE audit_anchor SET pruned_through = 3, hash = 'x'", "DELETE FROM audit_anchor",
            "INSERT INTO audit_log VALUES (9, '', 'info', NULL, '', '{}', '', '')",
            "INSERT INTO audit_log VALUES (6, '', 'info', NULL, '', '{}', 'x', '')",
            "INSERT OR REPLACE INTO audit_log SELECT * FROM audit_log WHERE id = 3",
        ])
    func appendOnly(_ statement: String) async throws {
        let (log, database) = try await aFilledLog()
        await #expect(throws: DatabaseError.self) { try await database.write { try $0.execute(sql: statement) } }
        #expect(try await log.verify() == .intact(count: 5, last: log.checkpoint()))
    }

    @Test(
        "verification notices changes made without the triggers",
        arguments: [
            ("UPDATE audit_log SET event_type = 'x' WHERE id = 3", AuditVerification.broken(at: 3)),
            ("UPDATE audit_log SET severity = 'info' WHERE id = 2", .broken(at: 2)),
            ("UPDATE audit_log SET created_at = '2020-01-01T00:00:00.000Z' WHERE id = 1", .broken(at: 1)),
            ("UPDATE audit_log SET request_id = NULL WHERE id = 5", .broken(at: 5)),
            ("UPDATE audit_log SET event_details_json = '{' WHERE id = 4", .broken(at: 4)),
            ("UPDATE audit_log SET hash = previous_hash WHERE id = 4", .broken(at: 4)),
            ("DELETE FROM audit_log WHERE id = 3", .broken(at: 4)),
            ("DELETE FROM audit_log WHERE id = 1", .broken(at: 2)),
            ("DELETE FROM audit_log WHERE id > 3", .truncated(after: 3)),
            ("DELETE FROM audit_log", .truncated(after: 0)),
        ])
    func tampered(_ statement: String, _ expected: AuditVerification) async throws {
        let (log, database) = try await aFilledLog()
        let checkpoint = try await log.checkpoint()
        try await database.write { database in
            for name in try String.fetchAll(database, sql: "SELECT name FROM sqlite_master WHERE type = 'trigger'") {
                try database.execute(sql: "DROP TRIGGER \(name)")
            }
            try database.execute(sql: statement)
        }
        #expect(try await log.verify(against: checkpoint) == expected)
    }

    @Test("a rewritten log does not contain an old checkpoint")
    func rewritten() async throws {
        let (log, _) = try await aFilledLog(3)
        let checkpoint = try await log.checkpoint()
        let (other, _) = try await aFilledLog(2)
        for _ in 0..<3 { try await other.record(AuditEvent("forged")) }
        #expect(try await other.verify(against: checkpoint) == .rewritten(before: 3))
        #expect(try await other.verify().isIntact)
    }

    @Test("a checkpoint survives conversion to text")
    func checkpointText() async throws {
        let (log, _) = try await aFilledLog()
        let checkpoint = try await log.checkpoint()
        #expect(AuditCheckpoint(checkpoint.description) == checkpoint)
        #expect(AuditCheckpoint("5:xyz") == nil)
        #expect(AuditCheckpoint("-1:\(AuditRecord.noHash)") == nil)
    }
}

@Suite struct Times {
    @Test("a stored time reads back the same, to the millisecond")
    func stable() throws {
        for millisecond in 0..<1000 {
            for base in [1_800_000_000.0, 1_234_567_890, -86_400] {
                let text = AuditTime.text(Date(timeIntervalSince1970: base + Double(millisecond) / 1000))
                #expect(text.hasSuffix(String(format: ".%03dZ", millisecond)))
                #expect(AuditTime.text(try #require(AuditTime.date(text))) == text)
            }
        }
    }
}

@Suite struct Retention {
    @Test("keeps the newest records and the chain")
    func byCount() async throws {
        let (log, _) = try await aFilledLog(10)
        let checkpoint = try await log.checkpoint()
        #expect(try await log.prune(keeping: 4) == 6)
        #expect(try await log.records().map(\.id) == [7, 8, 9, 10, 11])
        #expect(try await log.records().last?.event.type == "audit.pruned")
        #expect(try await log.verify(against: checkpoint).isIntact)
        #expect(try await log.prune(keeping: 40) == 0)
    }

    @Test("a checkpoint whose record was pruned proves nothing, also in a log that was rewritten")
    func prunedCheckpoint() async throws {
        let (log, _) = try await aFilledLog(3)
        let checkpoint = try await log.checkpoint()
        let (other, _) = try await aFilledLog(2)
        for _ in 0..<8 { try await other.record(AuditEvent("forged")) }
        #expect(try await other.prune(keeping: 4) == 6)
        #expect(try await other.verify(against: checkpoint) == .checkpointPruned(id: 3, through: 6))
        #expect(try await other.verify().isIntact)
    }

    @Test("deletes by age, but never the newest record")
    func byAge() async throws {
        let (log, _) = try await aFilledLog(5)
        let third = Date(timeIntervalSince1970: 1_800_000_000 + 180)
        #expect(try await log.prune(since: third, at: third) == 2)
        #expect(try await log.records().map(\.id) == [3, 4, 5, 6])
        #expect(try await log.prune(since: .distantFuture) == 3)
        #expect(try await log.verify().isIntact)
    }

    @Test("refuses to keep no record")
    func keepsOne() async throws {
        let (log, _) = try await aFilledLog()
        await #expect(throws: AuditError.invalidRetention) { try await log.prune(keeping: 0) }
    }
}

@Suite struct Reading {
    @Test(
        "filters",
        arguments: [
            (AuditFilter(requestID: "r2"), [2]), (AuditFilter(leastSeverity: .error), [2, 3, 6]),
            (AuditFilter(type: "request"), [1, 2, 3, 4, 5, 6]), (AuditFilter(type: "request.denied"), [2, 4, 6]),
            (AuditFilter(type: "req"), []), (AuditFilter(after: 4), [5, 6]), (AuditFilter(limit: 2), [5, 6]),
            (AuditFilter(since: Date(timeIntervalSince1970: 1_800_000_300)), [5, 6]),
            (AuditFilter(until: Date(timeIntervalSince1970: 1_800_000_120)), [1]),
        ] as [(AuditFilter, [Int64])])
    func filtered(_ filter: AuditFilter, _ expected: [Int64]) async throws {
        let (log, _) = try await aFilledLog(6)
        #expect(try await log.records(filter).map(\.id) == expected)
    }

    @Test("no live secret reaches a record")
    func redacted() async throws {
        let (log, _) = try aLog()
        let secret = Secret("correct horse battery")
        try await log.record(
            AuditEvent(
                "odd.correct horse battery", requestID: "correct horse battery",
                details: ["said": "correct%20horse%20battery", "list": [["correct horse battery"]], "n": 1]))
        let text = AuditExport.jsonl.text(of: try await log.records())
        #expect(!text.contains("horse"))
        #expect(text.contains(Secret.mask))
        withExtendedLifetime(secret) {}
    }

    @Test("a type and an identifier stay whole beside a secret that is a part of them")
    func secretsInIdentifiers() async throws {
        let (log, _) = try aLog()
        let id = "8d2c1f4e-1234-4a6b-9c0d-5e6f7a8b9c0d"
        let digest = String(repeating: "0123456789abcdef", count: 4)
        let token = "0f8fad5b-d9cb-469f-a165-70867728950e"
        let secrets = ["wrong", "1234", token].map { Secret($0) }
        try await log.record(
            AuditEvent(
                .pairingWrongCode, requestID: id,
                details: ["digest": .string(digest), "token": .string(token), "said": "wrong, 1234"]))
        let event = try #require(try await log.records().first?.event)
        #expect(event.type == "pairing.wrong_code")
        #expect(event.requestID == id)
        #expect(event.details == ["digest": .string(digest), "token": "•••", "said": "•••, •••"])
        withExtendedLifetime(secrets) {}
    }

    @Test("JSONL lines are JSON with the hashes")
    func jsonLines() async throws {
        let (log, _) = try await aFilledLog(2)
        let lines = AuditExport.jsonl.text(of: try await log.records()).split(separator: "\n")
        #expect(lines.count == 2)
        let second = try JSONReader.read(Data(lines[1].utf8))
        #expect(second["id"]?.intValue == 2)
        #expect(second["previous_hash"] == (try JSONReader.read(Data(lines[0].utf8)))["hash"])
    }

    @Test("CSV quotes fields and disarms formulas")
    func csv() async throws {
        let (log, _) = try aLog()
        try await log.record(AuditEvent("=cmd()", requestID: "a\"b,c", details: ["x": "line\nbreak"]))
        let text = AuditExport.csv.text(of: try await log.records())
        #expect(text.hasPrefix("id,time,severity,type,request_id,details,previous_hash,hash\r\n"))
        #expect(text.contains(#","'=cmd()","a""b,c","{""x"":""line\nbreak""}","#))
    }

    @Test("CSV looks at each scalar by itself, so a combining mark hides neither a quotation mark nor a formula")
    func combiningMarks() async throws {
        let (log, _) = try aLog()
        try await log.record(AuditEvent("=\u{200D}cmd()", requestID: "x\"\u{301},=HYPERLINK(1)", details: [:]))
        let text = AuditExport.csv.text(of: try await log.records())
        #expect(text.contains(",\"'=\\u200dcmd()\",\"x\"\"\u{301},'=HYPERLINK(1)\","), "\(text)")
    }
}
