import Encodings
import Foundation
import Synchronization
import Testing

@testable import AssistantStore

@Suite("The files after everything of a user was deleted") struct DeletedFilesTests {
    private static let now = OpenedStore.start

    private static func name(_ number: Int) -> String { "laptop-of-person-\(number)-in-the-files" }

    /// Returns what the database's file, log, index and journal hold.
    private static func content(_ store: OpenedStore) throws -> Data {
        let file = URL(filePath: String(store.url.dropFirst("sqlite:".count)))
        let folder = file.deletingLastPathComponent()
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).reduce(into: Data()) { all, name in
            all.append((try? Data(contentsOf: folder.appending(path: name))) ?? Data())
        }
    }

    @Test("neither names nor ids are left, however many users there are beside them")
    func grep() async throws {
        let store = try await OpenedStore(.sqlite)
        let database = store.database
        var users: [UUID] = []
        for number in 0..<60 {
            let user = try await store.user(UInt8(number))
            users.append(user)
            _ = try await database.sessions.begin(
                user, deviceID: Self.name(number), refreshDigest: Array(repeating: UInt8(number), count: 32),
                expires: Self.now + 1000,
                recording: NewAuditEvent("SIGN_IN", metadata: ["method": .string(Self.name(number))]), at: Self.now)
        }
        for (number, user) in users.enumerated() where number.isMultiple(of: 3) {
            let id = "request-\(number)"
            _ = try await database.privacy.accept(id, of: user, at: Self.now)
            let deletion = UnfinishedDeletion(id: id, userID: user, asked: Self.now)
            #expect(try await database.privacy.finish(deletion, isRevoked: true, at: Self.now))
            #expect(try await database.privacy.request(id)?.status == .done)
            let content = try Self.content(store)
            for text in [Self.name(number), user.uuidString, user.uuidString.lowercased()] {
                #expect(content.range(of: Data("\(text)".utf8)) == nil, "\(text)")
            }
        }
        let content = try Self.content(store)
        #expect(content.range(of: Data(Self.name(1).utf8)) != nil, "the others' names are still there")
        await database.close()
    }

    @Test("a request is done only when the files are clean, and goes on after a failure in between")
    func kept() async throws {
        let store = try await OpenedStore(.sqlite)
        let log = HeldLog(store.database.driver)
        let database = try await AssistantDatabase(log)
        let user = try await store.user(1)
        _ = try await database.privacy.accept("abc", of: user, at: Self.now)
        let deletion = UnfinishedDeletion(id: "abc", userID: user, asked: Self.now)
        let error = await #expect(throws: AssistantStoreError.self) {
            try await database.privacy.finish(deletion, isRevoked: true, at: Self.now)
        }
        #expect(error?.code == .tooSlow)
        #expect(try await database.privacy.request("abc")?.status == .running)
        let left = try await database.privacy.unfinished(atMost: 9)
        #expect(left == [UnfinishedDeletion(id: "abc", userID: PrivacyRequestStore.noUser, asked: Self.now)])

        log.release()
        #expect(try await database.privacy.finish(left[0], isRevoked: true, at: Self.now))
        #expect(try await !database.privacy.finish(left[0], isRevoked: true, at: Self.now))
        #expect(try await database.privacy.request("abc")?.status == .done)
        #expect(try await database.privacy.unfinished(atMost: 9).isEmpty)
        let final = try await database.audit.events(of: PrivacyRequestStore.noUser, before: nil, atMost: 9)
        #expect(final.map(\.event.type) == ["DELETE_ALL"])
        await database.close()
    }
}

/// A database whose log another process still reads.
private final class HeldLog: SQLDatabase {
    private let driver: any SQLDatabase
    private let isHeld = Mutex(true)

    init(_ driver: any SQLDatabase) { self.driver = driver }

    var dialect: SQLDialect { driver.dialect }

    func release() { isHeld.withLock { $0 = false } }

    func transaction<Value: Sendable>(
        _ mode: SQLTransactionMode, _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws -> Value { try await driver.transaction(mode, body) }

    func eraseDeleted() async throws {
        if isHeld.withLock({ $0 }) { throw AssistantStoreError(.tooSlow, "the log is read") }
        try await driver.eraseDeleted()
    }

    func close() async { await driver.close() }
}
