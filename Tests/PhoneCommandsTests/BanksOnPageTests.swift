import ApprovalPage
import Automation
import BankScript
import Foundation
import KeyVault
import MockBank
import Phone
import PhoneStore
import Secrets
import TestParties
import TestSupport
import Testing

@testable import PhoneCommands

/// The addition of a bank with the folder, the acceptance and the count that `countersign banks add` has.
@Suite("The banks of a phone's page", .timeLimit(.minutes(3)))
struct BanksOnPageTests {
    /// Answers the mock bank's question, and does something else first.
    private struct Customer: HumanPrompt {
        var meanwhile: @Sendable () throws -> Void = {}
        /// Answers only when they are not waited for any more.
        var waits = false

        func answer(_ prompt: Prompt) async throws -> Secret {
            try meanwhile()
            if waits { try await Task.sleep(for: .seconds(60)) }
            return Secret(MockBankConfiguration().oneTimeCode)
        }
    }

    private struct Stage: Sendable {
        let phone: TestPhone
        let banks: BanksOnPage
        let scripts: URL
        /// The folder in which refusals are counted.
        let folder: URL
        let text: String

        var accepted: AcceptedScripts { AcceptedScripts(home: phone.home.folder) }

        func add(_ password: String, tries: Bool = true) async throws -> StoredCredentials {
            let read = try await banks.read(.text(text))
            return try await add(read, password, tries: tries)
        }

        func add(
            _ read: ReadScript, _ password: String, tries: Bool, waits: Bool = false,
            meanwhile: @escaping @Sendable () throws -> Void = {}
        ) async throws -> StoredCredentials {
            let secrets = try await phone.vault.open(passphrase: TestPhone.passphrase)
            defer { secrets.close() }
            let added = try await banks.add(
                read,
                ["username": Secret(MockBankConfiguration().username), "password": Secret(password)],
                to: CredentialVault(secrets, store: PhoneDatabase(phone.home)),
                tryingWith: tries ? Customer(meanwhile: meanwhile, waits: waits) : nil)
            #expect(added.warning == nil)
            return added.stored
        }

        var isStored: Bool {
            get async throws { try await PhoneDatabase(phone.home).credentialTimes()["northern"] != nil }
        }

        var files: [String] { (try? FileManager.default.contentsOfDirectory(atPath: scripts.path)) ?? [] }
    }

