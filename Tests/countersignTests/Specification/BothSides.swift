import Automation
import BankScript
import Broker
import BrokerClient
import Clocks
import DefaultBank
import Foundation
import GRDB
import HTMLAutomation
import HTMLEngine
import KeyVault
import Machine
import Messages
import MockBank
import Notifications
import Secrets
import Signer
import Synchronization
import TestParties
import TestServers
import TestSupport
import Testing

@testable import Phone

/// Broker, phone and mock bank on loopback, each with its own folder. Waits are a hundredth of the specification's.
final class BothSides: Sendable {
    static let passphrase = Secret("a passphrase for tests")
    static let credentials = ["username": "canary user ÄÖ+1@x", "password": "canary/päss&word=2?", "code": "c4nary"]

    let home: URL
    let records = LogRecords()
    let clock = MovableClock()
    let telegram: FakeTelegram
    let phone: PhoneRunner
    let signIns: SignInCount
    let bank: MockBankServer
    private let configuration: BrokerConfiguration
    private let agentToken = Secret("agent-token-agent-token-agent-token")
    private let port: Mutex<Int>

    var inbox: URL { home.appending(path: "inbox", directoryHint: .isDirectory) }
    var brokerHome: URL { home.appending(path: "broker", directoryHint: .isDirectory) }
    var phoneHome: PhoneHome { phone.home }
    var agent: AgentClient { AgentClient(baseURL: "http://127.0.0.1:\(port.withLock { $0 })", token: agentToken) }

    private init(
        home: URL, bank: MockBankServer, script: BankScript, telegram: FakeTelegram, telegramURL: String,
        visits: VisitProgram?, person: any HumanPrompt
    ) async throws {
        self.home = home
        self.bank = bank
        self.telegram = telegram
        let inbox = home.appending(path: "inbox", directoryHint: .isDirectory)
        try PrivateFolder.make(inbox)
        // The phone is set up before the broker runs, so choose the port now; a restarted broker uses it again.
        let port = try FreePort.find()
        self.port = Mutex(port)
        let phoneToken = Secret("phone-token-phone-token-phone-token")
        let shared = Secret("a shared secret of more than thirty-two bytes")
        var configuration = BrokerConfiguration(
            agentToken: agentToken, phoneToken: phoneToken, sharedSecret: try SharedSecret(shared), inbox: inbox,
            database: home.appending(path: "broker/broker.sqlite"), port: port)
        configuration.timing.stability = .milliseconds(20)
        configuration.timing.reconciliation = .milliseconds(100)
        var bot = TelegramConfiguration(
            token: Secret(FakeTelegram.token), chatID: String(FakeTelegram.chat), baseURL: telegramURL)
        bot.timing.poll = .seconds(1)
        configuration.telegram = bot
        self.configuration = configuration
        let home = PhoneHome(home.appending(path: "phone", directoryHint: .isDirectory), scrypt: .cheapForTests)
        let connection = try PhoneConnection(
            brokerURL: "http://127.0.0.1:\(port)", token: phoneToken, sharedSecret: shared, inbox: inbox.path)
        let login = Self.credentials.filter { $0.key != "code" }.mapValues { Secret($0) }
        try await PhoneSetup(home: home, connection: connection, bankID: "default", credentials: login)
            .apply(passphrase: Self.passphrase)
        let script = script.served(at: bank.url, isForTesting: true)
        let signIns = SignInCount()
        self.signIns = signIns
        let engine = EngineConfiguration(observer: { signIns.note($0) })
        var services = PhoneServices(
            scripts: ScriptRegistry([script]), person: person, clock: clock, servesTestBank: true
        ) { try HTMLNavigationEngine(for: $0, configuration: engine) }
        services.visits = visits
        phone = try PhoneRunner(home: home, connection: connection, services: services)
    }

    /// Sets both sides up without a running broker, and deletes everything afterwards.
    ///
    /// - Parameter visits: the program whose processes visit the bank; nil to visit it in this process.
    static func with(
        in scenario: Scenario = .happy, running script: BankScript = MeridianSavings.script,
        visits: VisitProgram? = nil, person: any HumanPrompt = PersonWithCode(),
        _ body: @escaping @Sendable (BothSides) async throws -> Void
    ) async throws {
        try await FakeTelegram.with { telegram, url in
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let home = folder.url
            var bank = MockBankConfiguration()
            bank.username = credentials["username"]!
            bank.password = credentials["password"]!
            bank.oneTimeCode = credentials["code"]!
            bank.scenario = scenario
            let server = try await MockBankServer.start(bank)
            do {
                try await body(
                    try await BothSides(
                        home: home, bank: server, script: script, telegram: telegram, telegramURL: url,
                        visits: visits, person: person))
            } catch {
                await server.stop()
                throw error
            }
            await server.stop()
        }
    }

