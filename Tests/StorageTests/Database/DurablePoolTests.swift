import Foundation
import GRDB
import Machine
import TestSupport
import Testing

@testable import Storage

@Suite("A durable database")
struct DurablePoolTests {
    /// SQLite's number for `FULL`.
    private static let full = 2

    @Test("waits for the disk at every commit, also when it is opened again")
    func synchronous() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        for _ in 0..<2 {
            let pool = try DatabasePool.durable(folder.appending("a.sqlite").path, Configuration())
            try pool.writeWithoutTransaction { (db: Database) throws -> Void in
                #expect(try Int.fetchOne(db, sql: "PRAGMA synchronous") == Self.full)
                #expect(try Bool.fetchOne(db, sql: "PRAGMA fullfsync") == true)
                #expect(try String.fetchOne(db, sql: "PRAGMA journal_mode") == "wal")
            }
        }
    }

    @Test("is made private; a file that is there becomes private")
    func mode() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = folder.appending("a.sqlite")
        for mode in [nil, 0o644] as [mode_t?] {
            if let mode { chmod(file.path, mode) }
            _ = try DatabasePool.durable(file.path, Configuration())
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test("is not opened through a symbolic link")
    func link() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let link = folder.appending("a.sqlite")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder.appending("elsewhere"))
        #expect(throws: FileError.self) { try DatabasePool.durable(link.path, Configuration()) }
        #expect(folder.names == ["a.sqlite"])
    }

    #if os(Linux)
        @Test("keeps its locks while the process opens and closes it a second time")
        func locks() throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let file = folder.appending("a.sqlite")
            let pool = try DatabasePool.durable(file.path, Configuration())
            try pool.write { try $0.execute(sql: "CREATE TABLE a (b)") }
            try #require(try Self.isLocked(file))

            try DatabasePool.durable(file.path, Configuration()).close()

            #expect(try Self.isLocked(file), "another process would now take the database for unused")
            try pool.close()
        }

        /// Returns true while this process holds a lock on the file (proc(5), “locks”).
        private static func isLocked(_ file: URL) throws -> Bool {
            var status = stat()
            try #require(stat(file.path, &status) == 0)
            let locks = try String(contentsOfFile: "/proc/locks", encoding: .utf8)
            return locks.contains(" \(getpid()) ") && locks.contains(":\(status.st_ino) ")
        }
    #endif
}
