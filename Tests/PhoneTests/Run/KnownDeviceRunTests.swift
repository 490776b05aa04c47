import Automation
import BankScript
import CurlClient
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

@Suite("A bank that knows this phone")
struct KnownDeviceRunTests {
    /// A bank that knows a device by the cookie `dev`, which it changes at each visit. It keeps the cookies of one visit.
    private final class Bank: AnsweringBank {
        private struct State {
            var jar: [HTTPCookie] = []
            var known: [String?] = []
            var visits = 0
        }

        private let state: Mutex<State>
        private let fails: Bool

        init(fails: Bool = false) {
            self.fails = fails
            state = Mutex(State())
        }

        /// The cookie with which each visit began.
        var known: [String?] { state.withLock { $0.known } }

        func answer(_ request: HTTPRequest) -> (HTTPResponseHead, [UInt8]) {
            let isDocument = request.url.hasSuffix("/doc")
            let value: String? = state.withLock { state in
                guard !isDocument else { return nil }
                state.known.append(state.jar.first { $0.name == "dev" }?.value)
                state.visits += 1
                let value = "Curlew-device-\(state.visits)-8841"
                state.jar = [
                    HTTPCookie(name: "dev", value: value, domain: "bank.example", expires: 4_000_000_000),
                    HTTPCookie(name: "session", value: "s", domain: "bank.example", expires: 4_000_000_000),
                ]
                return value
            }
            var headers = [HTTPHeader("Content-Type", isDocument ? "application/pdf" : "text/html")]
            if let value { headers.append(HTTPHeader("Set-Cookie", "dev=\(value); Max-Age=1000000")) }
            let status = isDocument && fails ? 500 : 200
            let head = HTTPResponseHead(
                status: status, url: request.url, version: "1.1", headers: headers,
                timings: HTTPTimings(connected: .zero, firstByte: .zero, total: .zero))
            let text =
                isDocument ? "%PDF-1.4 a statement\nstartxref\n0\n%%EOF\n" : "<title>Bank</title><p>\(value ?? "")"
            return (head, Array(text.utf8))
        }

        func cookies() async -> [HTTPCookie] { state.withLock { $0.jar } }
        func put(_ cookies: [HTTPCookie]) async { state.withLock { $0.jar += cookies } }
        func close() async { state.withLock { $0.jar = [] } }
    }

    private static let yaml = """
        bank: default
        name: Meridian Savings
        origins: [https://bank.example]
        device: [dev]
        steps:
          - open: /
          - download: { open: /doc }
        """

    /// Visits the bank for one month after the other.
    private static func visit(
        _ phone: TestPhone, _ bank: Bank, months: Range<Int>,
        between: @escaping @Sendable (Int) async throws -> Void = { _ in }
    ) async throws -> [String] {
        var services = phone.services(try BankScript(yaml: yaml, file: "default.yaml"))
        services.engine = { try HTMLNavigationEngine(for: $0, configuration: EngineConfiguration(transport: bank)) }
        var messages: [String] = []
        for month in months {
            await phone.broker.offer([try phone.envelope(month: month)])
            let runner = try PhoneRunner(home: phone.home, connection: try phone.connection(), services: services)
            let request = try #require(try await runner.refresh().pending.last)
            if case .failed(_, let message) = try await runner.approve(request, with: phone.verification) {
                messages.append(message)
            }
            try await between(month)
        }
        return messages
    }

