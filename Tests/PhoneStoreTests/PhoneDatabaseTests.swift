import Clocks
import Foundation
import GRDB
import Messages
import Secrets
import TestSupport
import Testing

@testable import PhoneStore

@Suite("The phone's database")
struct PhoneDatabaseTests {
    private let folder: TemporaryFolder
    private var file: URL { folder.appending("phone.sqlite") }

    init() throws { folder = try TemporaryFolder() }

    @Test("waits for the disk at every commit")
    func synchronous() async throws {
        let level = try await PhoneDatabase(file: file).database.writeWithoutTransaction {
            try Int.fetchOne($0, sql: "PRAGMA synchronous")
        }
        // SQLite numbers FULL as 2.
        #expect(level == 2)
    }

    @Test("can be read by its owner alone")
    func mode() throws {
        _ = try PhoneDatabase(file: file)
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test(
        "says what to do about a file that holds something else",
        arguments: ["not a database", "SQLite format 3\0 cut off"])
    func damaged(_ content: String) throws {
        try Data(String(repeating: content, count: 100).utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        let error = #expect(throws: PhoneError.self) { try PhoneDatabase(file: file) }
        #expect(error?.code == .storeDamaged)
        #expect(error?.message.hasSuffix("restore a backup") == true)
        // A damaged file is evidence and may be repaired: it stays as it was.
        #expect(try Data(contentsOf: file).starts(with: Data(content.utf8)))
    }

    @Test("keeps the newest generation of each vault over a restart")
    func generations() throws {
        let first = try PhoneDatabase(file: file)
        #expect(try first.newestGeneration(ofVault: "a") == 0)
        try first.recordGeneration(3, ofVault: "a")
        first.close()
        let second = try PhoneDatabase(file: file)
        #expect(try second.newestGeneration(ofVault: "a") == 3)
        #expect(try second.newestGeneration(ofVault: "b") == 0)
    }

    @Test("takes a terminal code once, for its purpose, in its time")
    func terminalCode() async throws {
        let database = try PhoneDatabase(file: file)
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let code = try await database.makeTerminalCode(for: .addPasskey, lifetime: 60, at: now).text
        #expect(try await !database.use(code, for: .openPage, at: now))
        #expect(try await !database.use(code, for: .addPasskey, at: now.addingTimeInterval(61)))
        #expect(try await database.use(code, for: .addPasskey, at: now.addingTimeInterval(59)))
        #expect(try await !database.use(code, for: .addPasskey, at: now.addingTimeInterval(59)))
    }

    @Test("encrypts closing manifests, which can quote the bank, and gives back the first of a request")
    func closings() async throws {
        let words = "Dear Ms Lovelace, no such month"
        func closing(_ request: RequestID) -> ClosingManifest {
            let entry = ClosingManifest.Entry(
                id: DocumentID(bytes: 0..<16),
                outcome: .failed(.navigationFailed, message: words))
            return ClosingManifest(requestID: request, entries: [entry], completedAt: Timestamp(Date()))
        }
        let (old, new) = (RequestID(), RequestID())
        let database = try PhoneDatabase(file: file)
        let first = try await database.keep(closing(old))
        #expect(try files(with: words) != [], "without a key it is kept in the clear")
        database.useMessageKey(Secret(bytes: [UInt8](repeating: 7, count: 32)))
        try await database.sealPlainMessages()
        let second = try await database.keep(closing(new))
        #expect(try files(with: words) == [])
        #expect(try await database.keep(closing(old)) == first)
        #expect(try await database.keep(closing(new)) == second)
        try await database.deleteSealedMessages()
        let third = closing(new)
        #expect(try await database.keep(third) == third)
    }

    private func files(with words: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder.url.path).filter { name in
            try Data(contentsOf: folder.appending(name)).range(of: Data(words.utf8)) != nil
        }
    }
}
