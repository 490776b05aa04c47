import Automation
import BankScript
import Foundation
import KeyVault
import Messages
import PhoneStore
import Storage
import TestParties
import Testing

@testable import Phone

/// A phone reads its scripts at its start. It starts again while a request waits, or it goes on with those of its start.
@Suite("A script that is withdrawn while a request waits")
struct WithdrawnScriptTests {
    enum Withdrawal: String, Sendable, CaseIterable {
        /// Its acceptance was taken back.
        case revoked
        /// Its file has other steps than those that were accepted.
        case changed
        /// Its file is gone.
        case removed

        /// The reason that the phone gives.
        var words: String {
            switch self {
            case .revoked, .changed: "has not been accepted; read it, then: countersign script accept"
            case .removed: "this phone has no script for the bank “default”"
            }
        }
    }

    /// The folder of scripts of a phone, with one file.
    private struct Folder: Sendable {
        let phone: TestPhone

        private var url: URL { phone.home.folder.appending(path: "scripts", directoryHint: .isDirectory) }
        private var file: URL { url.appending(path: "northern.yaml") }
        private var accepted: AcceptedScripts { AcceptedScripts(home: phone.home.folder) }

        private static func yaml(_ path: String) -> String {
            """
            bank: default
            name: Northern Bank
            origins: [https://bank.example]
            steps:
              - open: \(path)
              - download: PDF
            """
        }

        private func write(_ path: String) throws { try Data(Self.yaml(path).utf8).write(to: file) }

        private func script() throws -> BankScript { try BankScript(yaml: Self.yaml("/login"), file: "northern.yaml") }

        /// Writes the script, and accepts it.
        func make() async throws {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            try write("/login")
            try accepted.accept(try script())
            try await vouch()
        }

        func withdraw(_ how: Withdrawal) throws {
            switch how {
            case .revoked: _ = try accepted.revoke(digest: try script().digest.hex)
            case .changed: try write("/elsewhere")
            case .removed: try FileManager.default.removeItem(at: file)
            }
        }

        func restore() throws {
            try write("/login")
            try accepted.accept(try script())
        }

        /// Lets every user write the list of accepted scripts, or none but its owner again.
        func open(_ isOpen: Bool) throws {
            try FileManager.default.setAttributes(
                [.posixPermissions: isOpen ? 0o666 : 0o600], ofItemAtPath: accepted.file.path)
        }

        /// Accepts the file as it is after a change, in place of the one of before.
        func acceptNewerVersion() throws {
            try accepted.accept(try BankScript(yaml: Self.yaml("/elsewhere"), file: "northern.yaml"))
        }

        /// Lets the vault vouch for what is accepted now, and forget the rest.
        func vouch() async throws {
            let secrets = try await phone.vault.open(passphrase: TestPhone.passphrase)
            defer { secrets.close() }
            try await VouchedFiles.vouch(for: phone.home, in: secrets)
        }

        /// Starts the phone, with the scripts as they are now.
        func runner() throws -> PhoneRunner {
            var services = phone.services()
            services.scripts = try ScriptRegistry([], folder: ScriptFolder(url), accepted: accepted)
            return try PhoneRunner(home: phone.home, connection: try phone.connection(), services: services)
        }
    }

    /// Runs `body` with a phone that has shown one request, and stopped.
    private static func with(
        _ body: @escaping @Sendable (TestPhone, Folder, PendingRequest) async throws -> Void
    ) async throws {
        try await TestPhone.with { phone in
            let folder = Folder(phone: phone)
            try await folder.make()
            await phone.broker.offer([try phone.envelope()])
            let shown: PendingRequest
            do {
                let runner = try folder.runner()
                shown = try #require(try await runner.refresh().pending.first)
            }
            try await body(phone, folder, shown)
        }
    }

