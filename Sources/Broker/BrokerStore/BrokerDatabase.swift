import Clocks
import Foundation
import GRDB
import Machine
import Storage

/// A broker's database that cannot be opened or used.
package struct StoreError: Error, Sendable, CustomStringConvertible {
    package let message: String

    package init(message: String) { self.message = message }

    package var description: String { message }
}

/// The broker's SQLite database, in WAL mode with `synchronous=FULL`: an acknowledged change survives a power cut.
///
/// Each store owns one group of tables and reaches them through this type alone. A change that spans groups is one
/// transaction: the stores offer functions that take the transaction's `Database`.
package final class BrokerDatabase: Sendable {
    let pool: DatabasePool
    private let groupCommit: GroupCommit
    /// Nil for an administrator, who opens the database beside the broker that holds the lock.
    private let lock: DatabaseLock?
    /// Nil for an administrator, and when the second connection cannot be opened.
    let recentRequests: RecentRequests?
    let nextDeadline = NextDeadline()
    package let clock: BrokerClock

    package var requests: RequestStore { RequestStore(database: self) }
    package var devices: DeviceStore { DeviceStore(database: self) }
    package var pairings: PairingStore { PairingStore(database: self) }
    package var approvals: ApprovalStore { ApprovalStore(database: self) }
    package var agents: AgentStore { AgentStore(database: self) }
    package var clients: ClientStore { ClientStore(database: self) }
    package var banks: BankStore { BankStore(database: self) }
    package var paperless: PaperlessStore { PaperlessStore(database: self) }
    package var webhook: WebhookStore { WebhookStore(database: self) }
    package var offers: OfferStore { OfferStore(database: self) }
    package var schedules: ScheduleStore { ScheduleStore(database: self) }
    package var owner: OwnerStore { OwnerStore(database: self) }
    package var receipts: ReceiptStore { ReceiptStore(database: self) }
    package var identity: IdentityStore { IdentityStore(database: self) }
    /// The log of every change to requests, devices and pairings.
    package var audit: AuditLog { AuditLog(pool) }

    /// Returns whether an error says that the disk is full. Nothing was written then: a change is whole or not at all.
    package static func isFullDisk(_ error: any Error) -> Bool {
        (error as? DatabaseError)?.resultCode == .SQLITE_FULL
    }

    // MARK: Opening

    /// Opens the database for the broker that serves it: makes it if it is missing, and migrates it.
    ///
    /// - Throws: ``StoreError`` when another broker has the database, a newer version has written it, or it cannot be
    ///   opened.
    package init(_ file: URL, clock: BrokerClock = BrokerClock()) throws(StoreError) {
        self.clock = clock
        do {
            try PrivateFolder.make(file.deletingLastPathComponent())
            try PrivateFolder.checkWritable(file.deletingLastPathComponent())
        } catch {
            throw StoreError(message: "\(error)")
        }
        lock = try DatabaseLock(file)
        pool = try Self.opened(file)
        groupCommit = GroupCommit(pool)
        recentRequests = try? RecentRequests(of: file)
        do {
            try Schema.migrator.migrateUnlessNewer(pool)
            try pool.write { db in
                try Deadlines.resume(clock, in: db)
                nextDeadline.findAnew(afterCommitOf: db)
            }
        } catch let error as NewerDatabaseError {
            throw StoreError(message: "\(error)")
        } catch {
            throw StoreError(message: "\(file.path) is not a Countersign broker database: \(error)")
        }
    }

    /// Opens the database for an administrator, while a broker may be serving it. Nothing is made or migrated.
    ///
    /// - Throws: ``StoreError`` when the database does not exist, or an older or newer version has written it.
    package init(administering file: URL, clock: BrokerClock = BrokerClock()) throws(StoreError) {
        self.clock = clock
        lock = nil
        recentRequests = nil
        try Self.checkExists(file)
        pool = try Self.opened(file)
        groupCommit = GroupCommit(pool)
        do {
            try Schema.migrator.refuseNewer(pool)
        } catch let error as NewerDatabaseError {
            throw StoreError(message: "\(error)")
        } catch {
            throw StoreError(message: "\(file.path) cannot be read: \(error)")
        }
        guard (try? pool.read { db in try Schema.migrator.hasCompletedMigrations(db) }) == true else {
            throw StoreError(
                message: "\(file.path) is not a broker database of this version; start the broker on it once")
        }
    }

    /// - Throws: ``StoreError`` when the file is missing, with what to do.
    package static func checkExists(_ file: URL) throws(StoreError) {
        guard FileManager.default.fileExists(atPath: file.path) else {
            throw StoreError(
                message:
                    "no broker was started here: \(file.path) does not exist; set up a household with countersign up, or "
                    + "set BROKER_DATABASE_PATH to the broker's database")
        }
    }

    private static func opened(_ file: URL) throws(StoreError) -> DatabasePool {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        configuration.prepareDatabase { db in
            // Savepoints keep their undo data in memory instead of a file that is made and removed each time. The log is
            // checkpointed every 16 MB, not every 4: among a million requests new rows touch pages all over the file,
            // and each checkpoint writes a page once.
            try db.execute(
                sql: """
                    PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = 4000;
                    """)
        }
        do {
            let pool = try DatabasePool.durable(file.path, configuration)
            // 8 MB for the writer alone: a new request's place in the indexes is a page that was not read lately.
            try pool.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA cache_size = -8000") }
            return pool
        } catch let error as FileError {
            throw StoreError(message: "\(error)")
        } catch {
            throw StoreError(message: "\(file.path) is not a Countersign broker database: \(error)")
        }
    }

    /// Closes every connection and releases the lock, so that the next broker need not wait for the last reference.
    package func close() {
        recentRequests?.close()
        try? pool.close()
        lock?.release()
    }

    // MARK: Reading and writing

    func read<Value: Sendable>(
        _ value: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await pool.read(value)
    }

    /// Makes a change in a transaction of its own, durably.
    func write<Value: Sendable>(
        _ change: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await pool.write(change)
    }

    /// Makes a change in a transaction that it may share with others, durably; see ``GroupCommit``.
    func writeGrouped<Value: Sendable>(
        _ change: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await groupCommit.write(change)
    }

    /// Checks that the database answers.
    package func check() async throws {
        _ = try await read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM clock_mark") }
    }
}
