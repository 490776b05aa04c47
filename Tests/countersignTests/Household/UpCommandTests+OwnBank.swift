import Automation
import BankScript
import Encodings
import Foundation
import Secrets
import TestParties
import TestSupport
import Testing

/// A household of `countersign up` with banks of the person's own. Nothing in it has the id of the bank that ships.
struct OwnBankHousehold {
    let household: HouseholdProcess
    var scripts: URL { household.home.appending(path: "bank-scripts", directoryHint: .isDirectory) }
    var credentials: URL { household.home.appending(path: "login.json") }
    var passphrase: URL { household.home.appending(path: "vault-passphrase") }
    private static let passphraseText = "a passphrase of the vault"

    init() throws {
        household = try HouseholdProcess()
        try FileManager.default.createDirectory(at: scripts, withIntermediateDirectories: true)
        try Data(#"{"username": "robin", "password": "never sent"}"#.utf8).write(to: credentials)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: credentials.path)
        try Data((Self.passphraseText + "\n").utf8).write(to: passphrase)
        for bank in ["my-bank", "other"] { try accept(bank) }
    }

    static func script(of bank: String, more: String = "") -> String {
        """
        bank: \(bank)
        name: The bank \(bank)
        origins: [https://\(bank).example]
        \(more)
        steps:
          - open: /login
          - fill: { Username: $username, Password: $password }
          - press: Sign in
        for each period:
          - follow: "{{ month.name }} {{ year }}"
          - download: PDF
        """
    }

    /// Writes the script of a bank, and accepts it as the person would.
    func accept(_ bank: String, more: String = "", text: String? = nil) throws {
        let text = text ?? Self.script(of: bank, more: more)
        try Data(text.utf8).write(to: scripts.appending(path: "\(bank).yaml"))
        // Before there is a household, `script accept` knows the usual folder of phones alone.
        let isFirst = !FileManager.default.fileExists(atPath: household.config.path)
        let home =
            isFirst ? household.home.appending(path: ".countersign") : household.data.appending(path: "phone")
        let accepted = AcceptedScripts(home: home)
        for file in try ScriptFolder(scripts).files() where file.name.contains(bank) {
            try accepted.accept(try file.script())
        }
    }

    func up(_ more: String...) async throws -> (program: Program, events: [String: JSONValue]) {
        try await household.start(["--scripts", scripts.path] + more, until: "ready")
    }

    /// The command that stores the credentials of the second bank.
    var storingOther: [String] {
        [
            "phone", "banks", "change", "other", "--credentials", credentials.path, "--passphrase-file",
            passphrase.path,
        ]
    }

    func firstStart() async throws -> (program: Program, events: [String: JSONValue]) {
        try await up("--bank", "my-bank", "--credentials", credentials.path, "--passphrase-file", passphrase.path)
    }

    /// Returns the arguments of each command that the events tell the person to run.
    static func commands(in events: [String: JSONValue]) -> [[String]] {
        events.values.compactMap { $0["message"]?.stringValue }.flatMap { message in
            message.matches(of: /countersign (request [a-z0-9 -]+)/).map { match in
                match.1.split(separator: " ").map(String.init)
            }
        }
    }

    static func stop(_ program: Program) async throws {
        program.signal(SIGTERM)
        #expect(try await program.status() == 0)
    }

    /// Unlocks the page, and waits until the phone has told of both banks.
    func unlock(_ events: [String: JSONValue]) async throws {
        let address = try #require(events["address"]?["address"]?.stringValue)
        let parts = address.components(separatedBy: "/#code=")
        let browser = PageBrowser(parts[0])
        #expect(try await browser.enter(Secret(parts[1])) == 303)
        _ = try await browser.signIn(passphrase: Self.passphraseText)
        let banks = try await browser.page("/banks")
        #expect(banks.contains("The bank my-bank") && !banks.contains("Meridian Savings"), "only banks that exist")
        await browser.session.close()
        let end = ContinuousClock.now + .seconds(60)
        while try await !household.run("banks").output.contains("other") {
            try #require(ContinuousClock.now < end, "the phone did not tell the broker of its banks")
            try await Task.sleep(for: .milliseconds(200))
        }
    }

    /// The command lines that the program and the guides show without a bank.
    static let unnamed: [[String]] = [
        ["request", "2026-01"], ["request", "--from", "2026-02", "--to", "2026-03"],
        ["agent", "offers", "add", "--from", "2025-01"],
        ["schedule", "add", "--monthly", "3", "08:00", "Europe/Berlin"],
    ]
}

extension UpCommandTests {
    /// Starts a broker, and the phone of an own bank that pairs with it.
    ///
    /// - Returns: both programs, and what the broker printed by event.
    func startOnTwoMachines(
        _ broker: HouseholdProcess, _ own: OwnBankHousehold
    ) async throws -> (serving: Program, page: Program, paired: [String: JSONValue]) {
        let (serving, line) = try await startBroker(broker)
        let (page, _) = try await own.up(
            "--phone-only", line, "--bank", "my-bank", "--inbox", broker.home.appending(path: "Sync").path,
            "--credentials", own.credentials.path, "--passphrase-file", own.passphrase.path)
        return (serving, page, try await broker.events(of: serving, until: "paired"))
    }

