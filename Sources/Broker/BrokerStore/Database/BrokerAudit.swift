import Foundation
import GRDB
import Storage

/// The audit log of a broker's database, read while a broker may be writing it.
package enum BrokerAudit {
    /// Opens the log of a database of any version.
    ///
    /// - Throws: ``StoreError`` when there is no such database.
    package static func open(_ database: URL) throws(StoreError) -> AuditLog {
        try BrokerDatabase.checkExists(database)
        do {
            var configuration = Configuration()
            configuration.busyMode = .timeout(10)
            return AuditLog(try DatabaseQueue(path: database.path, configuration: configuration))
        } catch {
            throw StoreError(message: "\(database.path) cannot be read: \(error)")
        }
    }
}
