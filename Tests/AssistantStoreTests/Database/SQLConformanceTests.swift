import Foundation
import Testing

@testable import AssistantStore

@Suite("Store conformance: values and transactions") struct SQLConformanceTests {
    private static let start = OpenedStore.start

    @Test("every kind of value comes back as it went in", arguments: StoreKind.all)
    func values(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        let id = UUID()
        let bytes = (0...255).map(UInt8.init) + [0, 0]
        let lists = [[], [""], ["a,b", "{c}", #"d"e\f"#, "\"\u{301},\\\u{301}", "Grüße 👋\n", "NULL"]]
        for texts in lists {
            let row = try await store.database.driver.transaction(.writing) { session in
                try session.runScript(
                    session.dialect.translated(
                        """
                        DROP TABLE IF EXISTS probe; CREATE TABLE probe (id UUID, number BIGINT, truth BOOLEAN, words TEXT,
                            bytes BYTEA, time TIMESTAMPTZ, list TEXT[], document JSONB, absent TEXT)
                        """))
                _ = try session.change(
                    "INSERT INTO probe VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
                    [
                        .uuid(id), .integer(.max), .bool(true), .text("it's “$1”"), .bytes(bytes), .time(Self.start),
                        .texts(texts), .json(["b": 1, "a": ["x", .null]]), .null,
                    ])
                return try session.row("SELECT * FROM probe", [])
            }
            let probe = try #require(row)
            #expect(try probe.uuid("id") == id)
            #expect(try probe.integer("number") == .max)
            #expect(try probe.bool("truth"))
            #expect(try probe.text("words") == "it's “$1”")
            #expect(try probe.bytes("bytes") == bytes)
            #expect(try abs(probe.time("time").timeIntervalSince(Self.start)) < 0.0005)
            #expect(try probe.texts("list") == texts)
            #expect(try probe.json("document") == ["a": ["x", .null], "b": 1])
            #expect(try probe.optional("absent") { row, name throws(AssistantStoreError) in try row.text(name) } == nil)
            #expect(throws: AssistantStoreError.self) { try probe.integer("words") }
        }
    }

    @Test("a text with U+0000 is refused", arguments: StoreKind.all)
    func zero(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        let user = try await store.user()
        let error = await #expect(throws: AssistantStoreError.self) {
            try await store.database.audit.record(NewAuditEvent("A\u{0}B"), of: user, at: Self.start)
        }
        #expect(error?.code == .unstorable)
        #expect(try await store.database.audit.events(of: user, before: nil, atMost: 9).isEmpty)
    }

    @Test("what throws leaves nothing", arguments: StoreKind.all)
    func rollsBack(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        let user = try await store.user()
        await #expect(throws: CancellationError.self) {
            try await store.database.driver.transaction(.writing) { session in
                _ = try session.change("DELETE FROM users WHERE id = $1", [.uuid(user)])
                throw CancellationError()
            }
        }
        #expect(try await store.database.preferences.preferences(of: user) != nil)
    }

    @Test("a transaction that reads cannot write", arguments: StoreKind.all)
    func readsOnly(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        let error = await #expect(throws: AssistantStoreError.self) {
            try await store.database.driver.transaction(.reading) { try $0.change("DELETE FROM users", []) }
        }
        #expect(error?.code == .readOnly)
    }

    @Test("migrations are applied once, by programs that start together too", arguments: StoreKind.all)
    func migrates(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        let user = try await store.user()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let again = try await AssistantDatabase.open(store.url)
                    _ = try await again.workers.isAlive(within: 1)
                    await again.close()
                }
            }
            try await group.waitForAll()
        }
        #expect(try await store.database.preferences.preferences(of: user) != nil)
    }

    @Test("tables of a newer program are refused", arguments: StoreKind.all)
    func newer(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        try await store.database.driver.transaction(.writing) { session in
            _ = try session.change(
                "INSERT INTO migrations (name, applied_at) VALUES ('9999 later', $1)", [.time(Self.start)])
        }
        let error = await #expect(throws: AssistantStoreError.self) { try await AssistantDatabase.open(store.url) }
        #expect(error?.message.contains("9999 later") == true)
    }

    @Test("thirty transactions at once share a few connections", arguments: StoreKind.all)
    func many(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        let user = try await store.user()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<30 {
                group.addTask {
                    try await store.database.audit.record(NewAuditEvent("E\(number)"), of: user, at: Self.start)
                }
            }
            try await group.waitForAll()
        }
        #expect(try await store.database.audit.verify(user) == .intact(count: 30))
    }
}
