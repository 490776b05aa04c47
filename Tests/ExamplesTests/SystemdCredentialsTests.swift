import Automation
import Foundation
import KeyVault
import Phone
import PhoneStore
import Secrets
import SystemdCredentials
import TestParties
import TestSupport
import Testing

@Suite("The example of a credential provider", .timeLimit(.minutes(3)))
struct SystemdCredentialsTests {
    @Test("gives a password to an approved visit, which the vault does not have")
    func visit() async throws {
        try await TestPhone.with { phone in
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            try Data("of the service\nand a note\n".utf8).write(to: folder.appending("default.password"))
            let secrets = try await phone.vault.open(passphrase: TestPhone.passphrase)
            try await CredentialVault(secrets, store: try PhoneDatabase(phone.home))
                .set(provider: "service", for: "password", ofBank: "default")
            secrets.close()
            await phone.broker.offer([try phone.envelope()])
            var services = phone.services()
            services.credentials = PluggedCredentials(["service": SystemdCredentials(folder: folder.url)])
            let runner = try PhoneRunner(home: phone.home, connection: try phone.connection(), services: services)
            let request = try #require(try await runner.refresh().pending.first)
            let outcome = try await runner.approve(request, with: phone.verification)
            #expect(outcome == .completed(filename: "\(request.id)-jan-2026.pdf"))
            #expect(phone.engine.state.withLock { $0.typed } == ["ada.lovelace", "of the service"])
        }
    }

    @Test(
        "has nothing for another bank or name",
        arguments: [("other", "password"), ("default", "pin"), ("default", "../password")])
    func missing(bank: String, name: String) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try Data("of the service".utf8).write(to: folder.appending("default.password"))
        #expect(try await SystemdCredentials(folder: folder.url).credential(named: name, forBank: bank) == nil)
    }
}