    @Test(
        "leaves nothing to approve, with the reason; the request can be approved once the script is back",
        arguments: Withdrawal.allCases)
    func withdrawn(how: Withdrawal) async throws {
        try await Self.with { phone, folder, shown in
            try folder.withdraw(how)
            do {
                let runner = try folder.runner()
                #expect(try await runner.pending().isEmpty, "not shown before the broker is asked")
                let review = try await runner.refresh()
                #expect(review.pending.isEmpty && review.refused.map(\.reason) == ["scriptMissing"])
                #expect(review.refused.first?.message.contains(how.words) == true, "\(review.refused)")
                let error = await #expect(throws: MessageError.self) {
                    try await runner.approve(shown, with: phone.verification)
                }
                #expect(error?.code == .scriptMissing && error?.message.contains(how.words) == true)
                #expect(try await runner.store.request(shown.id)?.status == .pendingApproval)
            }
            #expect(phone.engine.state.withLock { $0.opened } == 0, "the bank was visited")
            #expect(await phone.broker.posts.isEmpty, "no decision was sent")

            try folder.restore()
            let runner = try folder.runner()
            let again = try #require(try await runner.refresh().pending.first)
            #expect(again.id == shown.id && again.script == shown.script)
            _ = try await runner.approve(again, with: phone.verification)
            #expect(phone.engine.state.withLock { $0.opened } == 1)
            #expect(await phone.broker.actions().contains("decision"))
        }
    }

    @Test(
        "is refused by a phone that has it from its start, whether its vault vouches for it still or not",
        arguments: [true, false], [true, false])
    func running(isReplaced: Bool, isForgotten: Bool) async throws {
        try await Self.with { phone, folder, shown in
            let runner = try folder.runner()
            #expect(try await runner.refresh().pending.map(\.script) == [shown.script])
            if isReplaced {
                try folder.acceptNewerVersion()
            } else {
                try folder.withdraw(.revoked)
            }
            if isForgotten { try await folder.vouch() }
            let error = await #expect(throws: PhoneError.self) {
                try await runner.approve(shown, with: phone.verification)
            }
            #expect(error?.code == .fileChanged)
            #expect(error?.message.contains("is not accepted any more") == true, "\(String(describing: error))")
            #expect(try await runner.store.request(shown.id)?.status == .pendingApproval)
            #expect(phone.engine.state.withLock { $0.opened } == 0, "the bank was visited")
            #expect(await phone.broker.posts.isEmpty, "no decision was sent")

            try folder.restore()
            try await folder.vouch()
            _ = try await runner.approve(shown, with: phone.verification)
            #expect(phone.engine.state.withLock { $0.opened } == 1)
        }
    }

    @Test("is refused while the list of accepted scripts cannot be trusted, as a critical record says")
    func openList() async throws {
        try await Self.with { phone, folder, shown in
            let runner = try folder.runner()
            try folder.open(true)
            let error = await #expect(throws: PhoneError.self) {
                try await runner.approve(shown, with: phone.verification)
            }
            #expect(error?.code == .fileChanged)
            #expect(error?.message.contains("is open to other users") == true, "\(String(describing: error))")
            let records = try await runner.store.audit.records(AuditFilter(type: "approval.refused")).map(\.event)
            #expect(records.map(\.severity) == [.critical] && records.map(\.requestID) == [shown.id.description])
            let message = try #require(error?.message)
            #expect(records.first?.details == ["message": .string(message)])
            #expect(phone.engine.state.withLock { $0.opened } == 0, "the bank was visited")
            #expect(await phone.broker.posts.isEmpty, "no decision was sent")

            let secrets = try await phone.verification.open(phone.vault, reason: "a test")
            let scripts = runner.scripts
            await #expect(throws: PhoneError.self) {
                try await VouchedFiles.check(scriptOf: "default", in: scripts, of: phone.home, secrets)
            }
            await #expect(throws: (any Error).self, "the vault is closed then") {
                try await secrets.secret(named: VouchedFiles.entry)
            }
            try folder.open(false)
            _ = try await runner.approve(shown, with: phone.verification)
            #expect(phone.engine.state.withLock { $0.opened } == 1)
        }
    }

    @Test("lets the request expire when its time is over first", arguments: Withdrawal.allCases)
    func expires(how: Withdrawal) async throws {
        try await Self.with { phone, folder, shown in
            try folder.withdraw(how)
            phone.clock.advance(by: 301)
            do {
                let runner = try folder.runner()
                #expect(try await runner.refresh().pending.isEmpty)
                #expect(try await runner.store.request(shown.id)?.status == .expired)
            }
            try folder.restore()
            let runner = try folder.runner()
            #expect(try await runner.refresh().pending.isEmpty, "it does not come back")
            await #expect(throws: PhoneError.self) { try await runner.approve(shown, with: phone.verification) }
            #expect(phone.engine.state.withLock { $0.opened } == 0)
            #expect(await phone.broker.posts.isEmpty)
        }
    }

    @Test("is another one when its changed file is accepted: the card of before is refused, and a new one is shown")
    func replaced() async throws {
        try await Self.with { phone, folder, shown in
            try folder.withdraw(.changed)
            try folder.acceptNewerVersion()
            try await folder.vouch()
            let runner = try folder.runner()
            let again = try #require(try await runner.refresh().pending.first)
            #expect(again.id == shown.id && again.script != shown.script)
            let error = await #expect(throws: PhoneError.self) {
                try await runner.approve(shown, with: phone.verification)
            }
            #expect(error?.code == .scriptChanged)
            #expect(phone.engine.state.withLock { $0.opened } == 0)
            #expect(await phone.broker.posts.isEmpty)
        }
    }

    @Test("can be denied all the same: the owner needs no script for a no")
    func denied() async throws {
        try await Self.with { phone, folder, shown in
            try folder.withdraw(.removed)
            let runner = try folder.runner()
            _ = try await runner.refresh()
            try await runner.deny(shown.id)
            #expect(try await runner.store.request(shown.id)?.status == .denied)
            #expect(await phone.broker.actions() == ["decision"])
        }
    }
}
