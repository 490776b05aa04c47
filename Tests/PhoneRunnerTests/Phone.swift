import BankScript
import Clocks
import Crypto
import Foundation
import JSON
import KeyVault
import LoopbackTLS
import Messages
import Secrets
import Selectors
import Signer
import Synchronization
import TestSupport
import Testing

@testable import Automation
@testable import PhoneRunner
@testable import Secrets

/// A phone in a temporary home, with a fake broker and a browser that does as it is told.
struct Phone: Sendable {
    static let passphrase = Secret("a passphrase for tests")

    let broker: FakeBroker
    let engine: ScriptedEngine
    let home: PhoneHome
    let inbox: URL
    let clock: SettableClock
    let url: URL

    var vault: Vault { home.vault }

    /// Sets a phone up and gives it to `body`; takes everything away afterwards.
    static func with<Success: Sendable>(
        certificate: LoopbackCertificate? = nil,
        _ body: @escaping @Sendable (Phone) async throws -> Success
    ) async throws -> Success {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let inbox = folder.appending("inbox")
        try FileManager.default.createDirectory(at: inbox, withIntermediateDirectories: true)
        let broker = FakeBroker()
        return try await FakeBroker.serve(broker, certificate: certificate) { url in
            let phone = Phone(
                broker: broker, engine: ScriptedEngine(),
                home: PhoneHome(folder.appending("home"), scrypt: .cheapForTests),
                inbox: inbox, clock: SettableClock(), url: url)
            try await phone.setup().apply(passphrase: passphrase)
            return try await body(phone)
        }
    }

    /// A phone that shows one request, for January 2026.
    static func withRequest<Success: Sendable>(
        _ body: @escaping @Sendable (Phone, PhoneRunner, PendingRequest) async throws -> Success
    ) async throws -> Success {
        try await with { phone in
            await phone.broker.offer([try phone.envelope()])
            let runner = try phone.runner()
            let request = try #require(try await runner.refresh().pending.first)
            return try await body(phone, runner, request)
        }
    }

    func connection(token: String = FakeBroker.token, secret: String = FakeBroker.secretText) throws -> PhoneConnection
    {
        try PhoneConnection(
            brokerURL: url.absoluteString, token: Secret(token), sharedSecret: Secret(secret), inbox: inbox.path)
    }

    func setup(token: String = FakeBroker.token, secret: String = FakeBroker.secretText) throws -> PhoneSetup {
        PhoneSetup(
            home: home, connection: try connection(token: token, secret: secret), bankID: "default",
            credentials: ["username": Secret("ada.lovelace"), "password": Secret("analytical engine")])
    }

    func runner(publisher: (any StatementPublisher)? = nil) throws -> PhoneRunner {
        try PhoneRunner(home: home, connection: try connection(), services: services(), publisher: publisher)
    }

    func services() -> PhoneServices {
        let engine = engine
        return PhoneServices(
            scripts: ScriptRegistry([Self.script]), person: NobodyThere(), clock: clock, engine: { _ in engine })
    }

    var verification: any UserVerification { PassphraseVerification(Self.passphrase) }

    static let script = BankScript("default", named: "Meridian Savings", at: "https://bank.example") {
        Open("/login")
        Fill("Username", with: .username)
        Fill("Password", with: .password)
        Press("Sign in")
        Download("PDF")
    }

    func envelope(
        bank: String = "default", month: Int = 1, year: Int = 2026, nonce: Nonce = Nonce(), id: RequestID = RequestID(),
        issued: TimeInterval = -10, expires: TimeInterval = 300
    ) throws -> JSONValue {
        RequestEnvelope(
            requestID: id, bankID: bank, period: MonthYear(month: month, year: year)!,
            issuedAt: Timestamp(clock.now.addingTimeInterval(issued)),
            approvalExpiresAt: Timestamp(clock.now.addingTimeInterval(expires)), nonce: nonce
        ).signed(with: try FakeBroker.secret()).json
    }

    func inboxFiles() -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: inbox.path)) ?? []).sorted()
    }
}

struct NobodyThere: HumanPrompt {
    func answer(_ prompt: Prompt) async throws -> Secret { throw CancellationError() }
}

final class SettableClock: RunClock {
    private let time = Mutex(Date(timeIntervalSince1970: 1_800_000_000))

    var now: Date { time.withLock { $0 } }
    func advance(by seconds: TimeInterval) { time.withLock { $0.addTimeInterval(seconds) } }
    func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
}

/// A browser without a bank: remembers what it was told, and downloads a fixed PDF.
final class ScriptedEngine: NavigationEngine {
    struct Script: Sendable {
        var pressError: EngineError?
        var hangsAtPress = false
        var typed: [String] = []
        var running = 0
        var mostRunning = 0
        var opened = 0
        var page: PageSnapshot?
        var pdf = Data("%PDF-1.7\nA statement.\n%%EOF\n".utf8)
    }

    let state = Mutex(Script())
    func tell(_ change: (inout Script) -> Void) { state.withLock { change(&$0) } }

    func open(_ reference: String) async throws {
        state.withLock {
            $0.opened += 1
            $0.running += 1
            $0.mostRunning = max($0.mostRunning, $0.running)
        }
    }
    func follow(_ link: Locator) async throws {}
    func fill(_ field: Locator, with input: EngineInput) async throws {
        if case .secret(let secret) = input { tell { $0.typed.append(secret.revealed()) } }
    }
    func choose(_ option: String, in list: Locator) async throws {}
    func check(_ box: Locator, _ isOn: Bool) async throws {}
    func press(_ button: Locator) async throws {
        let (error, hangs) = state.withLock { ($0.pressError, $0.hangsAtPress) }
        if hangs { try await Task.sleep(for: .seconds(3600)) }
        if let error { throw error }
    }
    func submit(formOf field: Locator) async throws {}
    func enter(frame: Locator) async throws {}
    func reload() async throws {}
    func texts(_ locator: Locator) async throws -> [String] { [] }
    func text(of locator: Locator) async throws -> String { "" }
    func attribute(_ name: String, of locator: Locator) async throws -> String? { nil }
    func picture(_ image: Locator) async throws -> Prompt.Picture { throw EngineError(.notFound, "no picture") }
    func glimpse() async -> EnginePage? { nil }
    func cookies() async -> [(name: String, value: String)] { [] }
    func snapshot(outlining locator: Locator?) async -> PageSnapshot? { state.withLock { $0.page } }
    func request(_ request: EngineRequest) async throws -> EngineAnswer { throw EngineError(.other, "no") }
    func download(_ source: EngineDownload, to file: URL, limit: Int) async throws -> EngineFile {
        let pdf = state.withLock { $0.pdf }
        try pdf.write(to: file)
        let digest = SHA256.hash(data: pdf).map { String(format: "%02x", $0) }.joined()
        return EngineFile(
            status: 200, mediaType: "application/pdf", sha256: digest, bytes: pdf.count,
            firstBytes: Array(pdf.prefix(1024)), lastBytes: Array(pdf.suffix(1024)))
    }
    func close() async { state.withLock { $0.running -= 1 } }
}
