import Encodings
import Foundation
import Secrets
import TestParties
import TestSupport
import Testing

/// `countersign up`, as a person runs it.
@Suite("A household on one machine")
struct UpCommandTests {
    let household: HouseholdProcess

    init() throws {
        household = try HouseholdProcess()
    }

    @Test(
        "a mock bank needs no answer: request, approve on the page, and the statement is there", .timeLimit(.minutes(3))
    )
    func wholeRoad() async throws {
        let (program, events) = try await household.up()
        #expect(
            try await household.status() == (
                0, ["bank": true, "broker": true, "phone": true, "page": true, "inbox": true, "archive": true]
            ))

        let code = try #require(events["passkey_code"]?["passkey_code"]?.stringValue)
        #expect(!code.isEmpty && !code.contains { $0.isWhitespace }, "\(code.debugDescription)")
        try await banks()
        let asked = try await household.run("request", "2026-01", "--json")
        #expect(asked.status == 0, "\(asked)")
        let id = try #require(try JSONReader.read(asked.output)["request_id"]?.stringValue)
        try await approve(id, on: household, events)
        try await household.awaitStatement()
        let filed = household.data.appending(path: "statements/default/2026/2026-01 statement.pdf")
        let end = ContinuousClock.now + .seconds(60)
        while !FileManager.default.fileExists(atPath: filed.path) {
            try #require(ContinuousClock.now < end, "the statement was not filed under a readable name")
            try await Task.sleep(for: .milliseconds(100))
        }
        let requests = try await household.run("requests")
        #expect(requests.output.contains(filed.path), "\(requests)")
        let listed = try await household.run("archive", "list")
        #expect(listed.status == 0 && listed.output.contains("2026-01"), "\(listed)")
        let verified = try await household.run("archive", "verify")
        #expect(verified.status == 0, "the household's template reads its own paths: \(verified)")

