import Encodings
import Foundation
import GRDB
import Storage
import Testing

@testable import Terminal

@Suite("A record of the audit log that writes the screen")
struct ForgedRecordTests {
    private static let poisons = [
        "\nX", "\r\nX", "\u{2028}X", "\u{2029}X", "\u{85}X", "\u{202E}X", "\u{200B}X", "\u{E000}X",
        "\u{1B}[2J\u{1B}[HX",
        String(repeating: "X ", count: 5_000),
    ]

    /// Events with a poison in one leaf each.
    private static func events(_ poison: String) -> [AuditEvent] {
        let text = JSONValue.string("a" + poison)
        let id = "3f2a9c1e-7b64-4f0e-9a51-0d2c8e6b7f10"
        return [
            AuditEvent("request.failed", requestID: id, details: ["message": text]),
            AuditEvent("request.failed", requestID: id, details: ["a\(poison)": "value"]),
            AuditEvent("request.failed", requestID: id, details: ["list": [text, ["inner": text]]]),
            AuditEvent("request.failed", requestID: "3f2a" + poison, details: ["message": "no"]),
            AuditEvent("request" + poison, requestID: id, details: ["message": "no"]),
        ]
    }

    @Test("forges no line of the table, with details or with sentences, and fills no screen", arguments: poisons)
    func everyLeaf(poison: String) async throws {
        let log = try Self.log()
        for event in Self.events(poison) { try await log.record(event) }
        let records = try await log.records()
        #expect(records.count == 5)
        let sentences: [((AuditEvent) -> String)?] = [
            nil, { "It failed: \($0.details["message"]?.stringValue ?? $0.type)".inLine() },
        ]
        for words in sentences {
            for width in [80, 200] {
                let lines = AuditReading.table(of: records, at: Date(), words).lines(width: width)
                for line in lines {
                    #expect(line.text.hiddenScalars.isEmpty, "\(line.text.debugDescription)")
                    #expect(!line.text.hasPrefix("X") && !line.text.contains("\n"), "\(line.text.debugDescription)")
                }
                #expect(lines.count < 150, "\(lines.count)")
            }
        }
    }

    @Test("forges no line of any table's cell", arguments: poisons)
    func everyCell(poison: String) {
        for column in 0..<3 {
            for wrapsLast in [false, true] {
                let words = ["one", "two", "three"]
                let cells = words.indices.map { $0 == column ? words[$0] + poison : words[$0] }
                var table = Table("ONE", "TWO", "THREE", wrapsLast: wrapsLast)
                table.add(cells[0], cells[1], cells[2])
                for line in table.lines(width: 80) {
                    #expect(line.text.hiddenScalars.isEmpty, "\(line.text.debugDescription)")
                    #expect(!line.text.hasPrefix("X") && !line.text.contains("\n"), "\(line.text.debugDescription)")
                }
            }
        }
    }

    private static func log() throws -> AuditLog {
        let database = try DatabaseQueue()
        var migrator = DatabaseMigrator()
        AuditLog.registerMigrations(&migrator)
        try migrator.migrate(database)
        return AuditLog(database)
    }
}
