import Automation
import BankScript
import Foundation
import KeyVault
import PhoneStore
import Secrets
import TestParties
import TestSupport
import Testing

@testable import Phone

/// A program of the owner's account that cannot open the vault, and changes the files beside it.
@Suite("A file of the home that another program changed")
struct ChangedFilesTests {
    private static let strict = "version: 1\nrules:\n  - {bank: default, require: [passkey], reason: mine}\n"

    private static let loosened: [String?] = [nil, "version: 1\nrules: []\n"]

    private func vouch(_ phone: TestPhone) async throws {
        let secrets = try await phone.vault.open(passphrase: TestPhone.passphrase)
        defer { secrets.close() }
        try await VouchedFiles.vouch(for: phone.home, in: secrets)
    }

    @Test("stops the approval: a policy that was loosened or removed does not count", arguments: loosened)
    func policy(loosened: String?) async throws {
        try await TestPhone.with { phone in
            await phone.broker.offer([try phone.envelope()])
            try Data(Self.strict.utf8).write(to: phone.home.policyFile)
            try await vouch(phone)
            if let loosened {
                try Data(loosened.utf8).write(to: phone.home.policyFile)
            } else {
                try FileManager.default.removeItem(at: phone.home.policyFile)
            }
            let runner = try phone.runner()
            let request = try #require(try await runner.refresh().pending.first)
            let error = await #expect(throws: PhoneError.self) {
                try await runner.approve(request, with: phone.verification)
            }
            #expect(error?.code == .fileChanged, "\(String(describing: error))")
            #expect(phone.engine.state.withLock { $0.opened } == 0, "the bank was visited")
        }
    }

    @Test("stops the approval: a script that was accepted in the owner's name does not run")
    func script() async throws {
        try await TestPhone.with { phone in
            await phone.broker.offer([try phone.envelope()])
            let scripts = phone.home.folder.appending(path: "scripts")
            try FileManager.default.createDirectory(at: scripts, withIntermediateDirectories: true)
            let yaml = try String(
                contentsOf: Repository.file("BankScripts/DefaultBank/meridian-savings.yaml"), encoding: .utf8)
            try Data(yaml.utf8).write(to: scripts.appending(path: "bank.yaml"))
            let accepted = AcceptedScripts(home: phone.home.folder)
            let folder = ScriptFolder(scripts)
            try accepted.accept(try #require(try folder.files().first).script())
            var services = phone.services()
            services.scripts = try ScriptRegistry([], folder: folder, accepted: accepted)
            let runner = try PhoneRunner(home: phone.home, connection: try phone.connection(), services: services)
            let request = try #require(try await runner.refresh().pending.first)
            let error = await #expect(throws: PhoneError.self) {
                try await runner.approve(request, with: phone.verification)
            }
            #expect(error?.code == .fileChanged, "\(String(describing: error))")
            #expect(phone.engine.state.withLock { $0.opened } == 0, "the bank was visited")

            #expect(error?.message.contains("countersign phone policy accept") == true)

            // Revoked while the phone runs, it cannot be vouched for: the phone has to read its scripts again.
            let revoked = try AcceptedScripts(home: phone.home.folder).digests()
            let list = phone.home.folder.appending(path: "accepted-scripts.json")
            let kept = try Data(contentsOf: list)
            try FileManager.default.removeItem(at: list)
            let old = await #expect(throws: PhoneError.self) {
                try await runner.approve(request, with: phone.verification)
            }
            #expect(revoked.count == 1 && old?.code == .fileChanged)
            #expect(old?.message.contains("countersign up --stop") == true, "\(String(describing: old))")
            #expect(old?.message.contains("policy accept") == false)
            try kept.write(to: list)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: list.path)

            // The owner vouches for it with the passphrase, and it runs.
            try await vouch(phone)
            _ = try await runner.approve(request, with: phone.verification)
            #expect(phone.engine.state.withLock { $0.opened } == 1)
        }
    }

    @Test("does not show the bank's pages: the reports of failed runs are encrypted")
    func reports() async throws {
        try await TestPhone.withRequest { phone, runner, request in
            phone.engine.tell { $0.pressError = EngineError(.notFound, "no “Sign in” beside Balance of Lovelace") }
            _ = try await runner.approve(request, with: phone.verification)
            let kept = try phone.files().filter { $0.key.hasPrefix("failures/") }
            #expect(!kept.isEmpty)
            for (name, data) in kept {
                #expect(data.range(of: Data("Lovelace".utf8)) == nil, "\(name)")
                #expect(data.range(of: Data("NAVIGATION".utf8)) == nil, "\(name)")
            }
            let secrets = try await phone.vault.open(passphrase: TestPhone.passphrase)
            let text = try await FailureReports(of: phone.home, in: secrets).text(.description, of: request.id)
            #expect(text?.contains("Lovelace") == true)
        }
    }
}
