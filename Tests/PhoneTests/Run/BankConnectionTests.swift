import Automation
import BankScript
import CurlClient
import Encodings
import Foundation
import HTMLAutomation
import KeyVault
import PhoneStore
import Secrets
import Storage
import Synchronization
import TestParties
import Testing

@testable import Phone

@Suite("A bank that is connected with the owner's yes")
struct BankConnectionTests {
    /// A bank that gives the tokens of a list, one after the other.
    private struct Bank: AnsweringBank {
        let answers: @Sendable (String) -> (Int, String)

        func answer(_ request: HTTPRequest) -> (HTTPResponseHead, [UInt8]) {
            let (status, text) = answers("\(request.method) \(request.url.replacing("https://bank.example", with: ""))")
            let type = text.hasPrefix("%PDF") ? "application/pdf" : "application/json"
            let head = HTTPResponseHead(
                status: status, url: request.url, version: "1.1", headers: [HTTPHeader("Content-Type", type)],
                timings: HTTPTimings(connected: .zero, firstByte: .zero, total: .zero))
            return (head, Array(text.utf8))
        }
    }

    private struct Yes: OwnersBrowser {
        func redirect(_ wanted: String?) async throws -> String { "http://127.0.0.1:4711/" }

        func visit(_ page: OwnersPage) async throws -> Secret {
            Secret("code=code-Wigeon-31&state=\(page.state.revealed())")
        }

        func show(_ code: OwnersCode) async throws {}
    }

    private static let canaries = ["access-Dunlin-4417", "refresh-Gannet-9058", "code-Wigeon-31", "analytical engine"]

    private static let yaml = """
        bank: default
        name: Meridian Savings
        origins: [https://bank.example, https://auth.bank.example]
        exchange: { authorize: https://auth.bank.example/, token: /token, client: $username, secret: $password }
        consent: { lasts: 90 days }
        steps:
          - download: { request: { GET: /doc, headers: { Authorization: Bearer $access_token } } }
        """

    /// Returns the ways in which a text may stand in a file.
    private static func spellings(_ text: String) -> [[UInt8]] {
        let bytes = Array(text.utf8)
        return [
            bytes, Array(Data(bytes).base64EncodedString().prefix(bytes.count).utf8),
            Array(Base64URL.encode(bytes).utf8),
            Array(Base16.encode(bytes).utf8), Array(Base16.encode(bytes).uppercased().utf8),
            Array((text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "").utf8), bytes.reversed(),
            Array(text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }),
        ]
    }

