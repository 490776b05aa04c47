import Clocks
import Crypto
import Encodings
import Foundation
import KeyVault
import Messages
import PhoneStore
import Secrets
import Storage
import TestParties
import Testing

@testable import Phone

@Suite("A new vault key")
struct UnfinishedKeyTests {
    private static let new = Secret("a new passphrase for a test")
    private static let passkey = KeySlot.Passkey(
        credentialID: [1, 2, 3], publicKey: [4, 5, 6], prfInput: [UInt8](repeating: 7, count: 32))

    @Test("of a phone that stopped right after it is finished when the vault is opened again")
    func interrupted() async throws {
        try await TestPhone.with { phone in
            let store = try PhoneDatabase(phone.home)
            let secrets = try await phone.vault.open(passphrase: TestPhone.passphrase)
            try await secrets.addPasskey(
                Self.passkey, output: Secret(bytes: [UInt8](repeating: 8, count: 32)), named: "Key")
            try await store.rememberPasskey([1, 2, 3], signCount: 1, isBackupEligible: false, at: Date())
            let reports = try await FailureReports(of: phone.home, in: secrets).key
            let copies = try await DocumentCopies(of: phone.home, store: store, in: secrets)
            let before = try #require(await secrets.secret(named: "home/document-key"))
            let delivered = phone.home.folder.appending(path: "delivered.pdf")
            try Data("a document".utf8).write(to: delivered)
            let id = RequestID()
            for number in 1...5 { try copies.keep(delivered, as: "\(number)", of: id) }
            let ended = try await secrets.slots().filter { !$0.isPassphrase }
            let unfinished = UnfinishedKey(.vaultRekeyed, ["passkeys_ended": ["Key"]], ending: ended)
            // The phone stops here.
            let (cut, _) = try await secrets.changePassphrase(
                to: Self.new, storing: unfinished.stored, removing: [FailureReports.entry])
            cut.close()
            #expect(try await store.audit.records(AuditFilter(type: "vault.rekeyed")).isEmpty)

            // Two at once, and one more.
            try await withThrowingTaskGroup { group in
                for _ in 0..<2 {
                    group.addTask {
                        try await phone.home.open(PassphraseVerification(Self.new), reason: "a test").close()
                    }
                }
                try await group.waitForAll()
            }
            for number in 1...6 {
                let opened = try await phone.home.open(PassphraseVerification(Self.new), reason: "a test")
                defer { opened.close() }
                guard number == 6 else {
                    let copies = try await DocumentCopies(of: phone.home, store: store, in: opened)
                    let bytes = try copies.bytes(
                        of: ReceivedDocument(
                            requestID: id, name: "\(number)", bankID: "default",
                            place: DocumentPlace(period: try #require(MonthYear(month: 1, year: 2026))),
                            sha256: Base16.encode(SHA256.hash(data: Data("a document".utf8))), receivedAt: Date(),
                            isKept: true))
                    #expect(bytes == Array("a document".utf8))
                    continue
                }
                #expect(try await UnfinishedKey(in: opened) == nil)
                #expect(try await opened.secret(named: "home/document-key")?.isEqual(to: before) == false)
                let now = try await FailureReports(of: phone.home, in: opened).key
                #expect(!now.isEqual(to: reports), "an old copy of the vault has the old key")
                #expect(try await store.passkeyState([1, 2, 3]) == nil)
                let records = try await store.audit.records(AuditFilter(type: "vault.rekeyed"))
                #expect(records.map { $0.event.details["passkeys_ended"] } == [["Key"]], "told once")
            }
        }
    }

    @Test("keeps the names that the owner has given")
    func names() async throws {
        try await TestPhone.with { phone in
            let store = try PhoneDatabase(phone.home)
            let slot = try #require(try phone.vault.slots().first)
            try await store.nameSlot(slot.id, "On paper in the safe")
            try await phone.home.changePassphrase(from: phone.verification, to: Self.new)
            let now = try #require(try phone.vault.slots().first)
            #expect(now.id != slot.id && now.name == "On paper in the safe")
        }
    }
}
