import Automation
import BankScript
import Clocks
import Crypto
import Encodings
import Foundation
import KeyVault
import Messages
import PhoneStore
import Secrets
import Signer
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

    /// A source of a bank that has three documents for each place.
    private struct ThreefoldSource: DocumentSource {
        static let rule = SourceRule.fints

        func fetch(
            _ places: [DocumentPlace], naming names: [AccountAlias: String], of script: BankScript,
            with services: HostServices, receive: @escaping DocumentReceiver
        ) async throws(RunFailure) {
            for place in places {
                for part in [2, 3, 1] {
                    let bytes = Array("%PDF-1.4 \(place) \(part)\nstartxref\n0\n%%EOF\n".utf8)
                    let file: URL
                    do {
                        file = try await services.downloads.destination()
                        try Data(bytes).write(to: file)
                    } catch {
                        throw RunFailure(.navigationFailed, message: "\(error)")
                    }
                    let document = FetchedDocument(
                        file: file, sha256: Base16.encode(SHA256.hash(data: bytes)), bytes: bytes.count)
                    try await receive(place.numbered(part), .success(document))
                }
            }
        }
    }

    @Test("all documents of a place are delivered, remembered with their numbers, and one of them ends the place")
    func threefold() async throws {
        try await TestPhone.with { phone in
            var services = phone.services(Self.script)
            services.sources = [.fints: ThreefoldSource()]
            let month = try #require(MonthYear(month: 1, year: 2026))
            let selection = try #require(DocumentSelection(periods: [month]))
            let envelope = RequestEnvelope(
                bankID: "default", subject: .documents(selection),
                issuedAt: Timestamp(phone.clock.now.addingTimeInterval(-10)),
                approvalExpiresAt: Timestamp(phone.clock.now.addingTimeInterval(300)))
            await phone.broker.offer([envelope.signed(with: try FakeBroker.secret()).json])
            let runner = try PhoneRunner(home: phone.home, connection: try phone.connection(), services: services)
            let request = try #require(try await runner.refresh().pending.last)
            let outcome = try await runner.approve(request, with: phone.verification)
            guard case .delivered(documents: 1, of: 1) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            let files = phone.inboxFiles()
            for part in 1...3 {
                let id = DocumentID(bankID: "default", DocumentPlace(period: month, part: part))
                #expect(files.contains { $0.hasSuffix("\(id).pdf") }, "\(files)")
            }
            // Three documents with their manifests, and the end.
            #expect(files.count == 7)
            let received = try await runner.store.receivedDocuments()
            #expect(received.map(\.place.part).sorted() == [1, 2, 3])
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

    @Test("a request for a statement at a bank without PDF fails before the visit, and says what to ask for")
    func withoutPDF() async throws {
        try await TestPhone.with { phone in
            let script = BankScript(
                "default", named: "Musterbank",
                from: SourceDeclaration(
                    .fints, at: "https://bank.example/fints", settings: ["bank code": "12345678"],
                    fetching: [.camt, .mt940]))
            var services = phone.services(script)
            services.sources = [.fints: CountingSource()]
            await phone.broker.offer([try phone.envelope(month: 1)])
            let runner = try PhoneRunner(home: phone.home, connection: try phone.connection(), services: services)
            let request = try #require(try await runner.refresh().pending.last)
            guard case .failed(let code, let message) = try await runner.approve(request, with: phone.verification)
            else {
                Issue.record("completed")
                return
            }
            #expect(code == "PDF_DOWNLOAD_FAILED")
            #expect(message.contains("of a kind that it offers: camt, mt940"), "\(message)")
            #expect(phone.inboxFiles().isEmpty)
            let vault = try await phone.verification.open(phone.vault, reason: "test")
            #expect(try await vault.secret(named: "source/default") == nil)
            vault.close()
        }
    }
}
