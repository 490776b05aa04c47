import Broker
import BrokerClient
import Clocks
import CurlClient
import Foundation
import Inbox
import Machine
import Messages
import MockBank
import Phone
import Secrets
import Signer
import TestServers

/// A broker, a phone and a bank on loopback, each with its own folder. At the end, also of a part that throws, all programs
/// are killed and the folders are deleted.
final class Stage: Sendable {
    static let agentToken = "agent-token-agent-token-agent-token"
    static let phoneToken = "phone-token-phone-token-phone-token"
    static let secret = "a shared secret of more than thirty-two bytes"
    static let passphrase = "a passphrase for the rig"
    static let period = MonthYear(month: 1, year: 2026)!

    /// The statement that the mock bank serves for ``period``.
    static let statement = Data(MockBankServer.statement(month: period.month, year: period.year))

    let root: URL
    let port: Int
    let agent: AgentClient
    private let phone: PhoneBrokerClient
    private let phones: Int

    var inbox: URL { root.appending(path: "inbox", directoryHint: .isDirectory) }
    var database: URL { root.appending(path: "broker/broker.sqlite") }
    /// The socket of a broker that is told to have one.
    var socket: URL { root.appending(path: "broker/broker.sock") }
    var statements: URL { root.appending(path: "broker/statements", directoryHint: .isDirectory) }
    /// The phone, with a cheap key derivation: the passphrase is not under test here.
    var home: PhoneHome { homes[0] }
    /// The homes of all phones, which have the same token.
    var homes: [PhoneHome] {
        (1...phones).map { PhoneHome(root.appending(path: "phone-\($0)"), scrypt: .cheapForTests) }
    }
    var url: String { "http://127.0.0.1:\(port)" }
    var publisher: InboxPublisher {
        get throws { InboxPublisher(folder: inbox, secret: try SharedSecret(Secret(Self.secret))) }
    }

    private init(phones: Int) throws {
        self.phones = phones
        root = FileManager.default.temporaryDirectory.appending(path: "torture-\(UUID().uuidString.prefix(8))")
        port = try FreePort.find()
        let url = "http://127.0.0.1:\(port)"
        agent = AgentClient(baseURL: url, token: Secret(Self.agentToken))
        phone = PhoneBrokerClient(baseURL: URL(string: url)!, token: Secret(Self.phoneToken))
        try PrivateFolder.make(inbox)
    }

    static func with(phones: Int = 1, _ body: (Stage) async throws -> Tally) async throws -> Tally {
        let stage = try Stage(phones: phones)
        let outcome: Result<Tally, any Error>
        do { outcome = .success(try await body(stage)) } catch { outcome = .failure(error) }
        await Children.started.end()
        await stage.agent.close()
        await stage.phone.close()
        try? FileManager.default.removeItem(at: stage.root)
        return try outcome.get()
    }

    /// Starts a bank, and sets phones up for it.
    ///
    /// - Parameter change: changes the bank's settings.
    static func withPhone(
        phones: Int = 1, changing change: (inout MockBankConfiguration) -> Void = { _ in },
        _ body: (Stage, String) async throws -> Tally
    ) async throws -> Tally {
        try await with(phones: phones) { stage in
            let connection = try PhoneConnection(
                brokerURL: stage.url, token: Secret(phoneToken), sharedSecret: Secret(secret), inbox: stage.inbox.path)
            var bank = MockBankConfiguration()
            change(&bank)
            let credentials = ["username": Secret(bank.username), "password": Secret(bank.password)]
            for home in stage.homes {
                try await PhoneSetup(
                    home: home, connection: connection, bankID: "default", credentials: credentials
                ).apply(passphrase: Secret(passphrase))
            }
            let server = try await MockBankServer.start(bank)
            do {
                let row = try await body(stage, server.url)
                await server.stop()
                return row
            } catch {
                await server.stop()
                throw error
            }
        }
    }

    // MARK: Programs

    private var environment: [String: String] {
        [
            "BROKER_API_TOKEN": Self.agentToken, "PHONE_API_TOKEN": Self.phoneToken,
            "BROKER_PHONE_SHARED_SECRET": Self.secret, "ICLOUD_INBOX_PATH": inbox.path,
            "BROKER_DATABASE_PATH": database.path, "BROKER_PORT": String(port),
            "BROKER_REQUESTS_PER_SECOND": "100000", "BROKER_TOKEN_REQUESTS_PER_SECOND": "100000",
            "BROKER_MAX_UNDECIDED_REQUESTS": "1000",
        ]
    }

    /// Starts the broker as a person would.
    ///
    /// - Parameters:
    ///   - more: further variables.
    ///   - program: nil for the program beside this one.
    ///   - onLine: see ``Child``.
    func realBroker(
        _ more: [String: String] = [:], program: URL? = nil, onLine: @escaping @Sendable (String) -> Void = { _ in }
    ) throws -> Child {
        try Child(
            program ?? Child.executable("countersign"), ["broker", "serve", "--no-telegram"],
            environment: environment.merging(more) { $1 }, onLine: onLine)
    }

