import Automation
import BankScript
import Clocks
import Crypto
import Encodings
import Foundation
import KeyVault
import Messages
import Secrets
import TestParties
import Testing

@testable import Phone

@Suite("A request to a bank whose documents come from a source") struct SourceRunTests {
    /// A source that counts its visits in its memory, and brings a PDF with the credentials' lengths in it.
    private struct CountingSource: DocumentSource {
        static let rule = SourceRule.fints

        func fetch(
            _ places: [DocumentPlace], naming names: [AccountAlias: String], of script: BankScript,
            with services: HostServices, receive: @escaping DocumentReceiver
        ) async throws(RunFailure) {
            do {
                let login = try await services.credentials.credential(named: "username", forBank: script.id)
                let pin = try await services.credentials.credential(named: "password", forBank: script.id)
                let visits = (try await services.memory.kept(forBank: script.id)).flatMap { Int($0.revealed()) } ?? 0
                try await services.memory.keep(Secret("\(visits + 1)"), forBank: script.id)
                // Another bank's memory is out of reach.
                try await services.memory.keep(Secret("stolen"), forBank: "other")
                for place in places {
                    let file = try await services.downloads.destination()
                    let bytes = Array("%PDF-1.4 \(login?.count ?? 0) \(pin?.count ?? 0)\nstartxref\n0\n%%EOF\n".utf8)
                    try Data(bytes).write(to: file)
                    let document = FetchedDocument(
                        file: file, sha256: Base16.encode(SHA256.hash(data: bytes)), bytes: bytes.count)
                    try await receive(place, .success(document))
                }
            } catch let failure as RunFailure {
                throw failure
            } catch {
                throw RunFailure(.navigationFailed, message: "\(error)")
            }
        }
    }

    private static let script = BankScript(
        "default", named: "Musterbank",
        from: SourceDeclaration(
            .fints, at: "https://bank.example/fints", settings: ["bank code": "12345678"], fetching: [.pdf]))

    @Test("an approval runs the source and delivers, and its memory lies in the vault until the bank is removed")
    func runs() async throws {
        try await TestPhone.with { phone in
            var services = phone.services(Self.script)
            services.sources = [.fints: CountingSource()]
            for visit in 1...2 {
                await phone.broker.offer([try phone.envelope(month: visit)])
                let runner = try PhoneRunner(home: phone.home, connection: try phone.connection(), services: services)
                let request = try #require(try await runner.refresh().pending.last)
                #expect(request.script == Self.script.digest)
                let outcome = try await runner.approve(request, with: phone.verification)
                guard case .completed = outcome else {
                    Issue.record("\(outcome)")
                    return
                }
                let vault = try await phone.verification.open(phone.vault, reason: "test")
                #expect(try await vault.secret(named: "source/default")?.revealed() == "\(visit)")
                #expect(try await vault.secret(named: "source/other") == nil)
                if visit == 2 {
                    try await CredentialVault(vault, store: runner.store).remove(forBank: "default")
                    #expect(try await vault.secret(named: "source/default") == nil)
                }
                vault.close()
            }
            #expect(phone.inboxFiles().count == 4)
        }
    }
}
