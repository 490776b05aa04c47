import Foundation
import TestSupport
import Testing

/// `countersign phone setup` at a terminal, where an answer can be corrected.
@Suite("Setting up a phone at a terminal")
struct SetupAtTerminalTests {
    private func files(_ broker: BrokerProcess) throws -> [String] {
        let login = broker.root.appending(path: "login.json")
        let passphrase = broker.root.appending(path: "passphrase")
        try Data(#"{"username": "robin.ashdown", "password": "correct horse"}"#.utf8).write(to: login)
        try Data("a passphrase of a person".utf8).write(to: passphrase)
        return [
            "phone", "setup", "--broker", broker.url, "--home", broker.root.appending(path: "phone").path,
            "--credentials", login.path, "--passphrase-file", passphrase.path,
        ]
    }

    private func wait(for words: String, from program: Program) async throws {
        let end = ContinuousClock.now + .seconds(60)
        while !program.printed.contains(words) {
            try #require(ContinuousClock.now < end, "“\(words)” did not come: \(program.printed)\(program.errors)")
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    @Test("a wrong answer is asked again, and the others are kept", .timeLimit(.minutes(4)))
    func corrected() async throws {
        let broker = try BrokerProcess()
        let served = try await broker.start()
        let program = try Program(
            try files(broker) + ["--inbox", "/no/such/inbox"],
            environment: [
                "PHONE_API_TOKEN": BrokerProcess.phoneToken,
                "BROKER_PHONE_SHARED_SECRET": "another secret of more than thirty-two bytes",
            ], atTerminal: true)
        try await wait(for: "empty to keep it", from: program)
        #expect(program.printed.contains("✗ shared secret: the broker signs with another secret"))
        #expect(program.printed.contains("✗ inbox:"))
        try program.write(BrokerProcess.secret)
        try await wait(for: "The synced inbox folder (empty for /no/such/inbox)", from: program)
        try program.write(broker.inbox.path)
        #expect(try await program.status() == 0, "\(program.printed)")
        #expect(program.printed.contains("The phone is set up in"))
        #expect(!program.printed.contains(BrokerProcess.secret), "a secret is typed without echo")
        served.signal(SIGTERM)
        _ = try await served.status()
    }

    @Test("asks for the credentials that the bank's script declares, and for no others", .timeLimit(.minutes(4)))
    func declared() async throws {
        let broker = try BrokerProcess()
        let served = try await broker.start()
        let scripts = broker.root.appending(path: "scripts")
        try FileManager.default.createDirectory(at: scripts, withIntermediateDirectories: true)
        let script = """
            bank: words
            name: Bank of Words
            origins: [https://words.example]
            credentials: [username, memorable_word]
            steps:
              - open: /
              - fill: { User: $username, Word: $memorable_word }
              - download: PDF
            """
        try Data(script.utf8).write(to: scripts.appending(path: "words.yaml"))
        let files = try files(broker)
        let line = files + ["--inbox", broker.inbox.path, "--bank", "words", "--scripts", scripts.path]
        let environment = [
            "PHONE_API_TOKEN": BrokerProcess.phoneToken, "BROKER_PHONE_SHARED_SECRET": BrokerProcess.secret,
        ]
        let incomplete = try Program(line, environment: environment)
        #expect(try await incomplete.status() == 2)
        #expect(
            incomplete.errors.contains(
                "has no memorable_word, which the script of “words” declares; add it to the file"),
            "\(incomplete.errors)")
        let place = try #require(line.firstIndex(of: "--credentials"))
        let asking = line[..<place] + line[(place + 2)...]
        let program = try Program(Array(asking), environment: environment, atTerminal: true)
        for name in ["username", "memorable word"] {
            try await wait(for: "Your \(name) at Bank of Words:", from: program)
            try program.write("answer")
        }
        #expect(try await program.status() == 0, "\(program.printed)")
        #expect(!program.printed.contains("Your password"))
        served.signal(SIGTERM)
        _ = try await served.status()
    }

    @Test("a secret that was copied in part is asked again, and no new one is suggested", .timeLimit(.minutes(4)))
    func short() async throws {
        let broker = try BrokerProcess()
        let program = try Program(
            try files(broker) + ["--inbox", broker.inbox.path],
            environment: ["PHONE_API_TOKEN": BrokerProcess.phoneToken, "BROKER_PHONE_SHARED_SECRET": "short"],
            atTerminal: true)
        try await wait(for: "The broker's address (empty for \(broker.url))", from: program)
        #expect(program.printed.contains("copy the broker's BROKER_PHONE_SHARED_SECRET whole"))
        #expect(!program.printed.contains("openssl"))
        program.endInput()
        #expect(try await program.status() == 1)
        #expect(program.printed.contains("nothing was written"))
        #expect(!FileManager.default.fileExists(atPath: broker.root.appending(path: "phone/vault").path))
    }
}