    /// Runs a broker while `body` runs.
    static func running(
        in scenario: Scenario = .happy, running script: BankScript = MeridianSavings.script,
        visits: VisitProgram? = nil, person: any HumanPrompt = PersonWithCode(),
        _ change: @escaping @Sendable (inout BrokerConfiguration) -> Void = { _ in },
        _ body: @escaping @Sendable (BothSides) async throws -> Void
    ) async throws {
        try await with(in: scenario, running: script, visits: visits, person: person) { both in
            try await both.runBroker(change) { try await body(both) }
        }
    }

    /// Runs a broker, and shuts it down as SIGTERM would.
    func runBroker(
        _ change: (inout BrokerConfiguration) -> Void = { _ in }, _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        var configuration = configuration
        change(&configuration)
        try await LoopbackBroker.serve(configuration, logger: records.logger, clock: clock.brokerClock) { _ in
            try await body()
        }
    }

    // MARK: Actions

    func ask(month: Int = 1) async throws -> RequestID {
        try await agent.requestStatement(month: month, year: 2026).id
    }

    /// Returns the request as the phone shows it.
    func shown(_ id: RequestID) async throws -> PendingRequest {
        try #require(try await phone.refresh().pending.first { $0.id == id })
    }

    func approve(_ id: RequestID) async throws -> RunOutcome {
        try await phone.approve(try await shown(id), with: PassphraseVerification(Self.passphrase))
    }

    func status(_ id: RequestID) async throws -> RequestStatus { try await agent.request(id).status }

    /// Waits until a condition holds; the suite's time limit ends a wait that is too long.
    func until(_ isSo: () async throws -> Bool) async throws {
        while try await !isSo() { try await Task.sleep(for: .milliseconds(10)) }
    }

    func inboxNames() -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: inbox.path)) ?? []).sorted()
    }

    /// Changes the broker's database, as an attacker on that machine could.
    func tamper(_ sql: String, _ arguments: StatementArguments) throws {
        var patient = Configuration()
        patient.busyMode = .timeout(10)
        try DatabaseQueue(path: configuration.database.path, configuration: patient).write { db in
            try db.execute(sql: sql, arguments: arguments)
        }
    }

    static func files(below folder: URL) -> [URL] {
        let all = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.isRegularFileKey])
        return (all?.allObjects as? [URL] ?? []).filter {
            (try? $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) ?? false
        }
    }
}

/// Counts how often the password was sent to the bank, and which documents were fetched from it.
final class SignInCount: Sendable {
    private let number = Mutex(0)
    private let addresses = Mutex<[String]>([])

    var count: Int { number.withLock { $0 } }
    /// The paths of the documents, as often as they were fetched.
    var documents: [String] { addresses.withLock { $0 } }

    func note(_ exchange: Exchange) {
        if let path = exchange.url.firstMatch(of: /\/statements\/[a-z]+\/[0-9]{4}-[0-9]{2}.*/) {
            addresses.withLock { $0.append(String(path.output)) }
        }
        guard exchange.method == "POST", exchange.url.hasSuffix("/login") else { return }
        number.withLock { $0 += 1 }
    }
}

struct PersonWithCode: HumanPrompt {
    func answer(_ prompt: Prompt) async throws -> Secret { Secret(BothSides.credentials["code"]!) }
}

/// One clock for both sides, set by the test.
final class MovableClock: RunClock {
    private let offset = Mutex<TimeInterval>(0)

    var now: Date { Date().addingTimeInterval(offset.withLock { $0 }) }
    func advance(by seconds: TimeInterval) { offset.withLock { $0 += seconds } }
    func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }

    var brokerClock: BrokerClock {
        BrokerClock(
            wall: { self.now }, elapsed: { BrokerClock.sinceBoot() + .seconds(self.offset.withLock { $0 }) })
    }
}
