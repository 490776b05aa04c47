import Authenticator
import Automation
import Broker
import BrokerClient
import Clocks
import DefaultBank
import Foundation
import HTMLAutomation
import KeyVault
import Logging
import Machine
import MockBank
import Phone
import PhoneCommands
import PhoneStore
import Secrets
import ServiceLifecycle
import Signer
import Synchronization
import Terminal

/// Takes one request from an agent to a verified PDF through real parts: a bank over TLS, a broker over HTTP, a phone with
/// an encrypted vault, and an inbox on disk.
struct DemoStage: Sendable {
    let home: URL
    let period: MonthYear
    let console: Console
    var credentials = BankLogin()
    var agentToken = Self.randomSecret()
    var phoneToken = Self.randomSecret()
    var sharedSecret = Self.randomSecret()
    var passphrase = Self.randomSecret()
    /// When false, the demo approves by itself.
    var asksPerson = Asking.isPossible

    /// The credentials of the mock bank's customer.
    struct BankLogin: Sendable {
        var username = Secret("robin.ashdown")
        var password = Secret("correct horse")
        /// The TOTP secret that the bank and the phone's vault share.
        var tokenSecret = DemoStage.randomSecret(of: "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", count: 32)
        var codeLength = 6
    }

    private var inbox: URL { home.appending(path: "inbox", directoryHint: .isDirectory) }

    private static func randomSecret(of digits: String = "0123456789abcdef", count: Int = 64) -> Secret {
        var generator = SystemRandomNumberGenerator()
        return Secret(bytes: (0..<count).map { _ in digits.utf8.randomElement(using: &generator)! })
    }

    /// Plays the whole demo.
    ///
    /// - Returns: the verified PDF, outside the demo's home.
    func play() async throws -> URL {
        try PrivateFolder.make(inbox)
        var bankConfiguration = MockBankConfiguration()
        bankConfiguration.usesTLS = true
        bankConfiguration.username = credentials.username.revealed()
        bankConfiguration.password = credentials.password.revealed()
        let token = try Token(
            issuer: "Meridian Savings", account: credentials.username.revealed(), secret: credentials.tokenSecret,
            digits: credentials.codeLength)
        let usedCodes = UsedCodes()
        bankConfiguration.codeLength = credentials.codeLength
        bankConfiguration.acceptsCode = { usedCodes.accept($0, of: token) }
        let bank = try await MockBankServer.start(bankConfiguration)
        console.line("Bank     Meridian Savings is open at \(bank.url), over TLS")
        let outcome: Result<URL, any Error>
        do {
            outcome = .success(try await withBroker { try await takeTheRoad(bank, broker: $0, token: token) })
        } catch {
            outcome = .failure(error)
        }
        await bank.stop()
        return try outcome.get()
    }

    // MARK: The parts

