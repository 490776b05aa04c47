import BankScript
import Encodings
import Foundation
import KeyVault
import Phone
import Secrets
import TestSupport
import Testing

// `up` as a conversation with a person, in a household with an own bank.

extension UpCommandTests {
    @Test("a wrong answer is asked again, and no other answer is lost", .timeLimit(.minutes(3)))
    func conversation() async throws {
        let own = try OwnBankHousehold()
        let program = try Program(
            ["up", "--no-open", "--scripts", own.scripts.path], environment: own.household.environment, atTerminal: true
        )
        let phrase = "A passphrase for the vault"
        for (question, times, answer) in [
            ("A number from 1 to 9:", 1, "10"), ("A number from 1 to 9:", 2, "1"),
            ("Where do you want your statements?", 1, own.household.data.appending(path: "broker/statements").path),
            ("Where do you want your statements?", 2, "~/Papers/Bank"),
            ("Your username at The bank my-bank:", 1, ""), ("Your username at The bank my-bank:", 2, "robin.ashdown"),
            ("Your password at The bank my-bank:", 1, "never sent"), (phrase, 1, "eleven char"),
            (phrase, 2, "a passphrase of a person"), ("Again, to confirm:", 1, "another passphrase"),
            (phrase, 3, "a passphrase of a person"), ("Again, to confirm:", 2, "a passphrase of a person"),
            ("Sign in at The bank my-bank now? [Y/n]", 1, "maybe"),
            ("Sign in at The bank my-bank now? [Y/n]", 2, "n"),
        ] {
            try await Self.wait(for: question, times, from: program)
            try program.write(answer)
        }
        try await program.printing("Ready after")
        for words in [
            "from 1 to 9", "inside broker", "nothing was typed", "12 characters at least", "differ", "answer y or n",
        ] {
            #expect(program.printed.contains(words), "\(words)")
        }
        let papers = own.household.home.appending(path: "Papers/Bank").path
        #expect(program.printed.contains(papers) && FileManager.default.fileExists(atPath: papers))
        #expect(!program.printed.contains("meridian"), "the fiction is not offered as a bank")
        #expect(program.printed.contains("robin.ashdown"), "the user name is shown as it is typed")
        for secret in ["never sent", "eleven char", "passphrase of a person"] {
            #expect(!program.printed.contains(secret), "\(secret)")
        }
        #expect(try await own.household.run("up", "--stop").status == 0)
        #expect(try await program.status() == 0)
    }

    @Test("statements have a place from the first start on, which a later start changes", .timeLimit(.minutes(3)))
    func statements() async throws {
        let own = try OwnBankHousehold()
        let usual = own.household.home.appending(path: "Documents/Statements").path
        let (first, events) = try await own.firstStart()
        #expect(events["statements"]?["message"]?.stringValue == "Statements are kept in \(usual).")
        #expect(FileManager.default.fileExists(atPath: usual) && events["not_used"] == nil)
        let settings = try await own.household.run("config", "show")
        #expect(settings.output.contains(usual), "\(settings)")
        try await OwnBankHousehold.stop(first)

        let other = own.household.home.appending(path: "Papers").path
        let program = try Program(
            ["up", "--no-open", "--json", "--scripts", own.scripts.path, "--statements", other],
            environment: own.household.environment.merging(
                ["BROKER_ARCHIVE_PATH": "/secret-value", "BROKER_WEBHOOK_URL": "https://secret-value"]) { $1 })
        let told = try await own.household.events(of: program, until: "ready")
        #expect(told["statements"]?["message"]?.stringValue?.contains(other) == true)
        let unused = try #require(told["not_used"]?["message"]?.stringValue)
        #expect(unused.contains("BROKER_ARCHIVE_PATH, BROKER_WEBHOOK_URL") && unused.contains("--statements"))
        #expect(!program.printed.contains("secret-value"), "names are told, and no values")
        try await OwnBankHousehold.stop(program)
        let (third, kept) = try await own.up()
        #expect(kept["statements"]?["message"]?.stringValue?.contains(other) == true, "it is remembered")
        try await OwnBankHousehold.stop(third)
        let good = try await own.household.run("status")
        #expect(good.output.contains(/✓ bank +my-bank\n/), "\(good)")
        let script = own.scripts.appending(path: "my-bank.yaml")
        let text = try String(contentsOf: script, encoding: .utf8).replacing("/login", with: "/other-login")
        try Data(text.utf8).write(to: script)
        let changed = try await own.household.run("status")
        let words = "my-bank, whose script is not accepted; read it, then: countersign script accept "
        #expect(changed.output.contains(words) && !changed.output.contains("✓ bank"), "\(changed)")
        let inside = try await own.household.run(
            "up", "--statements", own.household.data.appending(path: "phone/a").path)
        #expect(inside.status == 2 && inside.errors.contains("inside phone"), "\(inside)")
    }