        program.signal(SIGTERM)
        #expect(try await program.status() == 0)
        #expect(
            try await household.status() == (
                1, ["bank": false, "broker": false, "phone": true, "page": false, "inbox": true, "archive": true]
            ))
        for secret in ["agent.token", "passphrase", "broker/database.secret"] {
            let text = try String(contentsOf: household.data.appending(path: secret), encoding: .utf8)
            #expect(!program.printed.contains(text.dropLast()), "\(secret) is not printed")
            if secret == "passphrase" {
                #expect(text.wholeMatch(of: /[a-z]+-[a-z]+-[a-z]+\n/) != nil, "three words, to be typed on a telephone")
            } else {
                #expect(text.count == 65)
            }
        }
    }

    /// The phone has told the broker of its bank; another one is refused by its name.
    private func banks() async throws {
        let end = ContinuousClock.now + .seconds(60)
        while try await !household.run("banks").output.hasPrefix("default  Meridian Savings") {
            try #require(ContinuousClock.now < end, "the phone did not tell the broker of its bank")
            try await Task.sleep(for: .milliseconds(200))
        }
        let other = try await household.run("request", "2026-01", "--bank", "north")
        #expect(other.status == 1 && other.errors.contains("the banks are default"), "\(other)")
    }

    /// Approves on the page with the passphrase, and answers the bank's question for a code.
    func approve(_ id: String, on household: HouseholdProcess, _ events: [String: JSONValue]) async throws {
        let owner = try await OwnerOnPage(events, household)
        try await owner.answer(try await owner.approve(id), "123456")
    }

    @Test("starts again as it was, runs once only, and is stopped from beside it", .timeLimit(.minutes(3)))
    func again() async throws {
        let (first, _) = try await household.up()
        let second = try await household.run("up", "--no-open")
        #expect(second.status == 1 && second.errors.contains("runs already"), "\(second)")
        // The parts that a killed program leaves behind are ended by the next start.
        first.signal(SIGKILL)
        _ = try await first.status()
        let known = try JSONReader.read(Data(contentsOf: household.config))
        let ports = [known["broker"]?["port"]?.intValue, known["phone"]?["port"]?.intValue].compactMap(\.self)
        #expect(ports == Array(household.claimedPorts[..<2]), "other tests' households have others")
        let (third, events) = try await household.up()
        #expect(events["paired"] == nil && events["passkey_code"] == nil, "the phone stays paired")
        let devices = try await household.run("devices", "list", "--json")
        #expect(devices.output.components(separatedBy: "phone of this machine").count == 2, "\(devices)")
        // The page's program holds the phone, and does the command's work.
        try await banks()
        #expect(try await household.run("request", "2026-02", "--json").status == 0)
        let denied = try await household.run("deny", "--passphrase-file", household.passphraseFile.path)
        #expect(denied.status == 0 && denied.output.hasPrefix("Denied: "), "\(denied)")
        let pairing = try await household.run(
            "phone", "pair", "17-ABCD-EFGH", "--passphrase-file", household.passphraseFile.path)
        #expect(pairing.status == 1 && pairing.errors.contains("the household runs; stop it first"), "\(pairing)")
        let stopped = try await household.run("up", "--stop")
        #expect(stopped.status == 0 && stopped.output.contains("broker"), "\(stopped)")
        #expect(try await third.status() == 0)
        #expect(try await household.run("up", "--stop").output.contains("No household runs"))
    }

    @Test("ends when its terminal is closed, and leaves no part behind", .timeLimit(.minutes(4)))
    func hangUp() async throws {
        // The tests themselves may run under nohup, which programs inherit.
        let program = try Program(
            ["up", "--bank", "mock", "--no-open", "--json"], environment: household.environment,
            through: ["/usr/bin/env", "--default-signal=HUP"])
        _ = try await household.events(of: program, until: "ready")
        let running = try JSONReader.read(Data(contentsOf: household.data.appending(path: "running.json")))
        let ids = (running.arrayValue ?? []).compactMap { $0["pid"]?.intValue }
        #expect(ids.count == 4, "\(running)")
        program.signal(SIGHUP)
        #expect(try await program.status() == 0)
        for id in ids { #expect(kill(Int32(id), 0) != 0, "process \(id) runs on") }
    }

    @Test("leaves no part behind when it is killed", .timeLimit(.minutes(4)))
    func killed() async throws {
        let (program, _) = try await household.up()
        let running = try JSONReader.read(Data(contentsOf: household.data.appending(path: "running.json")))
        let ids = (running.arrayValue ?? []).compactMap { $0["pid"]?.intValue }
        #expect(ids.count == 4, "\(running)")
        program.signal(SIGKILL)
        #expect(try await program.status() == SIGKILL)
        // Its parts have work to end.
        let end = ContinuousClock.now + .seconds(60)
        for id in ids {
            while Descendant.parent(of: Int32(id)) != nil {
                try #require(ContinuousClock.now < end, "process \(id) runs on")
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    @Test("as a service, it and its page write no code into the journal", .timeLimit(.minutes(3)))
    func journal() async throws {
        let program = try inJournal(["up", "--bank", "mock", "--no-open"])
        try await program.printing("Ready after")
        #expect(program.printed.contains("Print an address that opens it with: countersign phone address"))
        #expect(program.printed.contains("countersign phone passkey code"))
        #expect(!program.printed.contains("#code="), "\(program.printed)")
        let address = try await household.run("phone", "address")
        #expect(address.output.wholeMatch(of: /http:\/\/localhost:\d+\/#code=[A-Za-z0-9_-]+\n/) != nil, "\(address)")
        program.signal(SIGTERM)
        #expect(try await program.status() == 0)

        for (format, words) in [([], "phone address"), (["--json"], "\"origin\"")] {
            let page = try inJournal(["phone", "serve", "--port", "0"] + format)
            try await page.printing(words)
            #expect(!page.printed.contains("#code="), "\(page.printed)")
            page.signal(SIGTERM)
            _ = try await page.status()
        }
    }

    /// Starts the program as systemd does, with a pipe in the place of its journal.
    private func inJournal(_ arguments: [String]) throws -> Program {
        let line = #"JOURNAL_STREAM=$(stat -L -c %d:%i /proc/$$/fd/1) exec "$@""#
        return try Program(arguments, environment: household.environment, through: ["/bin/sh", "-c", line, "sh"])
    }

    @Test("is removed after a question, without the statements, and set up again", .timeLimit(.minutes(3)))
    func removed() async throws {
        let (program, _) = try await household.up()
        let statement = household.data.appending(path: "inbox/statement.pdf")
        try Data("kept".utf8).write(to: statement)
        let accepted = household.data.appending(path: "broker/statements")
        try FileManager.default.createDirectory(at: accepted, withIntermediateDirectories: true)
        try Data("accepted".utf8).write(to: accepted.appending(path: "may.pdf"))
        let asked = try await household.run("up", "--remove")
        #expect(asked.status == 2 && asked.errors.contains("--yes"), "\(asked)")
        #expect(try await household.status().status == 0)
        let removed = try await household.run("up", "--remove", "--yes")
        #expect(removed.status == 0, "\(removed)")
        #expect(try await program.status() == 0)
        let left = try FileManager.default.subpathsOfDirectory(atPath: household.data.path).sorted()
        #expect(
            left == [
                "inbox", "inbox/statement.pdf", "kept-statements", "kept-statements/may.pdf", "up.lock",
            ])
        let kept = household.data.appending(path: "kept-statements")
        #expect(removed.output.contains(kept.path), "\(removed)")
        #expect(!FileManager.default.fileExists(atPath: household.config.path))
        #expect(try await household.run("status").errors.contains("countersign up"))

        // As an earlier version left it.
        try FileManager.default.createDirectory(at: accepted, withIntermediateDirectories: true)
        try Data("another".utf8).write(to: accepted.appending(path: "may.pdf"))
        let (again, _) = try await household.up()
        again.signal(SIGTERM)
        #expect(try await again.status() == 0)
        #expect(try String(contentsOf: kept.appending(path: "may.pdf"), encoding: .utf8) == "accepted")
        #expect(try String(contentsOf: kept.appending(path: "may (2).pdf"), encoding: .utf8) == "another")
    }

    @Test("a part that fails ends the others, and says where its log is", .timeLimit(.minutes(4)))
    func failure() async throws {
        let (program, _) = try await household.up()
        let running = try JSONReader.read(Data(contentsOf: household.data.appending(path: "running.json")))
        let broker = try #require(running.arrayValue?.first { $0["name"] == "broker" }?["pid"]?.intValue)
        kill(Int32(broker), SIGKILL)
        #expect(try await program.status() == 1)
        #expect(program.errors.contains("the broker ended; its log is \(household.data.path)/logs/broker.log"))
        #expect(try await household.status().parts["page"] == false)
    }

    @Test(
        "nothing of a person's own is taken over, and so removed later", arguments: ["logs/tax.txt", "phone/photo.jpg"])
    func foreignParts(name: String) async throws {
        let own = household.data.appending(path: name)
        try FileManager.default.createDirectory(at: own.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("own".utf8).write(to: own)
        let outcome = try await household.run("up", "--bank", "mock", "--no-open")
        #expect(outcome.status == 1 && outcome.errors.contains("exists already"), "\(outcome)")
        #expect(try String(contentsOf: own, encoding: .utf8) == "own")
        #expect(!FileManager.default.fileExists(atPath: household.config.path))
    }

    @Test("a folder that others can write to is refused")
    func sharedFolder() async throws {
        try FileManager.default.createDirectory(at: household.data, withIntermediateDirectories: true)
        chmod(household.data.path, 0o777)
        let outcome = try await household.run("up", "--bank", "mock", "--no-open")
        #expect(outcome.status == 1 && outcome.errors.contains("chmod go-w"), "\(outcome)")
    }

    @Test("the agent's token goes to the household's own broker alone", .timeLimit(.minutes(4)))
    func tokenForItsBrokerAlone() async throws {
        let (program, _) = try await household.up()
        program.signal(SIGTERM)
        _ = try await program.status()
        let stopped = try await household.run("requests")
        #expect(stopped.status == 1 && stopped.errors.contains("does not run"), "\(stopped)")
        for environment in [["BROKER_URL": "http://127.0.0.1:1"], ["BROKER_PORT": "1"]] {
            let other = try await CountersignProcess(
                ["requests"], environment: household.environment.merging(environment) { $1 }
            ).run()
            #expect(other.errors.contains("the agent's token is missing"), "\(other)")
        }
        let named = try await household.run("requests", "--broker", "http://127.0.0.1:1")
        #expect(named.errors.contains("the agent's token is missing"), "\(named)")
    }

    @Test(
        "without a terminal, it says which option answers the question",
        arguments: [([], "--bank"), (["--bank", "none"], "no script is for a bank “none”")])
    func questions(options: [String], words: String) async throws {
        let outcome = try await CountersignProcess(["up"] + options, environment: household.environment).run()
        #expect(outcome.status == 2 && outcome.errors.contains(words), "\(outcome)")
        #expect(!FileManager.default.fileExists(atPath: household.config.path))
    }

    @Test(
        "the page's name must be one for passkeys, and goes with no proxy",
        arguments: [
            (["--host-name", "192.168.1.20"], "192.168.1.20 is an IP address. A passkey belongs to a host name"),
            (["--host-name", "fd00::1"], "is an IP address"),
            (["--host-name", "Phone"], "not a host name in lower case"),
            (["--host-name", "localhost"], "--host-name none"),
            (["--behind-proxy", "https://192.168.1.20"], "is an IP address"),
            (["--behind-proxy", "http://phone.example"], "not the address of a page"),
            (["--host-name", "phone.local", "--behind-proxy", "https://phone.example"], "give either"),
            (["--stop", "--host-name", "phone.local"], "do not go with"),
        ])
    func pageNames(options: [String], words: String) async throws {
        let outcome = try await CountersignProcess(
            ["up", "--bank", "mock", "--no-open"] + options, environment: household.environment
        ).run()
        let errors = outcome.errors.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(outcome.status == 2 && errors.contains(words), "\(outcome)")
        #expect(!FileManager.default.fileExists(atPath: household.config.path))
    }

    @Test("a file that others can read is refused by every command", arguments: ["status", "requests"])
    func permissions(command: String) async throws {
        try FileManager.default.createDirectory(
            at: household.config.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("{}".utf8).write(to: household.config)
        chmod(household.config.path, 0o644)
        let open = try await household.run(command)
        #expect(open.status == 2 && open.errors.contains("chmod 600"), "\(open)")
        chmod(household.config.path, 0o600)
        let empty = try await household.run(command)
        #expect(empty.status == 2 && empty.errors.contains("version"), "\(empty)")
    }
}

extension Program {
    /// Waits until the program has printed something.
    func printing(_ words: String) async throws { try await waiting(for: words) { self.printed } }

    /// Waits until the program has printed something as an error.
    func complaining(_ words: String) async throws { try await waiting(for: words) { self.errors } }

    private func waiting(for words: String, in text: () -> String) async throws {
        let end = ContinuousClock.now + .seconds(60)
        while !text().contains(words) {
            try #require(ContinuousClock.now < end, "\(printed)\(errors)")
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
