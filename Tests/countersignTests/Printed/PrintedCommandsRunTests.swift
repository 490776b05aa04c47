import Automation
import BankScript
import Foundation
import TestSupport
import Testing

/// Runs what our programs print, with values in place of words such as FILE, as a program does that has no person.
@Suite(
    "Each command line in what our programs print, run", .serialized, .timeLimit(.minutes(10)),
    .enabled(if: UserMistakesTests.makesAll))
struct PrintedCommandsRunTests {
    enum Setting: CaseIterable, Sendable {
        case oneBank, twoBanks
        /// Broker and phone are on two machines, of which one is another person's.
        case brokerMachine, phoneMachine
    }

    /// Texts that name a command without what it needs, which a person is not to type.
    private static let named: Set<[String]> = [["request"], ["config", "set"], ["script", "survey"]]

    /// A program that serves, or waits for a person, is ended after this time.
    private static let patience = Duration.seconds(15)

    /// Lines that end what others need come last.
    private static let last = [
        ["agent", "remove"], ["devices"], ["phone", "trust"], ["phone", "passphrase"], ["phone", "scripts"],
        ["phone", "remove"], ["up"], ["up", "--stop"], ["up", "--remove"],
    ]

    private static func order(_ line: [String]) -> Int { last.lastIndex { line.starts(with: $0) } ?? -1 }

    @Test("in a household with an own bank, or two, and on the machines of two people", arguments: Setting.allCases)
    func run(_ setting: Setting) async throws {
        let own = try OwnBankHousehold()
        let broker = try HouseholdProcess()
        let running: [Program]
        switch setting {
        case .oneBank: running = [try await own.firstStart().program]
        case .twoBanks: running = [try await Self.startWithTwoBanks(own)]
        case .brokerMachine, .phoneMachine:
            let (serving, page, _) = try await UpCommandTests().startOnTwoMachines(broker, own)
            running = [page, serving]
        }
        let household = setting == .brokerMachine ? broker : own.household
        let asked = try await (setting == .phoneMachine ? broker : household)
            .run(["request", "2026-01", "--bank", "my-bank"])
        let id = try #require(asked.output.firstMatch(of: /[0-9a-f]{8}-[0-9a-f-]{27}/), "\(asked)").output
        let values = try Self.values(own, in: household.home, request: String(id))
        let program = try await ProgramCommand.whole()
        let lines = try PrintedCommandsTests.all(program).map { _, command in
            command.filled(program) { path, name in values["\(path) \(name)"] ?? values[name] }
        }
        let sorted = Set(lines).subtracting(Self.named).sorted {
            (Self.order($0), $0.joined(separator: " ")) < (Self.order($1), $1.joined(separator: " "))
        }
        #expect(sorted.count > 120)
        for line in sorted {
            #expect(UserMistakesTests.refusal(of: line) == nil, "\(line)")
            var command = program
            for word in line { command = command.subcommands[word] ?? command }
            let isPhones = command.options["--passphrase-file"] != nil && line.first != "up"
            let outcome = try await Self.run(
                line + (isPhones ? ["--passphrase-file", own.passphrase.path] : []), in: household)
            // A stop that was asked for, or one of our statuses, with words unless nothing was found.
            #expect([0, 1, 2, 3, SIGTERM, 128 + SIGTERM].contains(outcome.status), "\(line): \(outcome)")
            #expect(outcome.status != 2 || outcome.said.count > 20, "\(line): \(outcome)")
            #expect(!outcome.said.contains("Usage:"), "\(line): \(outcome)")
        }
        for one in running {
            one.signal(SIGTERM)
            _ = try await one.status()
        }
    }

    private static func startWithTwoBanks(_ own: OwnBankHousehold) async throws -> Program {
        try await OwnBankHousehold.stop(try await own.firstStart().program)
        let added = try await own.household.run(own.storingOther)
        #expect(added.status == 0, "\(added)")
        let (second, events) = try await own.up()
        try await own.unlock(events)
        return second
    }

    /// Returns the value of an option or argument by its name, with the command before it where one command needs another.
    private static func values(
        _ own: OwnBankHousehold, in home: URL, request id: String
    ) throws -> [String: String] {
        for (name, text) in [
            ("statement.sta", ""), ("bank.csv", "Date,Amount\n2026-01-02,3.00\n"), ("key", ""), ("visit.har", "{}"),
            ("policy.yaml", "version: 1\n"),
        ] {
            try Data(text.utf8).write(to: home.appending(path: name))
        }
        for folder in ["archive", "elsewhere", "synced", "statements"] {
            try FileManager.default.createDirectory(
                at: home.appending(path: folder), withIntermediateDirectories: true)
        }
        let file = own.scripts.appending(path: "my-bank.yaml")
        let digest = try #require(try ScriptFolder(own.scripts).files().first).script().digest.hex
        return [
            "bank": "my-bank", "request": id, "id": id, "device": "absent", "digest": digest, "credential": "password",
            "name": "books", "name[=value]": "BROKER_LANGUAGE=de", "config unset name": "BROKER_LANGUAGE",
            "period": "2026-01", "schedule add monthly": "Europe/Berlin", "sync": "1", "open": "1234abcd",
            "-|image": "-", "host-name": "phone.home",
            "phone-only": "17-ABCD-EFGH@http://127.0.0.1:1", "url": "https://my-bank.example/",
            "start": "https://my-bank.example/", "script": file.path, "file": file.path, "scripts": own.scripts.path,
            "archive columns file": "bank.csv", "broker policy lint file": "policy.yaml",
            "totp sync invite file": "invitation", "totp sync join file": "invitation",
            "archive": "archive", "place": "elsewhere", "collection": "books", "from": "books", "folder": "synced",
            "statements": "statements", "inbox": "Sync", "ca": "/etc/ssl/certs/ca-certificates.crt",
            "out": "receipt.json",
            "output": "written", "old": "visit.har", "new": "visit.har", "har": "visit.har", "from-survey": "visit.har",
            "script new from": "visit.har", "record": "recorded.har", "key": "key",
        ]
    }

    private static func run(
        _ line: [String], in household: HouseholdProcess
    ) async throws -> (status: Int32, said: String) {
        let program = try Program(
            line, environment: household.environment,
            through: ["/usr/bin/env", "--chdir", household.home.path])
        program.endInput()
        let watch = Task {
            try await Task.sleep(for: patience)
            program.signal(SIGTERM)
            try await Task.sleep(for: patience)
            program.signal(SIGKILL)
        }
        defer { watch.cancel() }
        return (try await program.status(), program.errors)
    }
}