    private func withBroker(_ body: @Sendable @escaping (String) async throws -> URL) async throws -> URL {
        var logger = Logger(label: "countersign.demo") { CleanLogHandler(label: $0) }
        logger.logLevel = .warning
        let configuration = BrokerConfiguration(
            agentToken: agentToken, phoneToken: phoneToken, sharedSecret: try SharedSecret(sharedSecret), inbox: inbox,
            database: home.appending(path: "broker/broker.sqlite"), port: 0)
        let (ports, report) = AsyncStream<Int>.makeStream()
        let service = try BrokerService(configuration, logger: logger) { report.yield($0) }
        let group = ServiceGroup(
            configuration: .init(services: [service], logger: Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() }))
        return try await withThrowingTaskGroup(of: Result<URL, any Error>?.self) { tasks in
            tasks.addTask {
                defer { report.finish() }
                try await group.run()
                return nil
            }
            // A failure waits for the broker's shutdown: thrown here, it would cancel the broker in the middle.
            tasks.addTask {
                for await port in ports {
                    let outcome = await Result { try await body("http://127.0.0.1:\(port)") }
                    await group.triggerGracefulShutdown()
                    return outcome
                }
                return nil
            }
            var outcome: Result<URL, any Error>?
            while let finished = try await tasks.next() { outcome = finished ?? outcome }
            guard let outcome else { throw CommandFailure("the broker ended before the demo did") }
            return try outcome.get()
        }
    }

    private func phone(_ bank: MockBankServer, broker: String, token: Token) async throws -> PhoneRunner {
        // Its passphrase is random, so no guess needs to be slow.
        let phoneHome = PhoneHome(
            home.appending(path: "phone", directoryHint: .isDirectory), scrypt: .forRandomKeys)
        let connection = try PhoneConnection(
            brokerURL: broker, token: phoneToken, sharedSecret: sharedSecret, inbox: inbox.path)
        let setup = PhoneSetup(
            home: phoneHome, connection: connection, bankID: "default",
            credentials: ["username": credentials.username, "password": credentials.password])
        let checks = await setup.checks()
        guard checks.allSatisfy(\.isAcceptable) else {
            throw CommandFailure(checks.filter { !$0.isAcceptable }.map(\.message).joined(separator: "; "))
        }
        try await setup.apply(passphrase: passphrase)
        try await link(token, in: phoneHome)
        let authority = home.appending(path: "bank-authority.pem")
        try AtomicFile.write(Array((bank.authorityPEM ?? "").utf8), to: authority)
        let script = MeridianSavings.script.served(at: bank.url, isForTesting: true)
        let engine = EngineConfiguration(certificateAuthority: authority)
        let services = PhoneServices(scripts: ScriptRegistry([script]), person: TerminalPrompt(), servesTestBank: true)
        {
            try HTMLNavigationEngine(for: $0, configuration: engine)
        }
        return try PhoneRunner(home: phoneHome, connection: connection, services: services)
    }

    /// Adds the bank's token to the phone's vault, and links it so that it answers the bank's question.
    private func link(_ token: Token, in home: PhoneHome) async throws {
        let secrets = try await home.vault.open(passphrase: passphrase)
        defer { secrets.close() }
        try await home.tokens(secrets).change { try $0.add(token) }
        try await TokenLinks(secrets, store: PhoneDatabase(home)).link(token, toBank: "default")
    }

    // MARK: The request

    private func takeTheRoad(_ bank: MockBankServer, broker: String, token: Token) async throws -> URL {
        console.line("Broker   answers at \(broker)")
        let phone = try await phone(bank, broker: broker, token: token)
        console.line("Phone    has a vault: AES-256-GCM with a key that only the passphrase opens")
        console.line("Phone    has the bank's TOTP token, linked: it will answer the request for a code")
        let agent = AgentClient(baseURL: broker, token: agentToken)
        let asked = try await agent.requestStatement(month: period.month, year: period.year)
        console.line("Agent    POST /request for \(period): \(asked.status.rawValue), request \(asked.id.short)")

        guard let request = try await phone.refresh().pending.first(where: { $0.id == asked.id }) else {
            throw CommandFailure("the phone did not see the request")
        }
        console.line("Phone    envelope verified: signature, version, expiry, nonce")
        request.show(on: console)
        try await approve(request, on: phone)

        var state = try await agent.request(asked.id)
        while !state.status.isTerminal { state = try await agent.request(asked.id, wait: 30) }
        console.line("Agent    GET /request/\(asked.id.short)…: \(state.status.rawValue)", .bold)
        await agent.close()
        guard state.status == .completed, let path = state.filePath else {
            throw CommandFailure(
                "the request ended as \(state.status.rawValue): \(state.errorMessage ?? ""), "
                    + "\(state.bankSaysUntrusted ?? "")")
        }
        return try keep(URL(filePath: path))
    }

    private func approve(_ request: PendingRequest, on phone: PhoneRunner) async throws {
        if asksPerson {
            guard Asking.yes("Phone    Approve?") else {
                try await phone.deny(request.id)
                throw CommandFailure("you denied the request; the agent sees DENIED")
            }
        } else {
            console.line("Phone    without a terminal, the demo approves by itself")
        }
        let printer = StepPrinter(json: false, indent: "         ", console: console)
        let events = phone.events()
        let printing = Task {
            for await event in events { if case .run(_, let step) = event { printer.observe(step) } }
        }
        let outcome = try await phone.approve(request, with: PassphraseVerification(passphrase))
        // Let the printer catch up with the stream's last events.
        try? await Task.sleep(for: .milliseconds(50))
        printing.cancel()
        guard case .completed(let filename) = outcome else {
            if case .failed(let code, let message) = outcome { throw CommandFailure("\(code): \(message)") }
            throw CommandFailure("the request waits for another device, and the demo has one")
        }
        console.line("Phone    PDF and signed manifest are in the inbox: \(filename)")
        console.line("Broker   waits until the files are stable for 2 s, then verifies signature and SHA-256")
    }

    /// Copies the PDF out of the demo's home, which is deleted at the end.
    private func keep(_ pdf: URL) throws -> URL {
        let target = FileManager.default.temporaryDirectory
            .appending(path: "countersign-\(period)-\(UUID().uuidString.prefix(8).lowercased()).pdf")
        try OpenedFile(pdf).copy(to: target, atMost: .max) { _ in }
        return target
    }
}

/// The bank's side of a second factor: it accepts the code of this period or of the one before, each once (RFC 6238,
/// section 5.2).
private final class UsedCodes: Sendable {
    private let latest = Mutex<UInt64>(0)

    func accept(_ code: String, of token: Token) -> Bool {
        let now = token.step(at: Date())
        let given = Secret(code)
        return latest.withLock { latest in
            guard let step = [now, now - 1].first(where: { token.code(step: $0).digits.isEqual(to: given) }),
                step > latest
            else { return false }
            latest = step
            return true
        }
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
