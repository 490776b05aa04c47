import AssistantStore
import Encodings
import Foundation
import TestSupport
import Testing

@Suite("The assistant's commands") struct AssistantCommandTests {
    /// The number of kills; `ASSISTANT_KILLS` raises it.
    private static let kills = ProcessInfo.processInfo.environment["ASSISTANT_KILLS"].flatMap { Int($0) } ?? 10

    @Test("kills at random moments lose nothing that was acknowledged, and leave the audit chain whole")
    func kills() async throws {
        let assistant = try RunningAssistant()
        try await assistant.start()
        let (token, user) = try await assistant.register()
        // The first one is stored before the first kill: until then the preferences are the initial ones.
        #expect(try await assistant.send("PUT", "/v1/preferences", token: token, Self.preferences(1))?.status == 200)
        var acknowledged = 1
        var attempted = 1
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
                "\(minutes), after \(acknowledged) were acknowledged of \(attempted): \(assistant.log.suffix(3000))")
            if minutes == attempted % 1441 { acknowledged = attempted }
        }
        #expect(try await assistant.end(SIGTERM) == 0)
        // The last process to close the database removes its log, or leaves it empty.
        let log = try? FileManager.default.attributesOfItem(atPath: assistant.database.path + "-wal")[.size] as? Int
        #expect(log ?? 0 == 0, "the write-ahead log is emptied at a clean stop")

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

    @Test("invite prints a code, says apart from it where it works, and does so only under the service's key")
    func invite() async throws {
        let folder = try TemporaryFolder()
        var environment = ["XDG_DATA_HOME": folder.url.path]
        let key = folder.appending("countersign/assistant/root.key")
        let early = try await Program.run(["assistant", "invite"], environment: environment)
        #expect(early.status == 1 && early.output.isEmpty)
        #expect(early.errors.contains("root.key is missing: "), "\(early.errors)")
        #expect(!FileManager.default.fileExists(atPath: key.path), "only the service makes its key")

        try FileManager.default.createDirectory(
            at: key.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(repeating: 7, count: 32).write(to: key)
        chmod(key.deletingLastPathComponent().path, 0o700)
        chmod(key.path, 0o600)
        let outcome = try await Program.run(["assistant", "invite"], environment: environment)
        #expect(outcome.status == 0 && outcome.errors.contains("works once, within 7 days\n"), "\(outcome.errors)")
        environment["ASSISTANT_PUBLIC_URL"] = "https://assistant.example"
        let elsewhere = try await Program.run(["assistant", "invite"], environment: environment)
        #expect(elsewhere.errors.contains("within 7 days, at https://assistant.example"), "\(elsewhere.errors)")
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
        // The worker's settings are looked at before it is started.
        let worker = try await Program.run(
            ["assistant", "serve"],
            environment: ["ASSISTANT_CALENDAR_SYNC_SECONDS": "0", "XDG_DATA_HOME": "/nonexistent"])
        #expect(worker.status == 2 && worker.errors.contains("ASSISTANT_CALENDAR_SYNC_SECONDS"))
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
