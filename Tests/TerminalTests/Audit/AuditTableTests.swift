import Encodings
import Foundation
import GRDB
import Storage
import Testing

@testable import Terminal

@Suite("The table of an audit log")
struct AuditTableTests {
    @Test("fits 80 columns, with relative times, short ids and the first digits of digests")
    func narrow() async throws {
        let log = try Self.log()
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
        #expect(completed.contains("3f2a9c1e "), "\(completed)")
        // The details go on in the next line, in their column.
        let all = lines.map(\.text).joined(separator: "\n")
        #expect(all.contains("file may.pdf") && all.contains("0a0a0a0a0a0a…") && !all.contains(digest), "\(all)")
        #expect(lines.contains { $0.text.contains("verification.failed") && $0.style == .bad })
    }

    @Test("shows sentences whole at 80 columns, over as many lines as they need")
    func sentences() async throws {
        let log = try Self.log()
        try await log.record(
            AuditEvent("request.failed", severity: .error, requestID: "3f2a9c1e-7b64-4f0e-9a51-0d2c8e6b7f10"))
        try await log.record(AuditEvent("page.opened", severity: .warning))
        let sentence =
            "A request failed: the bank's page has no button “Sign in”, and this is said in more than eighty columns"
        let lines = AuditReading.table(of: try await log.records(AuditFilter()), at: Date()) {
            $0.type == "page.opened" ? "A browser opened the page" : sentence
        }.lines(width: 80)
        #expect(lines.allSatisfy { $0.text.count <= 80 && !$0.text.contains("…") }, "\(lines.map(\.text))")
        #expect(lines[0].text == "WHEN      REQUEST   WHAT")
        #expect(lines[1].text.hasPrefix("just now  3f2a9c1e  A request failed: ") && lines[1].style == .bad)
        #expect(lines[2].text.hasPrefix(String(repeating: " ", count: 20)) && lines[2].style == .bad)
        let told = lines[1].text.dropFirst(20) + " " + lines[2].text.dropFirst(20)
        #expect(told == sentence + " (error)")
        #expect(lines[3].text == "just now            A browser opened the page (warning)")
    }

    private static func log() throws -> AuditLog {
        let database = try DatabaseQueue()
        var migrator = DatabaseMigrator()
        AuditLog.registerMigrations(&migrator)
        try migrator.migrate(database)
        return AuditLog(database)
    }
}
