import Broker
import BrokerClient
import Clocks
import CurlClient
import Encodings
import Foundation
import Logging
import Machine
import Messages
import Secrets
import TestSupport
import Testing

@testable import CountersignCommandLine

@Suite("The broker's commands", .timeLimit(.minutes(4)))
struct BrokerCommandTests {
    @Test("on a signal, the broker answers pending polls and exits with 0", arguments: [SIGTERM, SIGINT])
    func drains(signal: Int32) async throws {
        let broker = try BrokerProcess()
        let program = try await broker.start()
        let agent = AgentClient(baseURL: broker.url, token: Secret(BrokerProcess.agentToken))
        let id = try await agent.requestStatement(month: 1, year: 2026).id
        await agent.close()
        // The broker refuses one poll too many once all the others wait, and only then.
        let admitted = BrokerLimits().waitingPollsPerAgent
        let polls = (0...admitted).map { _ in
            Task { try await Self.get("/request/\(id)?wait=60", of: broker) }
        }
        try await Self.until("a poll is refused") {
            try await Self.get("/metrics", of: broker).text.contains(#"status="429""#)
        }
        let start = ContinuousClock.now
        program.signal(signal)
        var answers: [Int: Int] = [:]
        for poll in polls {
            let answer = try await poll.value
            answers[answer.status, default: 0] += 1
            if answer.status != 429 { #expect(answer.text.contains("PENDING_APPROVAL"), "the answer still came") }
        }
        #expect(answers == [202: admitted, 429: 1])
        #expect(try await program.status() == 0)
        #expect(ContinuousClock.now - start < .seconds(30), "the polls would have waited for 60 s")
        try await Self.until("the broker says that it has ended") { program.errors.contains("broker has ended") }
    }

    /// Sends a GET as the agent over a new connection.
    private static func get(_ path: String, of broker: BrokerProcess) async throws -> (status: Int, text: String) {
        var configuration = CurlConfiguration()
        configuration.limits.firstByte = .seconds(90)
        let session = CurlSession(configuration)
        let answer = try await session.send(
            HTTPRequest(
                "GET", broker.url + path,
                headers: [HTTPHeader("Authorization", "Bearer \(BrokerProcess.agentToken)")]))
        await session.close()
        return (answer.status, String(decoding: answer.body, as: UTF8.self))
    }

    /// Polls until the condition holds, for at most 30 s.
    private static func until(_ what: String, _ holds: () async throws -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while try await !holds() {
            try #require(ContinuousClock.now < deadline, "\(what)")
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    @Test("a full disk for the log does not stop the broker")
    func fullLog() async throws {
        let broker = try BrokerProcess()
        let shell = try RunningProgram(
            ["/bin/sh", "-c", "exec \"$0\" broker serve --no-telegram 2>/dev/full", Repository.countersign.path],
            environment: broker.environment, in: nil, output: .dropped, errors: .shown)
        defer { shell.kill() }
        let agent = AgentClient(baseURL: broker.url, token: Secret(BrokerProcess.agentToken))
        var request: AgentRequest?
        while request == nil, shell.isRunning {
            request = try? await agent.requestStatement(month: 1, year: 2026)
            try await Task.sleep(for: .milliseconds(20))
        }
        await agent.close()
        #expect(request?.status == .pendingApproval)
        #expect(shell.isRunning)
        shell.send(SIGTERM)
        #expect(await shell.ended() == .exited(0))
    }

    @Test("the log is one JSON object per line, whatever an agent sends")
    func jsonLog() async throws {
        let broker = try BrokerProcess()
        let program = try await broker.start("--log", "json")
        let agent = AgentClient(baseURL: broker.url, token: Secret(BrokerProcess.agentToken))
        let hostile = "a\nb\r{\"level\":\"error\"}\u{2028}\u{202E}\u{1B}[31m\(BrokerProcess.agentToken)"
        _ = try await agent.requestStatement(month: 1, year: 2026, agentRequestID: hostile)
        await agent.close()
        program.signal(SIGTERM)
        #expect(try await program.status() == 0)
        try await Self.until("the log's last line") {
            program.errors.contains("broker has ended") && program.errors.hasSuffix("\n")
        }
        let lines = program.errors.split(separator: "\n")
        let records = try lines.map { try JSONReader.read(String($0)) }
        #expect(records.map { $0["message"] } == ["broker is ready", "request created", "broker has ended"])
        let record = try #require(records.first { $0["message"] == "request created" })
        #expect(record["level"] == "info")
        let shown = try #require(record["agent_request_id"]?.stringValue)
        #expect(shown.contains(#"a\u{a}b\u{d}"#) && shown.contains(#"\u{2028}\u{202e}\u{1b}"#))
        #expect(!program.errors.contains(BrokerProcess.agentToken))
    }

    @Test("check reports whether a broker works")
    func check() async throws {
        let broker = try BrokerProcess()
        let arguments = ["broker", "check", "--no-telegram"]
        let before = try await Program.run(arguments, environment: broker.environment)
        #expect(before.status == 1 && before.output.contains("✗ no broker answers"))
        let program = try await broker.start()
        let well = try await Program.run(arguments, environment: broker.environment)
        #expect(well.status == 0, "\(well.output)")
        #expect(well.output.split(separator: "\n").count == 4)
        #expect(!well.output.contains("✗"))
        program.signal(SIGTERM)
        #expect(try await program.status() == 0)
    }

    @Test("backup copies the database of a running broker")
    func backup() async throws {
        let broker = try BrokerProcess()
        let program = try await broker.start()
        let agent = AgentClient(baseURL: broker.url, token: Secret(BrokerProcess.agentToken))
        _ = try await agent.requestStatement(month: 1, year: 2026)
        await agent.close()
        let file = broker.root.appending(path: "copy.sqlite").path
        let plain = ["broker", "backup", "--plain", file]
        let done = try await Program.run(plain, environment: broker.environment)
        #expect(done.status == 0, "\(done.errors)")
        #expect(done.output.contains("1 requests") && done.output.contains("integrity ok"))
        #expect(done.output.contains("It is not encrypted"))
        #expect(try Data(contentsOf: URL(filePath: file)).starts(with: Data("SQLite format 3".utf8)))
        let again = try await Program.run(plain, environment: broker.environment)
        #expect(again.status == 1 && again.errors.contains("exists already"))
        program.signal(SIGTERM)
        #expect(try await program.status() == 0)
    }

    @Test("a backup is encrypted unless --plain is given, and restored with its passphrase")
    func encryptedBackup() async throws {
        let broker = try BrokerProcess()
        let program = try await broker.start()
        let agent = AgentClient(baseURL: broker.url, token: Secret(BrokerProcess.agentToken))
        _ = try await agent.requestStatement(month: 1, year: 2026)
        await agent.close()
        func run(_ arguments: String...) async throws -> (status: Int32, output: String, errors: String) {
            let outcome = try await Program.run(["broker"] + arguments, environment: broker.environment)
            return (outcome.status, outcome.output, outcome.errors)
        }
        let folder = broker.root.appending(path: "kept").path
        let passphrase = broker.root.appending(path: "passphrase")
        try Data("words that open this backup\n".utf8).write(to: passphrase)

        let unasked = try await run("backup", "--all", folder)
        #expect(unasked.status == 2 && unasked.errors.contains("--passphrase-file"), "\(unasked)")
        let both = try await run("backup", "--all", "--plain", "--generate", folder)
        #expect(both.status == 2 || both.status == 64, "\(both)")
        #expect(!FileManager.default.fileExists(atPath: folder), "nothing was made")
        let made = try await run("backup", "--all", "--passphrase-file", passphrase.path, folder)
        #expect(made.status == 0 && made.output.contains("It opens with its passphrase only"), "\(made)")
        program.signal(SIGTERM)
        #expect(try await program.status() == 0)

        let generated = try await run("backup", "--generate", broker.root.appending(path: "generated").path)
        #expect(generated.status == 0 && generated.output.contains("The backup's passphrase."), "\(generated)")

        let closed = try await run("restore", folder)
        #expect(closed.status == 2 && closed.errors.contains("the backup is encrypted"), "\(closed)")
        let wrong = broker.root.appending(path: "wrong")
        try Data("words that open another backup\n".utf8).write(to: wrong)
        let refused = try await run("restore", "--passphrase-file", wrong.path, folder)
        #expect(refused.status == 1 && refused.errors.contains("not that of this backup"), "\(refused)")
        let taken = try await run("restore", "--passphrase-file", passphrase.path, folder)
        #expect(taken.status == 1 && taken.errors.contains("exists already"), "\(taken)")

        // A backup in the place of an encrypted one that anyone can have written.
        let other = broker.root.appending(path: "other").path
        #expect(try await run("backup", "--all", "--plain", other).status == 0)
        let exchanged = try await run("restore", "--passphrase-file", passphrase.path, other)
        #expect(exchanged.status == 2 && exchanged.errors.contains("may have been exchanged"), "\(exchanged)")
        let unproved = try await run("restore", other)
        #expect(unproved.status == 2 && unproved.errors.contains("nothing shows who wrote it"), "\(unproved)")
        let own = try await run("restore", "--plain", other)
        #expect(own.status == 1 && own.errors.contains("exists already"), "\(own)")
    }

    @Test("request takes the month as 2026-01 and last-month, and either of them or --month and --year")
    func months() async throws {
        let broker = try BrokerProcess()
        let program = try await broker.start()
        func ask(_ arguments: [String]) async throws -> (status: Int32, output: String, errors: String) {
            let outcome = try await Program.run(
                ["request", "--json", "--broker", broker.url] + arguments, environment: broker.environment)
            return (outcome.status, outcome.output, outcome.errors)
        }
        let named = try await ask(["2026-01"])
        #expect(named.status == 0, "\(named)")
        let id = try #require(try JSONReader.read(named.output)["request_id"])
        let options = try await ask(["--month", "1", "--year", "2026"])
        #expect(try JSONReader.read(options.output)["request_id"] == id, "the same month is the same request")

        let expected = try #require(MonthYear.current(at: Date(), in: .current).previous)
        #expect(try await ask(["last-month"]).status == 0)
        let listed = try await Program.run(
            ["requests", "--limit", "1", "--json", "--broker", broker.url], environment: broker.environment)
        let parameters = try JSONReader.read(listed.output)["params"]
        #expect(parameters?["month"]?.intValue == expected.month && parameters?["year"]?.intValue == expected.year)

        for arguments in [[], ["last-month", "--month", "1"], ["--year", "2026"], ["2026-13"], ["yesterday"]] {
            #expect(try await ask(arguments).status == 2, "\(arguments)")
        }
        program.signal(SIGTERM)
        #expect(try await program.status() == 0)
    }

    @Test("request --wait prints each state, and its exit status is the outcome")
    func wait() async throws {
        let broker = try BrokerProcess()
        let program = try await broker.start()
        let asking = try Program(
            ["request", "--month", "1", "--year", "2026", "--wait", "--broker", broker.url],
            environment: broker.environment)
        let http = CurlSession()
        let phone = [HTTPHeader("Authorization", "Bearer \(BrokerProcess.phoneToken)")]
        var id: String?
        while id == nil {
            let answer = try await http.send(
                HTTPRequest("GET", broker.url + "/phone/requests/pending", headers: phone))
            id = try JSONReader.read(answer.body)["requests"]?.arrayValue?.first?["envelope"]?["request_id"]?
                .stringValue
            try await Task.sleep(for: .milliseconds(20))
        }
        let decision: JSONValue = ["decision": "DENY", "decided_at": "2026-11-21T00:00:00Z"]
        let answer = try await http.send(
            HTTPRequest(
                "POST", broker.url + "/phone/requests/\(id!)/decision", headers: phone,
                body: Array(decision.compactText().utf8)))
        #expect(answer.status == 200)
        await http.close()
        #expect(try await asking.status() == 1)
        try await Self.until("the last state") { asking.printed.hasSuffix("DENIED\n") }
        #expect(asking.printed == "\(id!)  PENDING_APPROVAL\n\(id!)  DENIED\n")
        #expect(asking.errors.isEmpty, "no status line without a terminal: \(asking.errors)")
        program.signal(SIGTERM)
        #expect(try await program.status() == 0)
    }

    @Test("mcp answers on standard output, and exits at the end of its input")
    func mcp() async throws {
        let program = try Program(
            ["agent", "mcp", "--broker", "http://127.0.0.1:1"], environment: ["BROKER_API_TOKEN": "some token"])
        try program.write(#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)
        try program.write(
            #"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list_requests","arguments":{},"_meta":{"#
                + #""io.modelcontextprotocol/protocolVersion":"2026-07-28","#
                + #""io.modelcontextprotocol/clientCapabilities":{}}}}"#)
        program.endInput()
        #expect(try await program.status() == 0)
        try await Self.until("both answers") { program.printed.count { $0 == "\n" } >= 2 }
        let answers = try program.printed.split(separator: "\n").map { try JSONReader.read(String($0)) }
        #expect(answers.count == 2)
        #expect(answers.contains(["jsonrpc": "2.0", "id": 1, "result": [:]]))
        #expect(answers.contains { $0["result"]?["isError"] == true && $0.compactText().contains("does not answer") })
        #expect(!program.printed.contains("some token"))
    }

    @Test("all problems of a configuration are reported at once")
    func problems() async throws {
        let outcome = try await Program.run(
            ["broker", "serve"],
            environment: [
                "BROKER_PORT": "x", "BROKER_HOST": "0.0.0.0", "TELEGRAM_COMMANDS": "maybe", "BROKER_TLS_KEY": "k",
                "BROKER_ENDPOINT": "broker", "BROKER_POLICY_FILE": "/no/such/file",
            ])
        #expect(outcome.status == 2)
        for word in [
            "BROKER_API_TOKEN", "PHONE_API_TOKEN", "BROKER_PHONE_SHARED_SECRET", "ICLOUD_INBOX_PATH", "BROKER_PORT",
            "BROKER_ENDPOINT", "BROKER_POLICY_FILE", "TELEGRAM_BOT_TOKEN", "TELEGRAM_PHONE_CHAT_ID",
            "TELEGRAM_COMMANDS", "BROKER_TLS_CERT",
        ] { #expect(outcome.errors.contains(word), "\(word)") }
    }
}
