import Automation
import BankScript
import Clocks
import Crypto
import Encodings
import Foundation
import Inbox
import KeyVault
import Messages
import Phone
import PhoneStore
import Secrets
import Selectors
import Signer
import Synchronization
import TestServers
import TestSupport

/// A phone in a temporary home, with a fake broker and a scripted browser.
package struct TestPhone: Sendable {
    package static let passphrase = Secret("a passphrase for tests")

    package let broker: FakeBroker
    package let engine: ScriptedEngine
    package let home: PhoneHome
    package let inbox: URL
    package let clock: SettableClock
    package let url: URL

    package var vault: Vault { home.vault }

    /// Sets up a phone, runs `body` with it, and removes everything afterwards.
    package static func with<Success: Sendable>(
        certificate: LoopbackCertificate? = nil,
        _ body: @escaping @Sendable (TestPhone) async throws -> Success
    ) async throws -> Success {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let inbox = folder.appending("inbox")
        try FileManager.default.createDirectory(at: inbox, withIntermediateDirectories: true)
        let broker = FakeBroker()
        return try await FakeBroker.serve(broker, certificate: certificate) { url in
            let phone = TestPhone(
                broker: broker, engine: ScriptedEngine(),
                home: PhoneHome(folder.appending("home"), scrypt: .cheapForTests),
                inbox: inbox, clock: SettableClock(), url: url)
            try await phone.setup().apply(passphrase: passphrase)
            return try await body(phone)
        }
    }

    /// Runs `body` with a phone that shows one request, for January 2026.
    package static func withRequest<Success: Sendable>(
        _ body: @escaping @Sendable (TestPhone, PhoneRunner, PendingRequest) async throws -> Success
    ) async throws -> Success {
        try await with { phone in
            await phone.broker.offer([try phone.envelope()])
            let runner = try phone.runner()
            guard let request = try await runner.refresh().pending.first else { throw RequestNotShown() }
            return try await body(phone, runner, request)
        }
    }

    package func connection(token: String = FakeBroker.token, secret: String = FakeBroker.secretText) throws
        -> PhoneConnection
    {
        try PhoneConnection(
            brokerURL: url.absoluteString, token: Secret(token), sharedSecret: Secret(secret), inbox: inbox.path)
    }

    package func setup(token: String = FakeBroker.token, secret: String = FakeBroker.secretText) throws -> PhoneSetup {
        PhoneSetup(
            home: home, connection: try connection(token: token, secret: secret), bankID: "default",
            credentials: ["username": Secret("ada.lovelace"), "password": Secret("analytical engine")])
    }

    /// Makes a runner. It waits a moment for the home: a process that another test starts holds every lock of this one
    /// between fork and exec.
    package func runner(
        connection other: PhoneConnection? = nil, publisher: (any StatementPublisher)? = nil,
        patience: Duration = .seconds(10)
    ) throws -> PhoneRunner {
        let end = ContinuousClock.now + patience
        while true {
            do {
                return try PhoneRunner(
                    home: home, connection: try other ?? connection(), services: services(), publisher: publisher)
            } catch let error as PhoneError where error.code == .homeBusy && ContinuousClock.now < end {
                usleep(5000)
            }
        }
    }

    package func services(_ script: BankScript = Self.script) -> PhoneServices {
        let engine = engine
        return PhoneServices(
            scripts: ScriptRegistry([script]), person: NobodyThere(), clock: clock, engine: { _ in engine })
    }

    package var verification: any UserVerification { PassphraseVerification(Self.passphrase) }

    package static let script = BankScript("default", named: "Meridian Savings", at: "https://bank.example") {
        Open("/login")
        Fill("Username", with: .username)
        Fill("Password", with: .password)
        Press("Sign in")
        Download("PDF")
    }

    package func envelope(
        bank: String = "default", month: Int = 1, year: Int = 2026, nonce: Nonce = Nonce(), id: RequestID = RequestID(),
        issued: TimeInterval = -10, expires: TimeInterval = 300, client: AgentName? = nil,
        reason: AgentReason? = nil
    ) throws -> JSONValue {
        RequestEnvelope(
            requestID: id, bankID: bank, period: MonthYear(month: month, year: year)!,
            issuedAt: Timestamp(clock.now.addingTimeInterval(issued)),
            approvalExpiresAt: Timestamp(clock.now.addingTimeInterval(expires)), nonce: nonce,
            client: client, reason: reason
        ).signed(with: try FakeBroker.secret()).json
    }

    package func inboxFiles() -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: inbox.path)) ?? []).sorted()
    }
}

