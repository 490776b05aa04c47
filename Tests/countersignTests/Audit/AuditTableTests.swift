import AuditLog
import Foundation
import GRDB
import JSON
import Testing

@testable import countersign

@Suite("The table of an audit log")
struct AuditTableTests {
    @Test("fits 80 columns, with relative times, short ids and the first digits of digests")
    func narrow() async throws {
        let database = try DatabaseQueue()
        var migrator = DatabaseMigrator()
        AuditLog.registerMigrations(&migrator)
        try migrator.migrate(database)
        let log = AuditLog(database)
        let id = "3f2a9c1e-7b64-4f0e-9a51-0d2c8e6b7f10"
        let digest = String(repeating: "0a", count: 32)
        let now = Date()
        try await log.record(
            AuditEvent(
                "request.completed", requestID: id, details: ["file": "may.pdf", "sha256": .string(digest)]))
        try await log.record(AuditEvent("verification.failed", severity: .error, details: ["message": "no"]))
        let lines = AuditReading.table(
            of: try await log.records(AuditFilter()), at: now.addingTimeInterval(7200)
        ).lines(width: 80)
        #expect(lines.allSatisfy { $0.text.count <= 80 }, "\(lines.map(\.text))")
        #expect(lines[0].text.hasPrefix("WHEN") && lines[0].text.hasSuffix("DETAILS"))
        let completed = try #require(lines.first { $0.text.contains("request.completed") }).text
        #expect(completed.contains("3f2a9c1e ") && !completed.contains(digest), "\(completed)")
        #expect(completed.hasSuffix("file may.pdf · sha256 0a0a0…") || completed.contains("0a0a0a"), "\(completed)")
        #expect(lines.contains { $0.text.contains("verification.failed") && $0.style == .bad })
    }
}
