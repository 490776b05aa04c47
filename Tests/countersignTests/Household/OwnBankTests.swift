import Automation
import Foundation
import JSON
import LoopbackPage
import Secrets
import TestSupport
import Testing

/// A household of `countersign up` with banks of the person's own. Nothing in it has the id of the bank that ships.
// Serialised: two households at once would choose the same free ports.
@Suite("A household with its own bank", .serialized)
struct OwnBankTests {
    private let household: HouseholdProcess
    private var scripts: URL { household.home.appending(path: "bank-scripts", directoryHint: .isDirectory) }
    private var credentials: URL { household.home.appending(path: "login.json") }
    private var passphrase: URL { household.home.appending(path: "vault-passphrase") }
    private static let passphraseText = "a passphrase of the vault"

    init() throws {
        household = try HouseholdProcess()
        try FileManager.default.createDirectory(at: scripts, withIntermediateDirectories: true)
        try Data(#"{"username": "robin", "password": "never sent"}"#.utf8).write(to: credentials)
        try Data((Self.passphraseText + "\n").utf8).write(to: passphrase)
        for bank in ["my-bank", "other"] { try accept(bank) }
    }

    /// Writes the script of a bank, and accepts it as the person would.
    private func accept(_ bank: String) throws {
        let text = """
            bank: \(bank)
            name: The bank \(bank)
            origins: [https://\(bank).example]
            steps:
              - open: /login
              - fill: { Username: $username, Password: $password }
              - press: Sign in
            for each period:
              - follow: "{{ month.name }} {{ year }}"
              - download: PDF
            """
        try Data(text.utf8).write(to: scripts.appending(path: "\(bank).yaml"))
        let accepted = AcceptedScripts(home: household.data.appending(path: "phone", directoryHint: .isDirectory))
        for file in try ScriptFolder(scripts).files() where file.name.contains(bank) {
            try accepted.accept(try file.script())
        }
    }

    private func up(_ more: String...) async throws -> (program: Program, events: [String: JSONValue]) {
        try await household.start(["--scripts", scripts.path] + more, until: "ready")
    }

    private func firstStart() async throws -> (program: Program, events: [String: JSONValue]) {
        try await up("--bank", "my-bank", "--credentials", credentials.path, "--passphrase-file", passphrase.path)
    }

    /// Returns the arguments of each command that the events tell the person to run.
    private static func commands(in events: [String: JSONValue]) -> [[String]] {
        events.values.compactMap { $0["message"]?.stringValue }.flatMap { message in
            message.matches(of: /countersign (request [a-z0-9 -]+)/).map { match in
                match.1.split(separator: " ").map(String.init)
            }
        }
    }

    private static func stop(_ program: Program) async throws {
        program.signal(SIGTERM)
        #expect(try await program.status() == 0)
    }

    /// The command lines that the program and the guides show without a bank.
    private static let unnamed: [[String]] = [
        ["request", "2026-01"], ["request", "--from", "2026-02", "--to", "2026-03"],
        ["offers", "make", "--from", "2025-01"], ["schedule", "add", "--monthly", "3", "08:00", "Europe/Berlin"],
    ]

    @Test("everything that is asked for without a bank is asked of that bank", .timeLimit(.minutes(3)))
    func oneBank() async throws {
        let (program, events) = try await firstStart()
        let commands = Self.commands(in: events)
        #expect(commands == [["request", "last-month", "--wait"]])
        for command in commands {
            // The person denies the request, which shows that the phone has it.
            let asking = try Program(command, environment: household.environment)
            try await asking.printing("PENDING_APPROVAL")
            let denied = try await household.run("phone", "deny", "--passphrase-file", passphrase.path)
            #expect(denied.status == 0 && denied.output.hasPrefix("Denied: "), "\(denied)")
            #expect(try await asking.status() == 1)
            #expect(asking.printed.contains("DENIED"), "\(asking.printed)\(asking.errors)")
        }
        for command in Self.unnamed {
            let outcome = try await household.run(command)
            #expect(outcome.status == 0, "\(command): \(outcome)")
            if command[0] != "request" { #expect(outcome.output.contains("my-bank"), "\(outcome)") }
        }
        let pending = try await household.run("phone", "pending", "--passphrase-file", passphrase.path)
        #expect(pending.output.components(separatedBy: "The bank my-bank").count >= 3, "\(pending)")
        try await Self.stop(program)
    }

    @Test("with two banks, each command lists both and says what to type", .timeLimit(.minutes(4)))
    func twoBanks() async throws {
        let (first, _) = try await firstStart()
        try await Self.stop(first)
        let added = try await household.run(
            "phone", "banks", "change", "other", "--credentials", credentials.path, "--passphrase-file",
            passphrase.path)
        #expect(added.status == 0, "\(added)")

        let (second, events) = try await up()
        try await unlock(events)
        for command in Self.unnamed {
            let outcome = try await household.run(command)
            #expect(outcome.status == 2, "\(command): \(outcome)")
            #expect(
                outcome.errors.contains("my-bank, other") && outcome.errors.contains("--bank my-bank"), "\(outcome)")
            let named = try await household.run(command + ["--bank", "other"])
            #expect(named.status == 0, "\(command): \(named)")
        }
        try await Self.stop(second)

        let (third, told) = try await up()
        let commands = Self.commands(in: told)
        #expect(commands == [["request", "last-month", "--bank", "my-bank", "--wait"]], "what is printed is complete")
        try await Self.stop(third)
    }

    /// Unlocks the page, and waits until the phone has told of both banks.
    private func unlock(_ events: [String: JSONValue]) async throws {
        let address = try #require(events["address"]?["address"]?.stringValue)
        let parts = address.components(separatedBy: "/#code=")
        let browser = PageBrowser(parts[0])
        #expect(try await browser.enter(Secret(parts[1])) == 303)
        _ = try await browser.signIn(passphrase: Self.passphraseText)
        await browser.session.close()
        let end = ContinuousClock.now + .seconds(30)
        while try await !household.run("banks").output.contains("other") {
            try #require(ContinuousClock.now < end, "the phone did not tell the broker of its banks")
            try await Task.sleep(for: .milliseconds(200))
        }
    }
}
