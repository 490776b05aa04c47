import Foundation
import Secrets
import TestServers
import Testing

@testable import AssistantStore

@Suite(
    "PostgreSQL under adverse conditions",
    .enabled(if: LoopbackPostgres.programs != nil, "PostgreSQL is not installed: apt-get install postgresql"))
struct PostgresTests {
    private static let now = OpenedStore.start

    @Test("a server that restarts in the middle loses nothing that was acknowledged")
    func restart() async throws {
        let server = try await LoopbackPostgres()
        let database = try await AssistantDatabase.open(try await server.makeDatabase())
        let user = UUID()
        try await database.audit.record(NewAuditEvent("BEFORE"), of: user, at: Self.now)

        try await server.stop()
        let error = await #expect(throws: AssistantStoreError.self) {
            try await database.audit.record(NewAuditEvent("LOST"), of: user, at: Self.now)
        }
        #expect(error?.code == .unavailable)
        try await server.start()
        try await database.audit.record(NewAuditEvent("AFTER"), of: user, at: Self.now)

        let events = try await database.audit.events(of: user, before: nil, atMost: 9)
        #expect(events.map(\.event.type) == ["AFTER", "BEFORE"])
        #expect(try await database.audit.verify(user) == .intact(count: 2))
    }

    @Test("a read-only database is named as that")
    func readOnly() async throws {
        let database = try await AssistantDatabase.open(try await LoopbackPostgres.makeDatabase())
        try await database.driver.transaction(.writing) { session in
            try session.runScript(
                """
                DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', current_database());
                END $$
                """)
        }
        await database.close()
        let error = await #expect(throws: AssistantStoreError.self) {
            try await database.audit.record(NewAuditEvent("E"), of: UUID(), at: Self.now)
        }
        #expect(error?.code == .readOnly)
    }

    @Test("two transactions that wait for each other both finish in the end")
    func deadlock() async throws {
        let store = try await OpenedStore(.postgres)
        let users = [try await store.user(1), try await store.user(2)]
        let tries = 4
        try await withThrowingTaskGroup(of: Void.self) { group in
            for order in [users, users.reversed()] {
                group.addTask {
                    for _ in 0..<tries {
                        try await store.database.driver.transaction(.writing) { session in
                            for user in order {
                                try AuditEventStore.record(NewAuditEvent("E"), of: user, Self.now, session)
                                _ = try session.rows("SELECT pg_sleep(0.05)::text AS slept", [])
                            }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        for user in users { #expect(try await store.database.audit.verify(user) == .intact(count: 2 * tries)) }
    }

    @Test("an error of the server shows no value")
    func silence() async throws {
        let store = try await OpenedStore(.postgres)
        let user = try await store.user()
        let error = await #expect(throws: AssistantStoreError.self) {
            try await store.database.driver.transaction(.writing) { session in
                try session.change(
                    "INSERT INTO users (id, created_at, status) VALUES ($1, $2, 'ACTIVE')",
                    [.uuid(user), .time(Self.now)])
            }
        }
        #expect(error?.code == .conflict)
        #expect(error.map { !"\($0)".contains(user.uuidString.lowercased()) } == true)
    }

    @Test(
        "what must not be in an address is refused",
        arguments: [
            ("postgres://user:word@/db", "contains a password"),
            ("postgres://db.example/x?sslmode=require", "sslmode=require"),
            ("postgres://db.example/x?sslmode=disable", "sslmode=disable"), ("postgres://[::1/x", "not a URI"),
            ("postgres://localhost/x?hostaddr=192.0.2.7&sslmode=require", "sslmode=require"),
            ("postgres://x/db?nonsense=1", "not a URI"),
        ])
    func addresses(_ uri: String, _ reason: String) {
        let error = #expect(throws: AssistantStoreError.self) { try PostgresAddress(uri, password: nil) }
        #expect(error?.message.contains(reason) == true)
        #expect(error?.message.contains("word@") == false)
    }

    @Test("a connection that leaves the machine verifies the server; a local one needs no TLS")
    func transport() throws {
        func value(_ name: String, _ uri: String) throws -> String? {
            try PostgresAddress(uri, password: nil).parameters.first { $0.name == name }?.value
        }
        #expect(try value("sslmode", "postgres://user@db.example/x") == "verify-full")
        #expect(try value("sslrootcert", "postgres://user@db.example/x") == "/etc/ssl/certs/ca-certificates.crt")
        #expect(try value("sslmode", "postgres://user@/x?host=/run/postgresql") == nil)
        #expect(try value("sslmode", "postgres://user@127.0.0.1/x") == nil)
        #expect(try value("sslmode", "postgres://user@localhost,db.example/x") == "verify-full")
        #expect(try value("sslmode", "postgres://user@localhost/x?hostaddr=192.0.2.7") == "verify-full")
        #expect(try value("sslmode", "postgres://user@db.example/x?hostaddr=127.0.0.1") == "verify-full")
        #expect(try value("sslmode", "postgres://user@localhost/x?hostaddr=127.0.0.1") == nil)
    }
}

@Suite("SQLite under adverse conditions") struct SQLiteTests {
    @Test("a full database is named as that, and what was there stays")
    func full() async throws {
        let store = try await OpenedStore(.sqlite)
        let user = try await store.user()
        let error = await #expect(throws: AssistantStoreError.self) {
            try await store.database.driver.transaction(.writing) { session in
                try session.runScript("PRAGMA max_page_count = 1")
                for _ in 0..<200 {
                    try AuditEventStore.record(
                        NewAuditEvent("E", metadata: ["text": .string(String(repeating: "x", count: 4000))]), of: user,
                        OpenedStore.start, session)
                }
            }
        }
        #expect(error?.code == .full)
        #expect(try await store.database.preferences.preferences(of: user) != nil)
    }

    @Test("a stopped database is one file of mode 0600 in which deleted rows cannot be found")
    func leavesNothing() async throws {
        let store = try await OpenedStore(.sqlite)
        let user = try await store.user()
        let canary = Array("a-token-that-must-be-gone".utf8)
        try await store.database.devices.put(
            "phone", of: user, .apns, .sandbox, sealedToken: canary, at: OpenedStore.start)
        let file = URL(filePath: String(store.url.dropFirst("sqlite:".count)))
        #expect(try Data(contentsOf: URL(filePath: file.path + "-wal")).range(of: Data(canary)) != nil)
        #expect(try await store.database.devices.remove("phone", of: user))

        await store.database.close()

        let names = try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path)
        for name in names {
            let data = try Data(contentsOf: file.deletingLastPathComponent().appending(path: name))
            #expect(data.range(of: Data(canary)) == nil)
        }
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }
}
