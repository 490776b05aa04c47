import AssistantCommands
import Foundation
import GRDB
import Machine
import MockGoogle
import Synchronization
import TestServers

/// The assistant's four processes on one machine, each started by itself, a mock of Google, and a link that can be cut between
/// any two of them that meet.
final class AssistantStage: Sendable {
    /// The ways between the processes.
    enum Way: String, CaseIterable, Sendable {
        case serveToEnclave = "serve - enclave"
        case serveToKeyService = "serve - kms"
        case enclaveToKeyService = "enclave - kms"
        case workerToEnclave = "worker - enclave"
        case enclaveToGoogle = "enclave - Google"
        case workerToGoogle = "worker - Google"
    }

    let google: MockGoogleServer
    let links: [Way: CuttableLink]
    let user: DemoUser
    private let running = Mutex<[(name: String, process: Child)]>([])
    private let root: URL
    private let port: Int

    var processes: [(name: String, process: Child)] { running.withLock(\.self) }
    var database: URL { state.appending(path: "assistant.sqlite") }
    private var state: URL { root.appending(path: "countersign/assistant", directoryHint: .isDirectory) }

    private init(_ google: MockGoogleServer) throws {
        self.google = google
        root = FileManager.default.temporaryDirectory.appending(path: "torture-\(UUID().uuidString.prefix(8))")
        port = try FreePort.find()
        user = DemoUser(url: "http://127.0.0.1:\(port)")
        try PrivateFolder.make(root)
        let state = root.appending(path: "countersign/assistant")
        let (enclave, keys) = (state.appending(path: "enclave.sock"), state.appending(path: "kms.sock"))
        let googlePort = URL(string: google.url)?.port ?? 0
        var links: [Way: CuttableLink] = [:]
        for way in Way.allCases {
            let own = root.appending(path: "\(links.count).sock")
            links[way] =
                switch way {
                case .serveToEnclave, .workerToEnclave: try CuttableLink(from: own, to: enclave)
                case .serveToKeyService, .enclaveToKeyService: try CuttableLink(from: own, to: keys)
                case .enclaveToGoogle, .workerToGoogle: try CuttableLink(to: googlePort)
                }
        }
        self.links = links
        try AtomicFile.write(Array("mock-client-secret\n".utf8), to: root.appending(path: "client.secret"))
    }

    /// Starts the processes, signs a user in, and connects their calendar.
    static func with(_ body: (AssistantStage) async throws -> Tally) async throws -> Tally {
        var configuration = MockGoogleConfiguration()
        configuration.redirectURIs = [DemoUser.redirect]
        let google = try await MockGoogleServer.start(configuration)
        let outcome: Result<Tally, any Error>
        do {
            let stage = try AssistantStage(google)
            do {
                try await stage.start()
                outcome = .success(try await body(stage))
            } catch { outcome = .failure(error) }
            await Children.started.end()
            await stage.user.close()
            for link in stage.links.values { link.end() }
            try? FileManager.default.removeItem(at: stage.root)
        } catch { outcome = .failure(error) }
        await google.stop()
        return try outcome.get()
    }

    // MARK: Processes

    private func start() async throws {
        try start("kms")
        try start("enclave", through: [.enclaveToKeyService, .enclaveToGoogle])
        try start("worker", through: [.workerToEnclave, .workerToGoogle])
        try start("serve", ["--alone"], through: [.serveToEnclave, .serveToKeyService])
        let processes = processes.map(\.process)
        let isUp = await eventually(within: .seconds(90)) {
            // A link takes connections before the process behind it does.
            guard processes.allSatisfy({ $0.lines.contains { $0.contains(" is ready") } }) else { return false }
            guard let health = try? await user.call("GET", "/healthz") else { return false }
            return ["enclave", "key_service", "worker"].allSatisfy { health[$0] == "ok" }
        }
        guard isUp else {
            throw Impatience(description: "the assistant does not start: \(processes.map { $0.lines.suffix(2) })")
        }
        try await user.signIn()
        // Without quiet hours: at night they would hold the reminders.
        try await user.call(
            "PUT", "/v1/preferences",
            [
                "meeting_reminder_minutes": 15, "morning_brief_local_time": "08:00", "quiet_hours_start": "00:00",
                "quiet_hours_end": "00:00", "high_risk_requires_confirm": true,
            ])
        _ = try await user.connect()
    }