    @Test("keeps what it gives sealed, uses it in a run, and shows it in no file, log or error")
    func connects() async throws {
        let script = try BankScript(yaml: Self.yaml, file: "default.yaml")
        try await TestPhone.with { phone in
            let lines = Mutex<[String]>([])
            let bank = Bank { line in
                lines.withLock { $0.append(line) }
                switch line {
                case "POST /token":
                    return (
                        200,
                        #"{"access_token":"access-Dunlin-4417","refresh_token":"refresh-Gannet-9058","token_type":"Bearer","expires_in":3600}"#
                    )
                case "GET /doc" where lines.withLock({ $0.count }) < 3:
                    return (200, "%PDF-1.4 a statement\nstartxref\n0\n%%EOF\n")
                default: return (401, #"{"error":"access-Dunlin-4417 is revoked"}"#)
                }
            }
            var services = phone.services(script)
            services.engine = {
                try HTMLNavigationEngine(for: $0, configuration: EngineConfiguration(transport: bank))
            }
            let secrets = try await phone.verification.open(phone.vault, reason: "test")
            let end = try await BankConnection(home: phone.home, secrets: secrets, services: services).connect(
                script, with: Yes())
            #expect(end == services.clock.now.addingTimeInterval(90 * 86_400))
            #expect(try await secrets.secret(named: "grant/default")?.revealed().contains("access-Dunlin-4417") == true)
            secrets.close()
            var messages: [String] = []
            for month in 1...3 {
                await phone.broker.offer([try phone.envelope(month: month)])
                let runner = try PhoneRunner(home: phone.home, connection: try phone.connection(), services: services)
                let request = try #require(try await runner.refresh().pending.last)
                let outcome = try await runner.approve(request, with: phone.verification)
                if case .failed(let code, let message) = outcome { messages.append("\(code): \(message)") }
            }
            // The second run was refused, and the third did not ask.
            #expect(messages.count == 2, "\(messages)")
            for message in messages { #expect(message.hasPrefix("CONSENT_ENDED: "), "\(message)") }
            #expect(lines.withLock { $0 } == ["POST /token", "GET /doc", "GET /doc"])
            let consent = try #require(try await PhoneDatabase(phone.home).storedConsents().first)
            #expect(consent.bankID == "default" && consent.endedAt != nil)
            let files = try FileManager.default.subpathsOfDirectory(atPath: phone.home.folder.path)
            for canary in Self.canaries {
                #expect(!messages.joined().contains(canary))
                for file in files {
                    guard let bytes = try? Data(contentsOf: phone.home.folder.appending(path: file)) else { continue }
                    for spelling in Self.spellings(canary) where bytes.range(of: Data(spelling)) != nil {
                        Issue.record("\(file) has \(canary) as \(String(decoding: spelling, as: UTF8.self))")
                    }
                }
            }
            let again = try await phone.verification.open(phone.vault, reason: "test")
            try await CredentialVault(again, store: try PhoneDatabase(phone.home)).removeAll(forBank: "default")
            #expect(try await again.secret(named: "grant/default") == nil)
            #expect(try await PhoneDatabase(phone.home).storedConsents().isEmpty)
            again.close()
        }
    }

    enum Lack: CaseIterable {
        /// Its acceptance was taken back while the phone ran.
        case revoked
        /// Something else than its owner's yes has put it on the list of accepted scripts.
        case withoutTheVaultsWord

        var words: String {
            self == .revoked ? "is not accepted any more" : "was accepted since the vault last vouched"
        }
    }

    @Test(
        "gives no credentials to a script that is not accepted any more, or not by the vault", arguments: Lack.allCases)
    func refused(lack: Lack) async throws {
        try await TestPhone.with { phone in
            let folder = phone.home.folder.appending(path: "scripts", directoryHint: .isDirectory)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(Self.yaml.utf8).write(to: folder.appending(path: "default.yaml"))
            let script = try BankScript(yaml: Self.yaml, file: "default.yaml")
            let accepted = AcceptedScripts(home: phone.home.folder)
            let secrets = try await phone.verification.open(phone.vault, reason: "test")
            if lack == .withoutTheVaultsWord { try await VouchedFiles.vouch(for: phone.home, in: secrets) }
            try accepted.accept(script)
            if lack == .revoked { try await VouchedFiles.vouch(for: phone.home, in: secrets) }
            let lines = Mutex<[String]>([])
            let bank = Bank { line in
                lines.withLock { $0.append(line) }
                return (200, #"{"access_token":"one","token_type":"Bearer","expires_in":3600}"#)
            }
            var services = phone.services()
            services.scripts = try ScriptRegistry([], folder: ScriptFolder(folder), accepted: accepted)
            services.engine = {
                try HTMLNavigationEngine(for: $0, configuration: EngineConfiguration(transport: bank))
            }
            if lack == .revoked { _ = try accepted.revoke(digest: script.digest.hex) }
            let connection = BankConnection(home: phone.home, secrets: secrets, services: services)
            let error = await #expect(throws: PhoneError.self) { try await connection.connect(script, with: Yes()) }
            #expect(error?.code == .fileChanged && error?.message.contains(lack.words) == true)
            #expect(lines.withLock { $0.isEmpty }, "the bank heard of it")
            await #expect(throws: (any Error).self, "the vault is open still") {
                try await secrets.secret(named: "credential/default/password")
            }
            let records = try await PhoneDatabase(phone.home).audit.records(AuditFilter(type: "approval.refused"))
            #expect(records.map(\.event.severity) == [.critical])
            #expect(records.first?.event.details["message"]?.stringValue == error?.message)
        }
    }
}