    /// - Parameter place: the place of the folder of scripts, below a folder of the test.
    private static func with(
        scriptsAt place: String = "scripts", _ body: @escaping @Sendable (Stage) async throws -> Void
    ) async throws {
        let shipped = try String(
            contentsOf: Repository.file("BankScripts/DefaultBank/meridian-savings.yaml"), encoding: .utf8)
        let text = shipped.replacing("bank: default\n", with: "bank: northern\n")
        let bank = try await MockBankServer.start(MockBankConfiguration())
        let url = bank.url
        try await TestPhone.with { phone in
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let (home, scripts) = (phone.home, folder.appending(place))
            let banks = BanksOnPage(
                of: home, given: scripts.path, countingIn: folder.url, visits: nil,
                reading: BanksOnPage.Reading(
                    reached: { $0.served(at: url, isForTesting: true) },
                    served: {
                        try ScriptRegistry(
                            [], folder: ScriptFolder(scripts), accepted: AcceptedScripts(home: home.folder))
                    }))
            try await body(
                Stage(phone: phone, banks: try #require(banks), scripts: scripts, folder: folder.url, text: text))
        }
        await bank.stop()
    }

    @Test("takes credentials that the bank accepts, once the vault vouches for the script")
    func accepted() async throws {
        try await Self.with { stage in
            let read = try await stage.banks.read(.text(stage.text))
            #expect(read.offersTestLogin && !read.isPluggedIn && !read.isInTrial)
            #expect(read.lines.contains { $0.text.contains(read.script.digest.hex) })
            #expect(try stage.accepted.digests().isEmpty && stage.files.isEmpty, "reading accepts nothing")
            #expect(try await stage.add(MockBankConfiguration().password) == .accepted)
            #expect(try stage.accepted.digests() == [read.script.digest] && stage.files == ["northern.yaml"])
            #expect(try await stage.isStored)
            guard case .served(let script, acceptedAs: let digest) = await stage.banks.served(read) else {
                Issue.record("the phone cannot use the script")
                return
            }
            #expect(script.id == "northern" && digest == read.script.digest)
            let secrets = try await stage.phone.vault.open(passphrase: TestPhone.passphrase)
            defer { secrets.close() }
            #expect(try await VouchedFiles.vouches(for: read.script.digest, of: stage.phone.home, in: secrets))
            let atHand = try await stage.banks.scriptsAtHand(besides: ["northern"])
            let banks = Set(atHand.scripts.map(\.bankID))
            #expect(banks.contains("monzo") && !banks.contains("northern") && !banks.contains("default"))
        }
    }

    @Test("sends refused credentials once, and nothing after two refusals in a day; without a sign-in they are stored")
    func refused() async throws {
        try await Self.with { (stage: Stage) async throws in
            await #expect { try await stage.add("a mistyped password") } throws: {
                if case .refused? = $0 as? CredentialsRefusal { true } else { false }
            }
            #expect(stage.files.isEmpty, "the script is in no folder")
            #expect(try await !stage.isStored)
            #expect(try stage.accepted.digests().count == 1, "the log told of it before anything was sent")
            await #expect(throws: CredentialsRefusal.refusedBefore) { try await stage.add("a mistyped password") }
            await #expect { try await stage.add("another mistyped password") } throws: {
                if case .refused? = $0 as? CredentialsRefusal { true } else { false }
            }
            await #expect { try await stage.add(MockBankConfiguration().password) } throws: {
                if case .tooManyLogins(2, _)? = $0 as? CredentialsRefusal { true } else { false }
            }
            #expect(try await stage.add(MockBankConfiguration().password, tries: false) == .untried)
            #expect(try await stage.isStored)
        }
    }

    @Test("takes only the script that was read, and refuses another one for its bank")
    func changed() async throws {
        try await Self.with { stage in
            try FileManager.default.createDirectory(at: stage.scripts, withIntermediateDirectories: true)
            let file = stage.scripts.appending(path: "mine.yaml")
            try Data(stage.text.utf8).write(to: file)
            let read = try await stage.banks.read(.atHand("bank:northern"))
            let other = stage.text.replacing("name: Meridian Savings", with: "name: Meridian")
            try Data(other.utf8).write(to: file)
            await #expect(throws: ScriptRefusal.changed) {
                try await stage.add(read, MockBankConfiguration().password, tries: true)
            }
            #expect(try stage.accepted.digests().isEmpty)
            #expect(try await !stage.isStored)
            await #expect { _ = try await stage.banks.read(.text(stage.text)) } throws: {
                guard case .another("northern", "Meridian", let path)? = $0 as? ScriptRefusal else { return false }
                return path.hasSuffix("mine.yaml")
            }
            let testing = ScriptRefusal.forTesting("Meridian Savings")
            await #expect(throws: testing) { _ = try await stage.banks.read(.text("testing: true\n" + stage.text)) }
        }
    }

    @Test(
        "reads no script that a phone cannot use",
        arguments: [
            ("bank: [\n", "script.yaml:"), ("frobnicate: 1\n", "frobnicate"),
        ])
    func unusable(start: String, words: String) async throws {
        try await Self.with { stage in
            await #expect { _ = try await stage.banks.read(.text(start + stage.text)) } throws: {
                if case .told(let told)? = $0 as? ScriptRefusal { told.contains(words) } else { false }
            }
            for key in ["bank:nowhere", "collection:none:a.yaml", "../a.yaml"] {
                await #expect(throws: ScriptRefusal.self) { _ = try await stage.banks.read(.atHand(key)) }
            }
        }
    }
    @Test("takes no script for testing, pasted or in the folder")
    func forTesting() async throws {
        try await Self.with { stage in
            let text = "testing: true\n" + stage.text
            let refusal = ScriptRefusal.forTesting("Meridian Savings")
            await #expect(throws: refusal) { _ = try await stage.banks.read(.text(text)) }
            try FileManager.default.createDirectory(at: stage.scripts, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: stage.scripts.appending(path: "northern.yaml"))
            await #expect(throws: refusal) { _ = try await stage.banks.read(.atHand("bank:northern")) }
            let atHand = try await stage.banks.scriptsAtHand(besides: [])
            #expect(!atHand.scripts.contains { $0.bankID == "northern" })
        }
    }

    @Test("stops when it is cancelled while the bank asks: the sign-in counts, and nothing is stored")
    func cancelled() async throws {
        try await Self.with { stage in
            let read = try await stage.banks.read(.text(stage.text))
            let (asked, ask) = AsyncStream<Void>.makeStream()
            let addition = Task {
                try await stage.add(read, MockBankConfiguration().password, tries: true, waits: true) { ask.yield() }
            }
            for await _ in asked { break }
            addition.cancel()
            await #expect(throws: CancellationError.self) { try await addition.value }
            #expect(try stage.accepted.digests() == [read.script.digest] && stage.files.isEmpty)
            #expect(try await !stage.isStored)
            #expect(FileManager.default.fileExists(atPath: stage.folder.appending(path: "refused-logins.json").path))
        }
    }

    @Test("tells that the script changed after the sign-in, and stores nothing")
    func changedLater() async throws {
        try await Self.with { stage in
            let read = try await stage.banks.read(.text(stage.text))
            let other = stage.text.replacing("name: Meridian Savings", with: "name: Meridian")
            let scripts = stage.scripts
            await #expect(throws: ScriptRefusal.changedLater(signedIn: true)) {
                try await stage.add(read, MockBankConfiguration().password, tries: true) {
                    try Data(other.utf8).write(to: scripts.appending(path: "mine.yaml"))
                }
            }
            #expect(try stage.accepted.digests() == [read.script.digest] && stage.files == ["mine.yaml"])
            #expect(try await !stage.isStored)
        }
    }

    @Test("accepts and sends nothing where the script would have no place afterwards")
    func placeless() async throws {
        try await Self.with(scriptsAt: "file/scripts") { stage in
            try Data().write(to: stage.folder.appending(path: "file"))
            let read = try await stage.banks.read(.text(stage.text))
            await #expect {
                _ = try await stage.add(read, MockBankConfiguration().password, tries: true)
            } throws: {
                if case .hindered? = $0 as? ScriptRefusal { true } else { false }
            }
            #expect(try stage.accepted.digests().isEmpty)
            #expect(!FileManager.default.fileExists(atPath: stage.folder.appending(path: "refused-logins.json").path))
        }
    }

    @Test("accepts nothing when the count of refusals cannot be read, and names no command of a setup")
    func uncountable() async throws {
        try await Self.with { stage in
            try Data("not JSON".utf8).write(to: stage.folder.appending(path: "refused-logins.json"))
            await #expect {
                _ = try await stage.add(MockBankConfiguration().password)
            } throws: {
                guard case .hindered(let words)? = $0 as? ScriptRefusal else { return false }
                return words.contains("refused-logins.json") && !words.contains("--no-test-login")
            }
            #expect(try stage.accepted.digests().isEmpty)
        }
    }

    @Test("is not stopped by the file that a program left behind which was killed while it copied the script")
    func leftover() async throws {
        try await Self.with { stage in
            try FileManager.default.createDirectory(at: stage.scripts, withIntermediateDirectories: true)
            try Data().write(to: stage.scripts.appending(path: "northern.yaml.tmp"))
            #expect(try await stage.add(MockBankConfiguration().password, tries: false) == .untried)
            #expect(stage.files.sorted() == ["northern.yaml", "northern.yaml.tmp"])
        }
    }

    @Test("finds the vouches of a pasted script beside the file that is the same")
    func pastedAgain() async throws {
        try await Self.with { stage in
            try FileManager.default.createDirectory(at: stage.scripts, withIntermediateDirectories: true)
            let file = stage.scripts.appending(path: "mine.yaml")
            try Data(stage.text.utf8).write(to: file)
            let read = try await stage.banks.read(.text(stage.text))
            #expect(read.script.source?.hasSuffix("mine.yaml") == true)
        }
    }
}
