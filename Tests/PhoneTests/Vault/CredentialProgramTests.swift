import Automation
import Foundation
import KeyVault
import PhoneStore
import Secrets
import TestParties
import TestSupport
import Testing

@testable import Phone

@Suite("A program that gives a credential")
struct CredentialProgramTests {
    private static func shell(_ script: String) throws -> CredentialProgram {
        try CredentialProgram(["/bin/sh", "-c", script])
    }

    @Test(
        "gives the first line that it prints",
        arguments: [
            ("printf 'lovelace-1843\\n'", "lovelace-1843"), ("printf 'lovelace-1843'", "lovelace-1843"),
            ("printf 'lovelace-1843\\r\\nurl: https://bank.example\\n'", "lovelace-1843"),
            ("printf ' lovelace 1843 \\n'", " lovelace 1843 "), ("printf 'l\\303\\266velace-1843\\n'", "lövelace-1843"),
            ("printf 'lovelace-1843\\n'; echo of no interest >&2", "lovelace-1843"),
        ])
    func firstLine(script: String, value: String) async throws {
        let secret = try await Self.shell(script).credential(named: "password", ofBank: "mine")
        #expect(secret.revealed() == value)
    }

    @Test(
        "that gives none is named with what it did, without its arguments and what it printed",
        arguments: [
            ("echo canary-1815; exit 3", "ended with status 3"), ("kill -9 $$", "ended with status 137"),
            (":", "printed no first line"), ("echo; echo canary-1815", "printed no first line"),
            ("printf 'canary-1815\\007\\n'", "printed something else than a line of text"),
            ("printf 'canary-1815\\377\\n'", "printed something else than a line of text"),
            ("yes canary-1815", "printed more than 64 KiB"),
        ])
    func nothing(script: String, words: String) async throws {
        let failure = try await #require(throws: RunFailure.self) {
            try await Self.shell(script).credential(named: "access_number", ofBank: "mine")
        }
        #expect(failure.code == .credentialUnavailable && failure.reason == nil)
        #expect(
            failure.message.contains("the program “sh”, which gives the access number of mine, \(words)"),
            "\(failure.message)")
        let isLocked = words.hasPrefix("ended with status")
        #expect(
            failure.message.hasPrefix(isLocked ? "your password manager may be locked: " : "the program"),
            "\(failure.message)")
        #expect(!failure.message.contains("canary"), "\(failure.message)")
    }

    @Test("that hangs is ended with the programs that it has started, and with the run")
    func hanging() async throws {
        // Its output ends only when the child that has it open is gone, too.
        let failure = try await #require(throws: RunFailure.self) {
            try await Self.shell("sleep 1000 & wait").credential(
                named: "password", ofBank: "mine", within: .seconds(2))
        }
        #expect(failure.message.contains("gave no answer within 2 s"), "\(failure.message)")
        let run = Task { try await Self.shell("sleep 1000").credential(named: "password", ofBank: "mine") }
        run.cancel()
        await #expect(throws: CancellationError.self) { try await run.value }
    }

    @Test("that ends while another process has its output open has answered", .timeLimit(.minutes(3)))
    func outputKeptOpen() async throws {
        let folder = try TemporaryFolder()
        let number = folder.appending("number")
        let began = ContinuousClock.now
        let secret = try await Self.shell("setsid sleep 100 & echo $! > '\(number.path)'; echo lovelace-1843")
            .credential(named: "password", ofBank: "mine", within: .seconds(50))
        #expect(secret.revealed() == "lovelace-1843" && ContinuousClock.now - began < .seconds(40))
        let text = try String(contentsOf: number, encoding: .utf8)
        kill(try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines))), SIGKILL)
    }

    @Test("that is not there is told so")
    func missing() async throws {
        let failure = try await #require(throws: RunFailure.self) {
            try await CredentialProgram(["/nonexistent/pass", "show"]).credential(named: "password", ofBank: "mine")
        }
        #expect(failure.message.contains("“pass”") && failure.message.contains("could not be started"), "\(failure)")
    }

    @Test("gets the variables of password managers, and none of this program's")
    func variables() async throws {
        let given = [
            "HOME": "/home/robin", "PATH": "/usr/bin:/bin", "PASSWORD_STORE_DIR": "/store",
            "BW_SESSION": "of-bitwarden",
            "PHONE_API_TOKEN": "canary", "BROKER_PHONE_SHARED_SECRET": "canary", "TELEGRAM_BOT_TOKEN": "canary",
            "LD_PRELOAD": "canary",
        ]
        let seen = try await Self.shell("env | sort | tr '\\n' ' '").credential(
            named: "password", ofBank: "mine", variables: given
        ).revealed()
        #expect(!seen.contains("canary"), "\(seen)")
        for name in ["HOME=/home/robin", "PASSWORD_STORE_DIR=/store", "BW_SESSION=of-bitwarden"] {
            #expect(seen.contains(name), "\(name) in \(seen)")
        }
    }

    @Test(
        "is named with its full path and with words of one line",
        arguments: [
            [], ["pass", "show"], ["./pass"], ["/usr/bin/pass", "show\nbank"], Array(repeating: "/bin/true", count: 65),
        ])
    func refused(command: [String]) {
        let error = #expect(throws: PhoneError.self) { try CredentialProgram(command) }
        #expect(error?.code == .invalidSetting)
    }

    @Test("takes the place of a value in the vault, and gives way to one again")
    func places() async throws {
        try await TestPhone.with { phone in
            let secrets = try await phone.vault.open(passphrase: TestPhone.passphrase)
            defer { secrets.close() }
            let vault = CredentialVault(secrets, store: try PhoneDatabase(phone.home))
            let program = try Self.shell("echo of-the-program")
            try await vault.set(program, for: "password", ofBank: "default")
            var bank = try #require(try await vault.banks().first)
            #expect(bank.credentials == ["password", "username"] && bank.programs == ["password": program])
            #expect(try await vault.store.credentialPrograms() == ["default": ["password": "sh"]])
            #expect(try await vault.holdsCredentials(forBank: "default"))
            #expect(try await !secrets.holds("credential/default/password"), "the value is gone")

            let given = GivenCredentials()
            let provider = vault.provider(forBank: "default", keeping: given)
            #expect(
                try await provider.credential(named: "password", forBank: "default")?.revealed() == "of-the-program")
            #expect(try await provider.credential(named: "username", forBank: "default")?.revealed() == "ada.lovelace")
            #expect(try await provider.credential(named: "password", forBank: "other") == nil)

            try await vault.set(["password": Secret("of-the-vault")], forBank: "default")
            #expect(try await provider.credential(named: "password", forBank: "default")?.revealed() == "of-the-vault")
            bank = try #require(try await vault.banks().first)
            #expect(bank.programs.isEmpty)
            #expect(try await vault.store.credentialPrograms().isEmpty)

            try await vault.set(program, for: "pin", ofBank: "default")
            try await vault.replace(
                ["username": Secret("ada.lovelace"), "password": Secret("difference-engine-1822")], forBank: "default")
            try await vault.set(program, for: "password", ofBank: "default")
            try await vault.removeAll(forBank: "default")
            #expect(try await secrets.names().filter { $0.contains("/default/") }.isEmpty)
            #expect(try await vault.store.credentialPrograms().isEmpty)
        }
    }

    @Test("runs once in a visit, whose requests all get what it printed")
    func once() async throws {
        try await TestPhone.with { phone in
            let secrets = try await phone.vault.open(passphrase: TestPhone.passphrase)
            defer { secrets.close() }
            let vault = CredentialVault(secrets, store: try PhoneDatabase(phone.home))
            let runs = phone.home.folder.appending(path: "runs")
            let program = try Self.shell("echo run >> '\(runs.path)'; echo of-the-program")
            try await vault.set(program, for: "password", ofBank: "default")
            let given = GivenCredentials()
            let provider = vault.provider(forBank: "default", keeping: given)
            for _ in 1...3 {
                let secret = try #require(try await provider.credential(named: "password", forBank: "default"))
                #expect(secret.revealed() == "of-the-program")
                secret.wipe()
            }
            #expect(try String(contentsOf: runs, encoding: .utf8) == "run\n")
            given.wipe()
            _ = try await provider.credential(named: "password", forBank: "default")
            #expect(try String(contentsOf: runs, encoding: .utf8) == "run\nrun\n", "the next visit")
        }
    }

    @Test(
        "runs once for requests that are made at once, also when it fails",
        arguments: [("echo of-the-program", true), ("exit 1", false)])
    func atOnce(script: String, isGiven: Bool) async throws {
        try await TestPhone.with { phone in
            let secrets = try await phone.vault.open(passphrase: TestPhone.passphrase)
            defer { secrets.close() }
            let vault = CredentialVault(secrets, store: try PhoneDatabase(phone.home))
            let runs = phone.home.folder.appending(path: "runs")
            try await vault.set(
                try Self.shell("echo run >> '\(runs.path)'; \(script)"), for: "password", ofBank: "default")
            let provider = vault.provider(forBank: "default", keeping: GivenCredentials())
            let given = await withTaskGroup(of: Bool.self) { group in
                for _ in 1...31 {
                    group.addTask {
                        let secret = try? await provider.credential(named: "password", forBank: "default")
                        return secret?.revealed() == "of-the-program"
                    }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(given == (isGiven ? 31 : 0))
            _ = try? await provider.credential(named: "password", forBank: "default")
            #expect(try String(contentsOf: runs, encoding: .utf8) == "run\n")
        }
    }

    @Test("is listed as its owner typed it, also while its entry is in memory")
    func listed() throws {
        let program = try CredentialProgram(["/usr/bin/pass", "show", "banks/orrery"])
        let sealed = program.sealed
        #expect(try CredentialProgram(sealed: sealed) == program)
        let list = #"{"programs":{"pin":["/usr/bin/pass","show","banks/orrery"]}}"#
        #expect(Redactor.redact(list) == list)
        #expect(throws: PhoneError.self) { try CredentialProgram(sealed: Secret(#"{"programs":[]}"#)) }
        withExtendedLifetime(sealed) {}
    }

    @Test("that fails begins no sign-in")
    func beforeSignIn() async throws {
        try await TestPhone.with { phone in
            let secrets = try await phone.vault.open(passphrase: TestPhone.passphrase)
            defer { secrets.close() }
            let vault = CredentialVault(secrets, store: try PhoneDatabase(phone.home))
            try await vault.set(try Self.shell("exit 1"), for: "password", ofBank: "default")
            let provider = vault.provider(forBank: "default", keeping: GivenCredentials()) {
                Issue.record("a sign-in began")
            }
            await #expect(throws: RunFailure.self) {
                try await provider.credential(named: "password", forBank: "default")
            }
        }
    }

    @Test(
        "is pass or gopass, with a store of its own",
        .needs("gpg", "pass", "gopass"), .timeLimit(.minutes(3)), arguments: ["pass", "gopass"])
    func passwordManagers(name: String) async throws {
        // The agent's socket has to fit into 107 bytes.
        let folder = try TemporaryFolder(in: URL(filePath: "/tmp"), named: "cs-\(UInt32.random(in: 0 ... .max))")
        let (home, keys) = (folder.url.path, folder.appending("gnupg").path)
        try FileManager.default.createDirectory(
            atPath: keys, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        let variables = [
            "HOME": home, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "GNUPGHOME": keys,
            "PASSWORD_STORE_DIR": "\(home)/store", "GOPASS_HOMEDIR": home,
        ]
        func run(_ command: [String], input: String? = nil) async throws {
            let outcome = try await ChildProcess.run(
                try #require(Peers.program(command[0])), Array(command.dropFirst()), environment: variables,
                input: input.map { Data($0.utf8) }, in: folder.url)
            #expect(outcome.status == 0, "\(command): \(outcome)")
        }
        try await run([
            "gpg", "--batch", "--pinentry-mode", "loopback", "--passphrase", "", "--quick-generate-key",
            "robin@household.example", "future-default", "default", "never",
        ])
        // Both keep one file for each entry, encrypted for the key that the store names.
        try await run(["pass", "init", "robin@household.example"])
        try await run(
            ["pass", "insert", "--multiline", "banks/mine"], input: "lovelace-1843\nurl: https://bank.example\n")
        let secret = try await CredentialProgram(["/usr/bin/\(name)", "show", "banks/mine"]).credential(
            named: "password", ofBank: "mine", variables: variables)
        #expect(secret.revealed() == "lovelace-1843")
        try await run(["gpgconf", "--kill", "gpg-agent"])
    }

    @Test("is not waited for any longer when the run's credentials are wiped")
    func wiped() async throws {
        let given = GivenCredentials()
        let question = given.asked(for: "password") {
            try await Task.sleep(for: .seconds(3600))
            return Secret("too late")
        }
        given.wipe()
        await #expect(throws: CancellationError.self) { try await question.value }
    }
}
