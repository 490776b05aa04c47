import AssistantProcesses
import AssistantStore
import Encodings
import Foundation
import Machine
import MockGoogle
import TestSupport
import Testing

private enum Kills {
    /// The number of kills that `ASSISTANT_KILLS` asks for.
    static let asked = ProcessInfo.processInfo.environment["ASSISTANT_KILLS"].flatMap { Int($0) }
    static let number = asked ?? 6
    /// The processes that are killed at the same moment, in turn.
    static let victims = [["serve"], ["enclave"], ["kms"], ["worker"], ["enclave", "kms"]]
}

/// The key service, the enclave and the worker, as children of `serve`.
@Suite("The assistant's processes", .timeLimit(.minutes(5 + Kills.number / 5))) struct AssistantProcessesTests {
    private static func isRunning(_ id: Int32) -> Bool {
        guard let status = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8) else { return false }
        return status[(status.lastIndex(of: ")") ?? status.startIndex)...].split(separator: " ").dropFirst().first
            != "Z"
    }

    private static func waitForEnd(of ids: some Collection<Int32>) async throws -> Duration {
        let start = ContinuousClock.now
        while ids.contains(where: isRunning), ContinuousClock.now - start < .seconds(60) {
            try await Task.sleep(for: .milliseconds(20))
        }
        return ContinuousClock.now - start
    }

    /// Returns the id behind a connector's name.
    private static func id(_ name: String) throws -> UUID { try #require(UUID(uuidString: String(name.dropFirst(4)))) }

    /// Waits until all three children run, and the enclave and the key service answer. `/healthz` may tell of a moment before a
    /// kill. A child that is not known by its command yet would outlive a killed parent unnoticed for some seconds.
    private static func waitForChildren(of assistant: RunningAssistant) async throws {
        let enclave = EnclaveClient(assistant.state.appending(path: "enclave.sock"), servedBy: geteuid())
        let keys = KeyServiceClient(assistant.state.appending(path: "kms.sock"), servedBy: geteuid())
        let end = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < end {
            if assistant.children.count == 3, await enclave.isServed(), await keys.isServed() { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        Issue.record("the processes did not start: \(assistant.log.suffix(3000))")
    }

    private static func withGoogle(_ body: (MockGoogleServer, RunningAssistant) async throws -> Void) async throws {
        var configuration = MockGoogleConfiguration()
        configuration.redirectURIs = [RunningAssistant.redirect]
        let google = try await MockGoogleServer.start(configuration)
        let assistant = try RunningAssistant(google: google)
        do {
            try await body(google, assistant)
        } catch {
            _ = try? await assistant.end(SIGKILL)
            await google.stop()
            throw error
        }
        await google.stop()
    }

    @Test("are served when the assistant says that it is ready")
    func ready() async throws {
        try await Self.withGoogle { _, assistant in
            try await assistant.start()
            let health = try #require(try await assistant.send("GET", "/healthz")?.json)
            #expect(health["enclave"] == "ok" && health["key_service"] == "ok", "\(health)")
            #expect(!assistant.log.contains("does not answer"))
            _ = try await assistant.end(SIGTERM)
        }
    }

    @Test("one command runs all four, and a person connects; sockets and keys are closed to others")
    func household() async throws {
        try await Self.withGoogle { google, assistant in
            try await assistant.start()
            try await assistant.waitForProcesses()
            let (token, user) = try await assistant.register()
            let consent = try #require(try await assistant.consent(token))
            let answer = try #require(
                try await assistant.send(
                    "POST", "/v1/connectors/google/callback", token: token,
                    ["code": .string(consent.code), "state": .string(consent.state)]))
            #expect(answer.status == 200, "\(answer.json)")
            let name = try #require(answer.json["connector_id"]?.stringValue)
            let connector = try #require(UUID(uuidString: String(name.dropFirst(4))))
            let enclave = EnclaveClient(assistant.state.appending(path: "enclave.sock"), servedBy: geteuid())
            let access = try await enclave.accessToken(of: connector, user: user)
            #expect(access.runtime == "software")
            #expect(assistant.log.contains("not a TEE"))

            for file in [
                "kms.sock", "enclave.sock", "key-policy.json", "root.key", "kms/master.keys", "kms/sealing.secret",
                "kms/break-glass.sqlite", "enclave/evidence.key",
            ] {
                let path = assistant.state.appending(path: file).path
                let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
                #expect(mode == 0o600, "\(file)")
            }
            let ended = try await assistant.send("DELETE", "/v1/connectors/\(name)", token: token)
            #expect(ended?.json == ["status": "REVOKED"])
            #expect(await google.account.refreshTokens.isEmpty)
            let children = assistant.children
            #expect(children.count == 3)
            #expect(try await assistant.end(SIGTERM) == 0)
            _ = try await Self.waitForEnd(of: children.values)
            for id in children.values { #expect(!Self.isRunning(id)) }
            #expect(access.measurement.wholeMatch(of: /[0-9a-f]{64}/) != nil)
        }
    }

    @Test("children end within five seconds of a killed parent, and the next one starts its own")
    func killedParent() async throws {
        let assistant = try RunningAssistant()
        try await assistant.start()
        try await assistant.waitForProcesses()
        let children = assistant.children
        #expect(children.count == 3)
        _ = try await assistant.end(SIGKILL)
        let time = try await Self.waitForEnd(of: children.values)
        #expect(time < .seconds(5))
        try await assistant.start()
        try await assistant.waitForProcesses()
        #expect(Set(assistant.children.values).isDisjoint(with: children.values))
        _ = try await assistant.end(SIGTERM)
    }

    @Test("kills of serve, enclave, key service and worker at random moments lose no connection")
    func kills() async throws {
        try await Self.withGoogle { google, assistant in
            try await assistant.start()
            try await assistant.waitForProcesses()
            let (token, user) = try await assistant.register()
            var acknowledged: Set<String> = []
            let enclave = EnclaveClient(assistant.state.appending(path: "enclave.sock"), servedBy: geteuid())
            for round in 0..<Kills.number {
                let victims = Kills.victims[round % Kills.victims.count]
                let ids = victims.compactMap { assistant.children[$0] }
                // The children of a killed parent end too.
                let dying = victims == ["serve"] ? Array(assistant.children.values) : ids
                let killing =
                    victims == ["serve"]
                    ? assistant.kill(after: .milliseconds(.random(in: 0...400)))
                    : Task {
                        try await Task.sleep(for: .milliseconds(.random(in: 0...400)))
                        for id in ids { kill(id, SIGKILL) }
                    }
                // A token is opened meanwhile, so that some kills come in the middle of that.
                let opening = Task { [acknowledged] in
                    for name in acknowledged {
                        _ = try? await enclave.accessToken(of: try Self.id(name), user: user)
                    }
                }
                if let consent = try? await assistant.consent(token),
                    let answer = try await assistant.send(
                        "POST", "/v1/connectors/google/callback", token: token,
                        ["code": .string(consent.code), "state": .string(consent.state)]), answer.status == 200
                {
                    acknowledged.insert(answer.json["connector_id"]?.stringValue ?? "")
                }
                try await killing.value
                _ = await opening.value
                // A process that is dying may still take a connection.
                _ = try await Self.waitForEnd(of: dying)
                if victims == ["serve"] { try await assistant.start() }
                try await Self.waitForChildren(of: assistant)
                let listed = try #require(try await assistant.send("GET", "/v1/connectors", token: token))
                let names = Set((listed.json["items"]?.arrayValue ?? []).compactMap { $0["connector_id"]?.stringValue })
                #expect(acknowledged.isSubset(of: names), "round \(round), \(victims)")
                // What was acknowledged opens.
                for name in acknowledged { _ = try await enclave.accessToken(of: try Self.id(name), user: user) }
                if Kills.asked != nil, round % 25 == 24 { print("\(round + 1) kills, nothing lost") }
            }
            #expect(try await assistant.end(SIGTERM) == 0)
            // No refresh token lies anywhere in the state folder, nor in the log.
            let tokens = await google.account.refreshTokens
            #expect(!tokens.isEmpty)
            var seen = Data(assistant.log.utf8)
            let files = FileManager.default.enumerator(at: assistant.state, includingPropertiesForKeys: nil)
            while let file = files?.nextObject() as? URL { seen.append((try? Data(contentsOf: file)) ?? Data()) }
            for refresh in tokens { #expect(seen.range(of: Data(refresh.utf8)) == nil) }
            let database = try await AssistantDatabase.open("sqlite:\(assistant.database.path)")
            guard case .intact = try await database.audit.verify(user) else {
                Issue.record("the audit chain is broken")
                return
            }
            await database.close()
        }
    }

    @Test("the worker reads a calendar and reminds; when it is killed, another one goes on")
    func worker() async throws {
        try await Self.withGoogle { google, assistant in
            try await assistant.start()
            try await assistant.waitForProcesses()
            let (token, user) = try await assistant.register()
            // Without quiet hours: at night they would hold the reminders.
            let stored = try await assistant.send(
                "PUT", "/v1/preferences", token: token,
                [
                    "meeting_reminder_minutes": 15, "morning_brief_local_time": "08:00", "quiet_hours_start": "00:00",
                    "quiet_hours_end": "00:00", "high_risk_requires_confirm": true,
                ])
            #expect(stored?.status == 200)
            let consent = try #require(try await assistant.consent(token))
            _ = try await assistant.send(
                "POST", "/v1/connectors/google/callback", token: token,
                ["code": .string(consent.code), "state": .string(consent.state)])
            let database = try await AssistantDatabase.open("sqlite:\(assistant.database.path)")
            for number in 1...2 {
                // Within the fifteen minutes of warning, so the reminder is due at once.
                await google.account.put(
                    event: "e\(number)", "A title that is not stored", from: Date() + 300 + Double(number),
                    to: Date() + 600)
                let end = ContinuousClock.now + .seconds(90)
                var text = ""
                while ContinuousClock.now < end, !text.contains("reminders_total{outcome=\"no_device\"} \(number)\n") {
                    try await Task.sleep(for: .milliseconds(50))
                    text = try await database.metrics.text()
                }
                #expect(text.contains("reminders_total{outcome=\"no_device\"} \(number)\n"), "\(assistant.log)")
                if number == 1, let id = assistant.children["worker"] { kill(id, SIGKILL) }
            }
            #expect(try await database.jobs.counts()["MEETING_REMINDER"] == ["DONE": 2])
            let events = try await database.audit.events(of: user, before: nil, atMost: 200)
            #expect(events.contains { $0.event.type == "CONNECTOR_FETCH" && $0.event.metadata["source"] == "calendar" })
            await database.close()
            #expect(try await assistant.end(SIGTERM) == 0)
        }
    }

    @Test("a worker alone names settings that it cannot use, and needs a database that answers")
    func workerSettings() async throws {
        let outcome = try await Program.run(
            ["assistant", "worker"],
            environment: ["ASSISTANT_CALENDAR_SYNC_SECONDS": "0", "ASSISTANT_MAIL_SYNC_SECONDS": "x", "HOME": "/x"])
        #expect(outcome.status == 2)
        for name in ["ASSISTANT_CALENDAR_SYNC_SECONDS", "ASSISTANT_MAIL_SYNC_SECONDS"] {
            #expect(outcome.errors.contains(name))
        }
    }

    @Test("without the master keys, a rotation names the lost connections, and their users connect again")
    func lostKeys() async throws {
        try await Self.withGoogle { google, assistant in
            func connect(_ token: String) async throws -> String {
                let consent = try #require(try await assistant.consent(token))
                let answer = try #require(
                    try await assistant.send(
                        "POST", "/v1/connectors/google/callback", token: token,
                        ["code": .string(consent.code), "state": .string(consent.state)]))
                return try #require(answer.json["connector_id"]?.stringValue, "\(answer.json)")
            }
            try await assistant.start()
            try await assistant.waitForProcesses()
            let (token, user) = try await assistant.register()
            let name = try await connect(token)
            let children = assistant.children.values
            #expect(try await assistant.end(SIGTERM) == 0)
            _ = try await Self.waitForEnd(of: children)

            // As docs/assistant.md says, “When a key is lost”.
            for file in ["master.keys", "sealing.secret"] {
                try FileManager.default.removeItem(at: assistant.state.appending(path: "kms/\(file)"))
            }
            let rotated = try await Program.run(["assistant", "kms", "rotate"], environment: assistant.environment)
            #expect(rotated.status == 1 && rotated.output.contains("  \(name)\n"), "\(rotated)")

            try await assistant.start()
            try await assistant.waitForProcesses()
            let enclave = EnclaveClient(assistant.state.appending(path: "enclave.sock"), servedBy: geteuid())
            let error = await #expect(throws: ProcessSocketError.self) {
                try await enclave.accessToken(of: Self.id(name), user: user)
            }
            guard case .refused("KEY_METADATA_MISMATCH", _)? = error else {
                Issue.record("KEY_METADATA_MISMATCH expected, not \(String(describing: error))")
                return
            }
            #expect(try await connect(token) == name)
            _ = try await enclave.accessToken(of: Self.id(name), user: user)
            #expect(try await assistant.end(SIGTERM) == 0)
        }
    }

    @Test("the enclave's help says that it is not a TEE, and the key is rotated from the command line")
    func commands() async throws {
        let help = try await Program.run(["assistant", "enclave", "--help"])
        #expect(help.status == 0 && help.output.contains("not a TEE"))
        let folder = try TemporaryFolder()
        let environment = ["XDG_DATA_HOME": folder.url.path]
        let rotated = try await Program.run(["assistant", "kms", "rotate"], environment: environment)
        #expect(rotated.status == 0, "\(rotated.errors)")
        #expect(rotated.output.contains(/mk-[0-9a-f]{16}, version 2, is active\ntokens sealed again: 0\n/))
        let again = try await Program.run(["assistant", "kms", "rotate", "--only-reseal"], environment: environment)
        #expect(again.output.contains("version 2, is active"))
        let versions = try await Program.run(["assistant", "kms", "versions"], environment: environment)
        #expect(
            versions.output.contains(
                /version 1: 0 tokens, can be removed\nmk-[0-9a-f]{16}, version 2: 0 tokens, active\n/), "\(versions)")
        let active = try await Program.run(["assistant", "kms", "remove", "2"], environment: environment)
        #expect(active.status == 1 && active.errors.contains("kms rotate"), "\(active)")
        let removed = try await Program.run(["assistant", "kms", "remove", "1"], environment: environment)
        #expect(removed.status == 0 && removed.output.contains("version 1, is gone"), "\(removed)")
        let log = try await Program.run(["assistant", "kms", "log"], environment: environment)
        #expect(log.output.contains("keys.rotated") && log.output.contains("keys.removed"), "\(log)")
        #expect(log.output.contains("4 entries, the chain is whole"), "\(log)")
    }
}
