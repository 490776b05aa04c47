import Foundation
import TestSupport
import Testing

@testable import CountersignCommandLine

/// The commands as a person runs them: their output and exit status.
@Suite("The command line")
struct CommandTests {
    private func run(_ arguments: String..., environment: [String: String] = [:]) async throws
        -> CountersignProcess.Outcome
    {
        try await CountersignProcess(arguments, environment: environment).run()
    }

    @Test("prints its version and its help")
    func version() async throws {
        #expect(try await run("--version").output == "0.1.0\n")
        let help = try await run("--help")
        #expect(help.status == 0)
        for command in ["demo", "request", "broker", "phone", "archive", "script", "agent"] {
            #expect(help.output.contains(command))
        }
    }

    @Test("makes one command alone for a line that names one of those that do most of the work")
    func chosen() {
        let all = Countersign.configuration.subcommands
        var chosen = 0
        for command in all {
            guard let one = Countersign.command(command._commandName) else { continue }
            chosen += 1
            #expect(ObjectIdentifier(one) == ObjectIdentifier(command))
            Countersign.$firstWord.withValue(command._commandName) {
                #expect(Countersign.configuration.subcommands.count == 1)
            }
        }
        #expect(all.count > 20 && chosen == 6)
        #expect(Countersign.$firstWord.withValue("help") { Countersign.configuration.subcommands.count } == all.count)
    }

    @Test(
        "reports errors on stderr, with an exit status",
        arguments: [
            (["broker", "serve"], 2, "BROKER_API_TOKEN is not set"),
            (["request", "--month", "1", "--year", "2026"], 1, "set BROKER_API_TOKEN"),
            (["phone", "pending", "--home", "/nonexistent/phone"], 1, "the folder /nonexistent/phone is not there"),
            (["phone", "pending"], 1, "countersign up"),
            (["requests", "--broker", "localhost:8765"], 2, "did you mean http://localhost:8765?"),
            (["script", "run", "missing.yaml"], 2, "missing.yaml does not exist"),
            (["script", "lint", "nothing"], 2, "unknown script “nothing”"),
            (["script", "lint", "missing.yaml"], 2, "does not exist"),
            (["demo", "--month", "13"], 2, "--month must be 1 to 12"),
            (["reqest"], 2, "reqest"),
        ] as [([String], Int32, String)])
    func complains(arguments: [String], status: Int32, word: String) async throws {
        let outcome = try await CountersignProcess(arguments).run()
        #expect(outcome.status == status, "\(outcome.errors)")
        #expect(outcome.errors.contains(word), "\(outcome.errors)")
        #expect(outcome.output.isEmpty)
    }

    @Test(
        "reports that no phone is set up",
        arguments: [
            ["pending", "--passphrase-file", "-"], ["audit", "verify"], ["trust", "show"], ["trust", "reset"],
        ])
    func noPhone(_ command: [String]) async throws {
        let arguments = ["phone"] + command + ["--home", "/nonexistent/phone"]
        let outcome = try await CountersignProcess(arguments, typed: "a passphrase\n").run()
        #expect(outcome.status == 1, "\(outcome.errors)")
        #expect(
            outcome.errors.contains(
                "the folder /nonexistent/phone is not there; is its disk mounted? If it is new, run: countersign phone setup"
            ))
        #expect(outcome.output.isEmpty)
    }

    @Test("reports that a broker does not answer")
    func unreachable() async throws {
        let outcome = try await run(
            "requests", "--broker", "http://127.0.0.1:1", environment: ["BROKER_API_TOKEN": "some token"])
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("does not answer"))
        #expect(!outcome.errors.contains("some token"))
    }

    @Test("lints a script and points at the error")
    func lint() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = folder.appending("x.yaml")
        try "bank: x\nname: X\norigins: [https://x.example]\nsteps:\n  - opne: /login\n".write(
            to: file, atomically: true, encoding: .utf8)
        let outcome = try await run("script", "lint", file.path)
        #expect(outcome.status == 3)
        #expect(outcome.errors.contains("did you mean “open”?"))
        #expect(outcome.errors.contains("5 |   - opne: /login"))
        #expect(outcome.errors.contains("^"))
        #expect(try await run("script", "lint", "default").output.contains("clean"))
    }
}