    @Test(
        "with an own bank, everything that is asked for without a bank is asked of that bank", .timeLimit(.minutes(3)))
    func oneBank() async throws {
        let own = try OwnBankHousehold()
        let (program, events) = try await own.firstStart()
        let commands = OwnBankHousehold.commands(in: events)
        #expect(commands == [["request", "last-month", "--wait"]])
        for command in commands {
            // The person denies the request, which shows that the phone has it.
            let asking = try Program(command, environment: own.household.environment)
            try await asking.printing("PENDING_APPROVAL")
            let denied = try await own.household.run("deny", "--passphrase-file", own.passphrase.path)
            #expect(denied.status == 0 && denied.output.hasPrefix("Denied: "), "\(denied)")
            #expect(try await asking.status() == 1)
            #expect(asking.printed.contains("DENIED"), "\(asking.printed)\(asking.errors)")
        }
        for command in OwnBankHousehold.unnamed {
            let outcome = try await own.household.run(command)
            #expect(outcome.status == 0, "\(command): \(outcome)")
            if command[0] != "request" { #expect(outcome.output.contains("my-bank"), "\(outcome)") }
        }
        let pending = try await own.household.run("phone", "pending", "--passphrase-file", own.passphrase.path)
        #expect(pending.output.components(separatedBy: "The bank my-bank").count >= 3, "\(pending)")
        try await OwnBankHousehold.stop(program)
    }

    @Test("with two banks, each command lists both and says what to type", .timeLimit(.minutes(4)))
    func twoBanks() async throws {
        let own = try OwnBankHousehold()
        let (first, _) = try await own.firstStart()
        try await OwnBankHousehold.stop(first)
        let change = own.storingOther
        let file = try #require(try ScriptFolder(own.scripts).files().first { $0.name.contains("other") })
        let revoked = try await own.household.run("phone", "scripts", "remove", try file.script().digest.hex)
        #expect(revoked.status == 0, "\(revoked)")
        let refused = try await own.household.run(change)
        #expect(refused.status == 1 && refused.errors.contains("has not been accepted"), "\(refused)")
        try own.accept("other")
        let added = try await own.household.run(change)
        #expect(added.status == 0, "\(added)")

        let (second, events) = try await own.up()
        try await own.unlock(events)
        for command in OwnBankHousehold.unnamed {
            let outcome = try await own.household.run(command)
            #expect(outcome.status == 2, "\(command): \(outcome)")
            #expect(
                outcome.errors.contains("my-bank, other") && outcome.errors.contains("--bank my-bank"), "\(outcome)")
            let named = try await own.household.run(command + ["--bank", "other"])
            #expect(named.status == 0, "\(command): \(named)")
        }
        try await OwnBankHousehold.stop(second)

        let (third, told) = try await own.up()
        let commands = OwnBankHousehold.commands(in: told)
        #expect(commands == [["request", "last-month", "--bank", "my-bank", "--wait"]], "what is printed is complete")
        try await OwnBankHousehold.stop(third)
    }

    @Test("on two machines, the broker knows the phone's bank as soon as they are paired", .timeLimit(.minutes(3)))
    func ownBankOnTwoMachines() async throws {
        let (broker, own) = (try HouseholdProcess(), try OwnBankHousehold())
        let (serving, page, paired) = try await startOnTwoMachines(broker, own)
        let commands = OwnBankHousehold.commands(in: paired)
        #expect(commands == [["request", "last-month", "--wait"]])
        let asked = try await broker.run("request", "last-month")
        #expect(asked.status == 0, "\(asked)")
        let pending = try await own.household.run("phone", "pending", "--passphrase-file", own.passphrase.path)
        #expect(pending.output.contains("The bank my-bank"), "\(pending)")
        for program in [page, serving] { try await OwnBankHousehold.stop(program) }
    }

    @Test(
        "no password is asked for the bank that ships, and it is not in the list",
        arguments: [
            (["--bank", "default"], "does not exist"), (["--bank", "nowhere"], "choose one of my-bank, other, mock"),
        ])
    func fiction(options: [String], words: String) async throws {
        let own = try OwnBankHousehold()
        let arguments = ["up", "--no-open", "--scripts", own.scripts.path] + options
        let outcome = try await own.household.run(arguments)
        let errors = outcome.errors.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(outcome.status == 2 && errors.contains(words), "\(outcome)")
        let asking = try Program(arguments, environment: own.household.environment, atTerminal: true)
        #expect(try await asking.status() == 2)
        #expect(!asking.printed.contains("username"), "\(asking.printed)")
        #expect(!FileManager.default.fileExists(atPath: own.household.config.path))
    }

    @Test("at a terminal, the banks to choose from are those of scripts, and the mock bank", .timeLimit(.minutes(3)))
    func choices() async throws {
        let own = try OwnBankHousehold()
        let program = try Program(
            ["up", "--no-open", "--scripts", own.scripts.path], environment: own.household.environment, atTerminal: true
        )
        try await program.printing("A number from 1 to 9:")
        #expect(program.printed.contains("1  The bank my-bank") && program.printed.contains("2  The bank other"))
        #expect(!program.printed.contains("Meridian Savings"), "\(program.printed)")
        program.signal(SIGKILL)
        _ = try await program.status()
    }
}