    @Test("a script that was not accepted yet is shown and asked about", .timeLimit(.minutes(4)))
    func unread() async throws {
        let own = try OwnBankHousehold()
        try Data(OwnBankHousehold.script(of: "third").utf8).write(to: own.scripts.appending(path: "third.yaml"))
        let program = try Program(
            ["up", "--no-open", "--scripts", own.scripts.path], environment: own.household.environment, atTerminal: true
        )
        try await Self.wait(for: "A number from 1 to 10:", 1, from: program)
        #expect(program.printed.contains("3  The bank third, https://third.example; you read its script first"))
        try program.write("3")
        try await Self.wait(for: "[y/N]", 1, from: program)
        try program.write("y")
        try await Self.wait(for: "Where do you want your statements?", 1, from: program)
        #expect(program.printed.contains("Accepted: The bank third"), "\(program.printed)")
        program.signal(SIGKILL)
        _ = try await program.status()
        #expect(
            !FileManager.default.fileExists(atPath: own.household.config.path), "nothing is set up before all is known")
    }

    @Test("a bank is added with its script, once, and only while the household is stopped", .timeLimit(.minutes(3)))
    func addedBank() async throws {
        let own = try OwnBankHousehold()
        let (program, _) = try await own.firstStart()
        let file = own.household.home.appending(path: "third-bank.yaml")
        try Data(OwnBankHousehold.script(of: "third").utf8).write(to: file)
        let add = [
            "banks", "add", file.path, "--credentials", own.credentials.path, "--passphrase-file", own.passphrase.path,
        ]
        let running = try await own.household.run(add)
        #expect(running.status == 1 && running.errors.contains("countersign up --stop"), "\(running)")
        try await OwnBankHousehold.stop(program)

        let typo = own.household.home.appending(path: "typo.json")
        try Data(#"{"username": "robin", "pasword": "x"}"#.utf8).write(to: typo)
        for command in [["banks", "add", "other"], ["phone", "banks", "change", "my-bank"]] {
            let mistyped = try await own.household.run(
                command + ["--credentials", typo.path, "--passphrase-file", own.passphrase.path])
            #expect(
                mistyped.status == 2 && mistyped.errors.contains("field “pasword”; did you mean “password”?"),
                "\(mistyped)")
        }
        let unread = try await own.household.run(add)
        let digest = try #require(unread.errors.firstMatch(of: /--digest ([0-9a-f]+)/), "\(unread)").1
        let copy = own.scripts.appending(path: "third-bank.yaml")
        #expect(unread.status == 2 && !FileManager.default.fileExists(atPath: copy.path))
        let added = try await own.household.run(add + ["--digest", String(digest)])
        #expect(added.status == 0 && added.output.contains("third.example"), "it says what leaves: \(added)")
        #expect(try Data(contentsOf: copy) == Data(contentsOf: file))
        // An approval goes on without another command: the vault vouches for the script that was read.
        let phone = PhoneHome(own.household.data.appending(path: "phone", directoryHint: .isDirectory))
        let secrets = try await phone.open(
            PassphraseVerification(Secret("a passphrase of the vault")), reason: "a test")
        let script = try BankScript(yaml: String(contentsOf: file, encoding: .utf8), file: file.path)
        #expect(try await VouchedFiles.vouches(for: script.digest, of: phone, in: secrets))
        secrets.close()
        let again = try await own.household.run(add)
        #expect(again.status == 1 && again.errors.contains("countersign phone banks change third"), "\(again)")
        let unknown = try await own.household.run(["banks", "add", "fourth"])
        #expect(unknown.status == 2 && unknown.errors.contains("my-bank, other, third"), "\(unknown)")
        let listed = try await own.household.run("phone", "banks", "--passphrase-file", own.passphrase.path)
        #expect(listed.output.contains("my-bank") && listed.output.contains("third"), "\(listed)")
    }

    @Test("a script for testing is called one", .timeLimit(.minutes(3)))
    func forTesting() async throws {
        let own = try OwnBankHousehold()
        try own.accept("trial", more: "testing: true")
        let outcome = try await own.household.run("up", "--no-open", "--scripts", own.scripts.path, "--bank", "trial")
        #expect(outcome.status == 2 && outcome.errors.contains("is for testing"), "\(outcome)")
    }

    @Test("a short passphrase in a file is refused before anything is started", .timeLimit(.minutes(3)))
    func shortPassphraseFile() async throws {
        let own = try OwnBankHousehold()
        try Data("short\n".utf8).write(to: own.passphrase)
        let outcome = try await own.household.run(
            "up", "--no-open", "--scripts", own.scripts.path, "--bank", "my-bank", "--credentials",
            own.credentials.path,
            "--passphrase-file", own.passphrase.path)
        #expect(outcome.status == 2 && outcome.errors.contains("12 characters"), "\(outcome)")
        #expect(!FileManager.default.fileExists(atPath: own.household.data.appending(path: "logs/broker.log").path))
    }

    /// Waits until a question is there so many times. A question without echo discards what was typed before it.
    private static func wait(for question: String, _ times: Int, from program: Program) async throws {
        let end = ContinuousClock.now + .seconds(60)
        while program.printed.components(separatedBy: question).count <= times {
            try #require(ContinuousClock.now < end, "“\(question)” did not come: \(program.printed)\(program.errors)")
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
