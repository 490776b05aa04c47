import Encodings
import Foundation
import GRDB
import Storage

/// The log of what the operator does around the four checks: policies that were changed, keys that were rotated. It is
/// chained, so that an entry cannot be changed or removed unnoticed.
package struct BreakGlassLog: Sendable {
    private let log: AuditLog

    /// Opens the log, and makes it at the first use.
    package init(_ file: URL) throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        let pool = try DatabasePool.durable(file.path, configuration)
        var migrator = DatabaseMigrator()
        AuditLog.registerMigrations(&migrator)
        try migrator.migrate(pool)
        log = AuditLog(pool)
    }

    package func record(_ type: String, _ details: JSONValue, at now: Date) async throws {
        try await log.record(AuditEvent(type, severity: .warning, details: details, time: now))
    }

    /// Returns the entries, the oldest first.
    package func entries() async throws -> [AuditRecord] { try await log.records() }

    package func verify() async throws -> AuditVerification { try await log.verify() }
}