    /// Starts the same service with other waits before it accepts a file in the inbox.
    ///
    /// - Parameters:
    ///   - remains: nil for the usual wait before what a phone has left goes.
    ///   - more: further variables.
    ///   - onLine: see ``Child``.
    func quickBroker(
        stability: Int, reconciliation: Int = 200, remains: Int? = nil, _ more: [String: String] = [:],
        onLine: @escaping @Sendable (String) -> Void = { _ in }
    ) throws -> Child {
        try Child(
            Child.executable("torture"),
            ["broker", "--stability", "\(stability)", "--reconciliation", "\(reconciliation)"]
                + (remains.map { ["--remains", "\($0)"] } ?? []),
            environment: environment.merging(more) { $1 }, onLine: onLine)
    }

    /// Starts another command of the broker's owner.
    func command(_ arguments: [String]) throws -> Child {
        try Child(Child.executable("countersign"), arguments, environment: environment)
    }

    /// Starts a phone whose owner approves everything at once.
    ///
    /// - Parameters:
    ///   - isCautious: the owner confirms no other try at a bank that is on hold.
    ///   - flags: further arguments; see ``PhoneRole``.
    ///   - onLine: see ``Child``.
    func phone(
        bank: String, home: PhoneHome? = nil, denying: Int = 0, script: String? = nil, isCautious: Bool = false,
        flags: [String] = [], _ more: [String: String] = [:], onLine: @escaping @Sendable (String) -> Void = { _ in }
    ) throws -> Child {
        try Child(
            Child.executable("torture"),
            ["phone", "--home", (home ?? self.home).folder.path, "--bank", bank, "--denying", "\(denying)"]
                + (script.map { ["--script", $0] } ?? []) + (isCautious ? ["--cautious"] : []) + flags,
            environment: more, onLine: onLine)
    }

    /// Waits until the broker answers.
    func answers(_ broker: Child) async throws {
        let http = CurlSession()
        let url = url
        let isUp = await eventually(within: .seconds(90)) {
            (try? await http.send(HTTPRequest("GET", url + "/healthz")).status) == 200
        }
        await http.close()
        guard isUp else { throw Impatience(description: "the broker does not answer: \(broker.lines.suffix(3))") }
    }

    /// Waits until a phone takes requests.
    func isReady(_ phone: Child) async throws {
        guard await eventually(within: .seconds(90), { phone.lines.contains("ready") }) else {
            throw Impatience(description: "the phone does not start: \(phone.lines.suffix(3))")
        }
    }

    /// Waits until the phone has told of its banks, which comes after it is ready.
    func banksAreTold() async throws {
        let areTold = await eventually(within: .seconds(90)) { (try? await agent.banks().isEmpty) == false }
        guard areTold else { throw Impatience(description: "the phone does not tell its banks") }
    }

    // MARK: Exchanges

    /// - Parameter monthsBefore: the months before the stage's period. A request for a month that waits already is folded
    ///   into the first one, and writes nothing of its own.
    func ask(monthsBefore: Int = 0) async throws -> RequestID {
        let month = Self.period(monthsBefore: monthsBefore)
        return try await agent.requestStatement(month: month.month, year: month.year).id
    }

    static func period(monthsBefore: Int) -> MonthYear {
        let months = 12 * period.year + period.month - 1 - monthsBefore
        return MonthYear(month: months % 12 + 1, year: months / 12)!
    }

    /// Makes a request and approves it as the phone's owner, without a phone.
    func askApproved(monthsBefore: Int = 0) async throws -> RequestID {
        let id = try await ask(monthsBefore: monthsBefore)
        try await phone.decide(id, .approve, at: Date())
        return id
    }

    /// Writes a complete delivery beside the inbox.
    func delivery(for id: RequestID, _ period: MonthYear = Stage.period) throws -> PublishedDelivery {
        let aside = root.appending(path: "aside", directoryHint: .isDirectory)
        try PrivateFolder.make(aside)
        let source = root.appending(path: "\(id).source")
        try AtomicFile.write(MockBankServer.statement(month: period.month, year: period.year), to: source)
        defer { unlink(source.path) }
        return try InboxPublisher(folder: aside, secret: try SharedSecret(Secret(Self.secret)))
            .publish(pdf: source, for: id, period: period, completedAt: Timestamp(Date()))
    }

    /// Moves a delivery from beside the inbox into it, PDF first.
    func deliver(_ delivery: PublishedDelivery) throws {
        for file in [delivery.pdf, delivery.manifestFile] {
            guard rename(file.path, inbox.appending(path: file.lastPathComponent).path) == 0 else {
                throw FileError("delivered", file.path)
            }
        }
    }

    /// Returns the names in the inbox, of one request or of all.
    func inboxNames(of id: RequestID? = nil) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: inbox.path)) ?? []
        return names.filter { name in id.map { name.contains($0.description) } ?? true }.sorted()
    }

    /// The broker's folder of refused deliveries, beside its database.
    var rejected: URL { database.deletingLastPathComponent().appending(path: "rejected") }

    /// Returns the names of the deliveries that the broker rejected.
    func refusedNames() -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: rejected.path)) ?? []
    }
}