    private func start(_ name: String, _ options: [String] = [], through ways: [Way] = []) throws {
        var variables = [
            "XDG_DATA_HOME": root.path, "ASSISTANT_PORT": "\(port)", "ASSISTANT_PUBLIC_URL": DemoUser.origin,
            "ASSISTANT_SIGNUP": "open", "ASSISTANT_CALENDAR_SYNC_SECONDS": "1",
            "ASSISTANT_GOOGLE_CLIENT_ID": "mock-client",
            "ASSISTANT_GOOGLE_CLIENT_SECRET_FILE": root.appending(path: "client.secret").path,
            "ASSISTANT_GOOGLE_REDIRECT_URIS": DemoUser.redirect,
            "ASSISTANT_GOOGLE_AUTH_URL": "\(google.url)/o/oauth2/v2/auth",
            "ASSISTANT_GOOGLE_TOKEN_URL": "\(google.url)/token", "ASSISTANT_GOOGLE_REVOKE_URL": "\(google.url)/revoke",
            "ASSISTANT_GOOGLE_API_URL": google.url,
        ]
        for way in ways {
            switch (way, links[way]?.own) {
            case (.serveToEnclave, .socket(let file)), (.workerToEnclave, .socket(let file)):
                variables["ASSISTANT_ENCLAVE_SOCKET"] = file.path
            case (.serveToKeyService, .socket(let file)), (.enclaveToKeyService, .socket(let file)):
                variables["ASSISTANT_KMS_SOCKET"] = file.path
            case (.enclaveToGoogle, .port(let port)):
                variables["ASSISTANT_GOOGLE_TOKEN_URL"] = "http://127.0.0.1:\(port)/token"
            case (.workerToGoogle, .port(let port)):
                variables["ASSISTANT_GOOGLE_API_URL"] = "http://127.0.0.1:\(port)"
            default: break
            }
        }
        let child = try Child(
            Child.executable("countersign"), ["assistant", name] + options, environment: variables)
        running.withLock { $0.append((name, child)) }
    }

    // MARK: Meetings

    /// Enters a meeting in the calendar.
    ///
    /// - Parameter seconds: the time until it begins. Within the warning of fifteen minutes, its reminder is due at once.
    func enter(meeting number: Int, in seconds: Int) async {
        let start = Date().addingTimeInterval(TimeInterval(seconds))
        await google.account.put(
            event: "meeting-\(number)", "Meeting \(number)", from: start, to: start.addingTimeInterval(300))
    }

    /// Returns how many meetings have had a reminder, and how many reminders there are. No two meetings begin in one second, so
    /// the time of a reminder tells its meeting.
    func reminders() throws -> (meetings: Int, all: Int) {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        configuration.readonly = true
        let database = try DatabaseQueue(path: database.path, configuration: configuration)
        return try database.read { db in
            let meetings = try Int.fetchOne(
                db, sql: "SELECT count(DISTINCT due_at) FROM jobs WHERE type = 'MEETING_REMINDER' AND state = 'DONE'")
            let all = try Int.fetchOne(db, sql: "SELECT count(*) FROM jobs WHERE type = 'MEETING_REMINDER'")
            return (meetings ?? 0, all ?? 0)
        }
    }

    /// Returns the states of the user's connections. One that Google no longer takes is `NEEDS_RECONNECT`.
    func connectors() async throws -> [String] {
        (try await user.call("GET", "/v1/connectors")["items"]?.arrayValue ?? []).map {
            $0["status"]?.stringValue ?? "?"
        }
    }
}