    @Test("shows it the cookie of the visit before, sealed in between, and shows it in no file, log or error")
    func known() async throws {
        try await TestPhone.with { phone in
            let bank = Bank()
            #expect(try await Self.visit(phone, bank, months: 1..<3).isEmpty)
            let failing = Bank(fails: true)
            let messages = try await Self.visit(phone, failing, months: 3..<4)
            #expect(messages.count == 1)
            #expect(bank.known == [nil, "Curlew-device-1-8841"] && failing.known == ["Curlew-device-2-8841"])
            let store = try PhoneDatabase(phone.home)
            #expect(try await store.banksThatKnowThisPhone().map(\.bankID) == ["default"])
            let events = try await store.audit.records(AuditFilter(type: "bank")).map(\.event.type)
            #expect(events == ["bank.knows_phone"])
            let files = try FileManager.default.subpathsOfDirectory(atPath: phone.home.folder.path)
            #expect(files.count > 3)
            for canary in ["Curlew-device", Data("Curlew-device-1-8841".utf8).base64EncodedString()] {
                #expect(!messages.joined().contains(canary))
                for file in files {
                    guard let bytes = try? Data(contentsOf: phone.home.folder.appending(path: file)) else { continue }
                    #expect(bytes.range(of: Data(canary.utf8)) == nil, "\(file) has the cookie of the device")
                }
            }
        }
    }

    @Test("forgets it where the owner wants that, with the vault or without")
    func forgotten() async throws {
        try await TestPhone.with { phone in
            let bank = Bank()
            let store = try PhoneDatabase(phone.home)
            _ = try await Self.visit(phone, bank, months: 1..<2)
            #expect(try await store.forgetDevice(atBank: "default"))
            #expect(try await !store.forgetDevice(atBank: "default"))
            // Its sealed value leaves the vault at the next visit, which gets another one.
            _ = try await Self.visit(phone, bank, months: 2..<4)
            #expect(bank.known == [nil, nil, "Curlew-device-2-8841"])
            let secrets = try await phone.verification.open(phone.vault, reason: "test")
            let vault = CredentialVault(secrets, store: store)
            #expect(try await secrets.names().contains("device/default"))
            try await vault.forgetDevice(atBank: "default")
            await #expect(throws: PhoneError.self) { try await vault.forgetDevice(atBank: "default") }
            #expect(try await !secrets.names().contains("device/default"))
            let events = try await store.audit.records(AuditFilter(type: "bank")).map(\.event.type)
            #expect(events.count { $0 == "bank.forgot_phone" } == 2 && events.count { $0 == "bank.knows_phone" } == 2)
            secrets.close()
            _ = try await Self.visit(phone, bank, months: 4..<5)
            let again = try await phone.verification.open(phone.vault, reason: "test")
            defer { again.close() }
            try await CredentialVault(again, store: store).removeAll(forBank: "default")
            #expect(try await !again.names().contains("device/default"))
            #expect(try await store.banksThatKnowThisPhone().isEmpty)
        }
    }

    @Test("keeps none that the owner forgot while the bank was visited")
    func forgottenInBetween() async throws {
        try await TestPhone.with { phone in
            let store = try PhoneDatabase(phone.home)
            let secrets = try await phone.verification.open(phone.vault, reason: "test")
            defer { secrets.close() }
            let given = GivenCredentials()
            defer { given.wipe() }
            let cookie = DeviceCookie(
                name: "dev", value: Secret("Curlew-device"), domain: "bank.example",
                expiresAt: Date(timeIntervalSinceNow: 10_000))
            let device = try #require(KnownDevice([cookie], origins: ["https://bank.example"], at: Date()))
            func memory() -> VaultDeviceMemory {
                VaultDeviceMemory(secrets: secrets, store: store, bankID: "default", given: given)
            }
            try await memory().keep(device, atBank: "default")
            let visit = memory()
            #expect(try await visit.device(atBank: "default") != nil)
            #expect(try await visit.device(atBank: "other") == nil)
            #expect(try await store.forgetDevice(atBank: "default"))
            try await visit.keep(device, atBank: "default")
            #expect(try await memory().device(atBank: "default") == nil)
            #expect(try await !secrets.names().contains("device/default"))
            // The bank may take it back, too.
            try await memory().keep(device, atBank: "default")
            try await memory().keep(nil, atBank: "default")
            #expect(try await store.banksThatKnowThisPhone().isEmpty)
        }
    }
}
