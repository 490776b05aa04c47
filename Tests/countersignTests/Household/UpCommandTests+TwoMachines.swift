import Clocks
import DeviceTrust
import Encodings
import Foundation
import Secrets
import TestSupport
import Testing

extension UpCommandTests {
    /// A broker's home, and the folder that something keeps in sync between the two machines.
    func startBroker(
        _ broker: HouseholdProcess, _ options: [String] = []
    ) async throws -> (program: Program, line: String) {
        let inbox = broker.home.appending(path: "Sync").path
        let (program, events) = try await broker.start(
            ["--broker-only", "--yes", "--inbox", inbox] + options, until: "pairing")
        let command = try #require(events["pairing"]?["line"]?.stringValue)
        #expect(command.hasPrefix("countersign up --phone-only "))
        return (program, String(try #require(command.split(separator: " ").last)))
    }

    func options(_ line: String, _ broker: HouseholdProcess) -> [String] {
        ["--phone-only", line, "--bank", "mock", "--inbox", broker.home.appending(path: "Sync").path]
    }

    /// Returns the four words that a side shows.
    private func words(_ events: [String: JSONValue]) throws -> Substring {
        let message = try #require(events["words"]?["message"]?.stringValue)
        return try #require(message.split(separator: ": ").last)
    }

    /// Runs `countersign pair`, and returns it with the URI that it shows.
    func pair(_ broker: HouseholdProcess) async throws -> (program: Program, uri: String) {
        let pairing = try Program(["pair", "--yes", "--json"], environment: broker.environment)
        let end = ContinuousClock.now + HouseholdProcess.patience
        while !pairing.printed.contains("\n") {
            try #require(ContinuousClock.now < end, "\(pairing.errors)")
            try await Task.sleep(for: .milliseconds(20))
        }
        let shown = try JSONReader.read(String(pairing.printed.prefix { $0 != "\n" }))
        let command = try #require(shown["line"]?.stringValue)
        #expect(command.hasPrefix("countersign up --phone-only ") && command.contains("@http://127.0.0.1:"))
        return (pairing, try #require(shown["uri"]?.stringValue))
    }

    @Test(
        "a broker and a phone with a home each: asked on one, approved on the other, verified; both start again",
        .timeLimit(.minutes(4)))
    func twoMachines() async throws {
        let (broker, phone) = (try HouseholdProcess(), try HouseholdProcess())
        let (serving, line) = try await startBroker(broker, ["--host-name", "127.0.0.1"])
        #expect(line.contains("@https://127.0.0.1:"), "a broker that others reach has TLS")
        let (page, events) = try await phone.start(options(line, broker), until: "ready")
        let paired = try await broker.events(of: serving, until: "paired")
        #expect(try words(events) == words(paired))

        let asked = try await broker.run("request", "2026-01", "--json")
        let id = try #require(try JSONReader.read(asked.output)["request_id"]?.stringValue, "\(asked)")
        try await approve(id, on: phone, events)
        try await broker.awaitStatement()
        let path = try JSONReader.read(try await broker.run("requests", "--json").output)["file_path"]?.stringValue
        #expect(try Data(contentsOf: URL(filePath: try #require(path))).starts(with: Data("%PDF-".utf8)))

        let (status, parts) = try await broker.status()
        #expect(status == 0 && parts == ["broker": true, "phone": true, "inbox": true, "archive": true], "\(parts)")
        #expect(
            try await phone.status() == (
                0, ["bank": true, "broker": false, "phone": true, "page": true, "inbox": true]
            ))
        let shown = try await phone.run("status", "--json")
        #expect(shown.output.contains(#""name":"broker","ok":null"#), "a broker elsewhere is not asked: \(shown)")
        for command in [["requests"], ["devices", "list"], ["schedule", "list"], ["broker", "audit"], ["pair"]] {
            let elsewhere = try await CountersignProcess(command, environment: phone.environment).run()
            #expect(elsewhere.status == 2 && elsewhere.errors.contains("broker is on another machine"), "\(elsewhere)")
        }
        for command in [["phone", "pending"], ["approve"], ["phone", "serve"], ["phone", "address"]] {
            let elsewhere = try await CountersignProcess(command, environment: broker.environment).run()
            #expect(elsewhere.status == 2 && elsewhere.errors.contains("phone is on another machine"), "\(elsewhere)")
        }
        for config in [broker.config, phone.config] {
            let mode = try FileManager.default.attributesOfItem(atPath: config.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
        for secret in ["agent.token", "broker/database.secret"] {
            let text = try String(contentsOf: broker.data.appending(path: secret), encoding: .utf8).dropLast()
            #expect(text.count == 64 && !(serving.printed + page.printed).contains(text), "\(secret) is not printed")
        }

        #expect(try await broker.run("up", "--stop").output.contains("broker"))
        page.signal(SIGTERM)
        #expect(try await (serving.status(), page.status()) == (0, 0))
        let (servingAgain, brokerEvents) = try await broker.start([], until: "ready")
        #expect(brokerEvents["pairing"] == nil, "a phone is paired")
        let (pageAgain, phoneEvents) = try await phone.start(["--phone-only", line], until: "ready")
        #expect(phoneEvents["paired"] == nil)
        #expect(phoneEvents["notice"]?["message"]?.stringValue?.contains("the line is not used") == true)

        let removed = try await phone.run("up", "--remove", "--yes")
        #expect(removed.status == 0 && removed.output.contains("countersign devices remove"), "\(removed)")
        #expect(try await broker.run("up", "--remove", "--yes").status == 0)
        #expect(try await (servingAgain.status(), pageAgain.status()) == (0, 0))
        for home in [broker, phone] { #expect(!FileManager.default.fileExists(atPath: home.config.path)) }
        #expect(try FileManager.default.subpathsOfDirectory(atPath: phone.data.path) == ["up.lock"])
    }

    @Test(
        "a line works once; a phone that was interrupted takes another one, and keeps its home",
        .timeLimit(.minutes(15)))
    func lineOfAnother() async throws {
        let (broker, first, second) = (try HouseholdProcess(), try HouseholdProcess(), try HouseholdProcess())
        let (serving, line) = try await startBroker(broker)
        let wrong = line.replacing(/-[0-9A-Z]{4}-[0-9A-Z]{4}@/, with: "-0000-0000@")
        let mistyped = try await second.run(["up", "--no-open"] + options(wrong, broker))
        #expect(mistyped.status == 1 && mistyped.errors.contains("the code is wrong"), "\(mistyped)")
        let (page, _) = try await first.start(options(line, broker), until: "ready")
        page.signal(SIGTERM)
        #expect(try await page.status() == 0)

        let again = try await second.run(["up", "--no-open"] + options(line, broker))
        #expect(again.status == 1 && again.errors.contains("a device has been paired with this code"), "\(again)")
        let without = try await second.run(["up", "--no-open"])
        #expect(without.status == 2 && without.errors.contains("countersign pair"), "\(without)")
        let unpaired = try await second.run("status")
        #expect(unpaired.output.contains("  broker  on another machine\n"), "no broker is known: \(unpaired)")
        let removed = try await second.run("up", "--remove", "--yes")
        #expect(removed.status == 0 && !removed.output.contains("devices remove"), "no broker knows it: \(removed)")
        _ = try await second.run(["up", "--no-open"] + options(line, broker))
        #expect(try await second.status().parts["phone"] == false)

        let (pairing, uri) = try await pair(broker)
        let (other, events) = try await second.start(options(uri, broker), until: "ready")
        #expect(events["configured"] == nil && events["paired"] != nil, "its home stays")
        #expect(try await pairing.status() == 0)
        let devices = try await broker.run("devices", "list", "--json")
        #expect(try JSONReader.read(devices.output)["devices"]?.arrayValue?.count == 2, "\(devices)")
        for mode in ["--stop", "--service"] {
            let confirming = try await broker.run("up", mode, "--yes")
            #expect(confirming.status == 2 && confirming.errors.contains("--yes goes with"), "\(confirming)")
        }
        for program in [other, serving] {
            program.signal(SIGTERM)
            #expect(try await program.status() == 0)
        }
        try await move(broker)
    }

    /// Gives a broker that has phones another address, and then the same one again.
    private func move(_ broker: HouseholdProcess) async throws {
        for isNew in [true, false] {
            let (program, events) = try await broker.start(["--host-name", "127.0.0.1"], until: "ready")
            let words = events["pair_again"]?["message"]?.stringValue
            #expect((words != nil) == isNew, "\(events)")
            if let words {
                #expect(words.contains("paired at http://127.0.0.1:") && words.contains("countersign pair"), "\(words)")
            }
            program.signal(SIGTERM)
            #expect(try await program.status() == 0)
        }
    }

    @Test("a wrong line, or one whose time is over, leaves nothing behind")
    func wrongLines() async throws {
        let long = Date().addingTimeInterval(-3600)
        let expired = PairingPayload(
            server: ServerIdentity(id: ServerID(), publicKey: AgreementPrivateKey().publicKey),
            code: PairingCode(session: 17),
            endpoint: "http://127.0.0.1:1", certificate: nil, createdAt: Timestamp(long),
            expiresAt: Timestamp(long.addingTimeInterval(300)))
        for (line, words) in [
            ("17-ABCD-EFGH", "not the line of countersign up --broker-only"),
            ("17-ABCD-EFGH@http://broker.home:8765", "plain http would show the phone's token"),
            (expired.uri.revealed(), "the pairing ended at"),
        ] {
            let outcome = try await household.run(["up", "--no-open", "--phone-only", line, "--bank", "mock"])
            #expect(outcome.status != 0 && outcome.errors.contains(words), "\(outcome)")
            #expect(!FileManager.default.fileExists(atPath: household.config.path))
        }
        for (options, words) in [
            (["--broker-only", "--phone-only", "-"], "give one of them on each"),
            (["--broker-only", "--bank", "mock"], "are the phone's"),
            (["--phone-only", "-", "--stop"], "which part is here"),
            (["--broker-only", "--host-name", "Not A Name"], "nor an IP address"),
            (["--broker-only", "--host-name", "localhost"], "--host-name none"), (["--yes"], "--yes goes with"),
        ] {
            let outcome = try await household.run(["up", "--no-open"] + options)
            let errors = outcome.errors.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(outcome.status == 2 && errors.contains(words), "\(outcome)")
        }
    }

    @Test(
        "at a terminal the broker's person compares the words, and the phone's gives another line",
        .timeLimit(.minutes(3)))
    func atTerminals() async throws {
        let (broker, phone) = (try HouseholdProcess(), try HouseholdProcess())
        let inbox = broker.home.appending(path: "Sync").path
        let serving = try Program(
            [
                "up", "--broker-only", "--no-open", "--inbox", inbox, "--statements",
                broker.home.appending(path: "Statements").path,
            ], environment: broker.environment, atTerminal: true)
        let command = /countersign up --phone-only ([0-9A-Z-]+@http:[0-9.\/:]+)/
        try await serving.printing("It works once")
        try await serving.printing("In place of the line")
        let line = String(try #require(serving.printed.firstMatch(of: command)).1)
        let wrong = line.replacing(/-[0-9A-Z]{4}-[0-9A-Z]{4}@/, with: "-0000-0000@")
        let joining = try Program(
            ["up", "--no-open"] + options(wrong, broker), environment: phone.environment, atTerminal: true)
        try await joining.printing("Another line from the broker's machine")
        #expect(joining.printed.contains("the code is wrong") && joining.printed.contains("Your answers are kept"))
        try joining.write("countersign up --phone-only " + line)
        try await serving.printing("Does the phone show the same four words?")
        #expect(!joining.printed.contains("Paired with the broker"), "the broker's person has not confirmed")
        try serving.write("y")
        try await joining.printing("Ready after")
        try await serving.printing("Paired: ")
        for home in [broker, phone] {
            #expect(try await home.run("up", "--stop").status == 0)
        }
        #expect(try await (serving.status(), joining.status()) == (0, 0))
    }
}