/// Thrown when the phone does not show the request that its broker offers.
package struct RequestNotShown: Error {}

package struct NobodyThere: HumanPrompt {
    package func answer(_ prompt: Prompt) async throws -> Secret { throw CancellationError() }
}

package final class SettableClock: RunClock {
    private let time = Mutex(Date(timeIntervalSince1970: 1_800_000_000))

    package var now: Date { time.withLock { $0 } }
    package func advance(by seconds: TimeInterval) { time.withLock { $0.addTimeInterval(seconds) } }
    package func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
}

extension EngineError {
    /// The error of a bank that nothing was sent to.
    package static func unreached(_ message: String) -> EngineError {
        var error = EngineError(.network, message)
        error.mayHaveArrived = false
        return error
    }
}

/// A browser without a bank: it remembers its commands and downloads a fixed PDF.
package final class ScriptedEngine: NavigationEngine {
    package struct Script: Sendable {
        package var pressError: EngineError?
        package var hangsAtPress = false
        package var typed: [String] = []
        package var running = 0
        package var mostRunning = 0
        package var opened = 0
        package var page: (any PageSnapshot)?
        package var skeleton: PageSkeleton?
        /// The page's texts for a locator, by the locator's description.
        package var texts: [String: [String]] = [:]
        package var pdf = Data("%PDF-1.7\nA statement.\nstartxref\n0\n%%EOF\n".utf8)
    }

    package let state = Mutex(Script())

    package init() {}

    package func tell(_ change: (inout Script) -> Void) { state.withLock { change(&$0) } }

    package func open(_ reference: String) async throws {
        state.withLock {
            $0.opened += 1
            $0.running += 1
            $0.mostRunning = max($0.mostRunning, $0.running)
        }
    }
    package func follow(_ link: Locator) async throws {}
    package func fill(_ field: Locator, with input: Input) async throws {
        if case .secret(let secret) = input { tell { $0.typed.append(secret.revealed()) } }
    }
    package func choose(_ option: String, in list: Locator) async throws {}
    package func check(_ box: Locator, _ isOn: Bool) async throws {}
    package func press(_ button: Locator) async throws {
        let (error, hangs) = state.withLock { ($0.pressError, $0.hangsAtPress) }
        if hangs { try await Task.sleep(for: .seconds(3600)) }
        if let error { throw error }
    }
    package func submit(formOf field: Locator) async throws {}
    package func enter(frame: Locator) async throws {}
    package func reload() async throws {}
    package func texts(_ locator: Locator) async throws -> [String] {
        state.withLock { $0.texts["\(locator)"] ?? [] }
    }
    package func text(of locator: Locator) async throws -> String { "" }
    package func attribute(_ name: String, of locator: Locator) async throws -> String? { nil }
    package func picture(_ image: Locator) async throws -> Prompt.Picture { throw EngineError(.notFound, "no picture") }
    package func page() async -> EnginePage? { nil }
    package func cookies() async -> [(name: String, value: String)] { [] }
    package func snapshot(outlining locator: Locator?) async -> (any PageSnapshot)? { state.withLock { $0.page } }
    package func skeleton(knowing texts: Set<String>) async -> PageSkeleton? { state.withLock { $0.skeleton } }
    package func request(_ request: EngineRequest) async throws -> EngineAnswer { throw EngineError(.other, "no") }
    package func download(_ source: EngineDownload, to file: URL, limit: Int) async throws -> EngineFile {
        let pdf = state.withLock { $0.pdf }
        try pdf.write(to: file)
        let digest = SHA256.hash(data: pdf).map { String(format: "%02x", $0) }.joined()
        return EngineFile(
            status: 200, mediaType: "application/pdf", sha256: digest, bytes: pdf.count,
            firstBytes: Array(pdf.prefix(1024)), lastBytes: Array(pdf.suffix(1024)))
    }
    package func close() async { state.withLock { $0.running -= 1 } }
}
