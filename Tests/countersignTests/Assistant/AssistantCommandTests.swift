import AssistantStore
import CurlClient
import Encodings
import Foundation
import JSON
import LoopbackPage
import TestSupport
import Testing

/// `countersign assistant serve`, as a process that a test can kill.
private final class RunningAssistant {
    private let folder: TemporaryFolder
    private let http: CurlSession
    private var program: Program?
    private var url = ""

    init() throws {
        folder = try TemporaryFolder()
        var curl = CurlConfiguration()
        curl.keepsCookies = false
        curl.limits.whole = .seconds(10)
        http = CurlSession(curl)
    }

    var environment: [String: String] {
        ["XDG_DATA_HOME": folder.url.path, "ASSISTANT_PORT": "0", "ASSISTANT_SIGNUP": "open"]
    }

    var database: URL { folder.appending("countersign/assistant/assistant.sqlite") }

    /// Starts the program, and returns once it answers.
    func start() async throws {
        let program = try Program(["assistant", "serve"], environment: environment)
        self.program = program
        let end = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < end {
            if let match = program.errors.firstMatch(of: /assistant is ready.*?(http:\/\/127\.0\.0\.1:[0-9]+)/) {
                url = String(match.1)
                return
            }
            try await Task.sleep(for: .milliseconds(5))
        }
        throw AssistantStoreError(.other, "the assistant did not start: \(program.errors)")
    }

    func end(_ signal: Int32) async throws -> Int32 {
        program?.signal(signal)
        return try await program?.status() ?? -1
    }

    func kill(after wait: Duration) -> Task<Void, any Error> {
        let program = program
        return Task {
            try await Task.sleep(for: wait)
            program?.signal(SIGKILL)
            _ = try await program?.status()
        }
    }

    /// Sends a request; nil when the program died before it answered.
    func send(_ method: String, _ path: String, token: String? = nil, _ json: JSONValue? = nil) async throws
        -> (status: Int, json: JSONValue)?
    {
        var headers = [HTTPHeader("Content-Type", "application/json")]
        if let token { headers.append(HTTPHeader("Authorization", "Bearer \(token)")) }
        let request = HTTPRequest(method, url + path, headers: headers, body: json.map { $0.compactBytes() })
        guard let response = try? await http.send(request) else { return nil }
        return (response.status, try JSONReader.read(response.body))
    }

    /// Registers a passkey, and returns the access token and the user's id.
    func register() async throws -> (token: String, user: UUID) {
        let passkey = SoftPasskey()
        passkey.origin = "http://localhost:0"
        let asked = try #require(
            try await send("POST", "/v1/auth/passkey/register/start", ["device_id": "phone"]))
        let made = passkey.created(Base64URL.decode(asked.json["public_key"]?["challenge"]) ?? [])
        let answer = try #require(
            try await send(
                "POST", "/v1/auth/passkey/register/finish",
                [
                    "challenge_id": asked.json["challenge_id"] ?? .null, "device_id": "phone",
                    "credential": [
                        "response": [
                            "clientDataJSON": .string(Base64URL.encode(made.clientDataJSON)),
                            "attestationObject": .string(Base64URL.encode(made.attestationObject)),
                        ]
                    ],
                ]))
        let token = try #require(answer.json["access_token"]?.stringValue, "\(answer.json)")
        let claims = try JSONReader.read(Base64URL.decode(String(token.split(separator: ".")[1])) ?? [])
        return (token, try #require(claims["sub"]?.stringValue.flatMap(UUID.init(uuidString:))))
    }
}

@Suite("The assistant's commands") struct AssistantCommandTests {
    /// The number of kills; `ASSISTANT_KILLS` raises it.
    private static let kills = ProcessInfo.processInfo.environment["ASSISTANT_KILLS"].flatMap { Int($0) } ?? 10

    @Test("kills at random moments lose nothing that was acknowledged, and leave the audit chain whole")
    func kills() async throws {
        let assistant = try RunningAssistant()
        try await assistant.start()
        let (token, user) = try await assistant.register()
        var acknowledged = 0
        var attempted = 0
        for _ in 0..<Self.kills {
            let killing = assistant.kill(after: .milliseconds(.random(in: 1...80)))
            while let answer = try await assistant.send(
                "PUT", "/v1/preferences", token: token, Self.preferences(attempted + 1))
            {
                attempted += 1
                #expect(answer.status == 200)
                acknowledged = attempted
            }
            // This one was under way at the kill: it may have been stored.
            attempted += 1
            try await killing.value
            try await assistant.start()
            let stored = try #require(try await assistant.send("GET", "/v1/preferences", token: token))
            let minutes = try #require(stored.json["meeting_reminder_minutes"]?.intValue, "\(stored)")
            #expect(
                minutes == acknowledged % 1441 || minutes == attempted % 1441,
                "\(minutes), after \(acknowledged) were acknowledged of \(attempted)")
            if minutes == attempted % 1441 { acknowledged = attempted }
        }
        #expect(try await assistant.end(SIGTERM) == 0)
        let log = try FileManager.default.attributesOfItem(atPath: assistant.database.path + "-wal")[.size] as? Int
        #expect(log == 0, "the write-ahead log is emptied at a clean stop")

        let database = try await AssistantDatabase.open("sqlite:\(assistant.database.path)")
        guard case .intact(let count) = try await database.audit.verify(user) else {
            Issue.record("the audit chain is broken")
            return
        }
        // One event for the sign-in, and one for each change.
        #expect((attempted + 1 - Self.kills...attempted + 1).contains(count))
        await database.close()
    }

    private static func preferences(_ number: Int) -> JSONValue {
        [
            "meeting_reminder_minutes": .number(Double(number % 1441)), "morning_brief_local_time": "08:00",
            "quiet_hours_start": "22:00", "quiet_hours_end": "07:00", "high_risk_requires_confirm": true,
        ]
    }

    @Test("invite prints a code and nothing else")
    func invite() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await Program.run(
            ["assistant", "invite"], environment: ["XDG_DATA_HOME": folder.url.path])
        #expect(outcome.status == 0 && outcome.errors.isEmpty)
        #expect(outcome.output.wholeMatch(of: /[A-Za-z0-9_-]{20}\n/) != nil)
        #expect(try await Program.run(["assistant", "invite", "--days", "0"]).status == 2)
    }

    @Test("settings that cannot be used are all named, and the command ends with status 2")
    func settings() async throws {
        let outcome = try await Program.run(
            ["assistant", "serve"],
            environment: ["ASSISTANT_PORT": "x", "ASSISTANT_SIGNUP": "maybe", "XDG_DATA_HOME": "/nonexistent"])
        #expect(outcome.status == 2)
        for name in ["ASSISTANT_PORT", "ASSISTANT_SIGNUP"] { #expect(outcome.errors.contains(name)) }
    }

    @Test("a database address with a password is refused without showing it")
    func password() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await Program.run(
            ["assistant", "serve"],
            environment: [
                "ASSISTANT_DATABASE_URL": "postgres://user:pass-canary@/db", "XDG_DATA_HOME": folder.url.path,
            ])
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("ASSISTANT_DATABASE_PASSWORD_FILE"))
        #expect(!outcome.errors.contains("pass-canary"))
    }
}
