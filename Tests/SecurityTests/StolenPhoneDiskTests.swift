import BankScript
import Foundation
import GRDB
import Messages
import Phone
import PhoneStore
import Secrets
import TestParties
import Testing

/// A thief who has a copy of the phone's disk, and not its passphrase.
@Suite("A stolen disk of the phone", .timeLimit(.minutes(4)))
struct StolenPhoneDiskTests {
    private static let words = "The password is not right."

    /// Returns the names of the files in the home in which the bank's words can be read.
    private static func files(of phone: TestPhone, with words: String = words) throws -> [String] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: phone.home.folder.path)
        return names.filter { name in
            let file = phone.home.folder.appending(path: name)
            return (try? Data(contentsOf: file))?.range(of: Data(words.utf8)) != nil
        }
    }

    /// Serves a phone that the bank has refused, and whose program has ended since.
    private static func afterRefusal(
        _ body: @escaping @Sendable (TestPhone, RequestID) async throws -> Void
    ) async throws {
        try await CountingBank(.refuses).serve { origin in
            try await TestPhone.with { phone in
                try await body(phone, try await refusal(of: phone, at: origin))
            }
        }
    }

    private static func refusal(of phone: TestPhone, at origin: String) async throws -> RequestID {
        let runner = try phone.runner(.countingBank(at: origin))
        let request = try #require(try await phone.requests(1, to: runner).first)
        #expect(try await runner.approve(request, with: phone.verification).code == "BANK_LOGIN_FAILED")
        #expect(try await runner.store.request(request.id)?.errorMessage?.contains(words) == true)
        return request.id
    }

    /// Returns a runner as the next start of the program makes it.
    private static func restarted(_ phone: TestPhone) async throws -> PhoneRunner {
        let secrets = try await phone.vault.open(passphrase: TestPhone.passphrase)
        defer { secrets.close() }
        return try PhoneRunner(
            home: phone.home, connection: try await PhoneConnection(from: secrets), services: phone.services())
    }

    @Test("does not show what the bank said in a failed run; the phone shows it, also after a restart")
    func words() async throws {
        try await Self.afterRefusal { phone, id in
            #expect(try Self.files(of: phone) == [])
            #expect(try await PhoneDatabase(phone.home).request(id)?.errorMessage == nil)
            let next = try await Self.restarted(phone)
            #expect(try await next.store.request(id)?.errorMessage?.contains(Self.words) == true)
            let heard = await phone.broker.posts.last { $0.path.hasSuffix("/failure") }
            #expect(heard?.body["error_message"]?.stringValue?.contains(Self.words) == true)
        }
    }

    @Test("does not show words that an earlier version kept in the clear, once the phone has started")
    func earlier() async throws {
        try await Self.afterRefusal { phone, id in
            let old = "Dear Ms Lovelace, account 4711 is closed"
            let plain = try DatabasePool(path: phone.home.database.path)
            try await plain.write {
                try $0.execute(
                    sql: "UPDATE requests SET error_message = ? WHERE id = ?", arguments: [old, id.description])
            }
            try plain.close()
            #expect(try Self.files(of: phone, with: old) != [])
            let next = try await Self.restarted(phone)
            try await next.recover()
            #expect(try Self.files(of: phone, with: old) == [])
            #expect(try await next.store.request(id)?.errorMessage == old)
        }
    }

    @Test("keeps no such words after a change of the passphrase, which an old copy of the vault could open")
    func changed() async throws {
        try await Self.afterRefusal { phone, id in
            try await phone.home.changePassphrase(
                from: phone.verification, to: Secret("another passphrase, long enough"))
            let stored = try await PhoneDatabase(phone.home).request(id)
            #expect(stored?.errorCode == "BANK_LOGIN_FAILED" && stored?.errorMessage == nil)
            let database = try DatabasePool(path: phone.home.database.path)
            let kept = try await database.read {
                try String.fetchOne(
                    $0, sql: "SELECT error_message FROM requests WHERE id = ?", arguments: [id.description])
            }
            #expect(kept == nil)
        }
    }
}
