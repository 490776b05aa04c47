import DeviceTrust
import Encodings
import Foundation
import Machine
import MockBank
import QRCode
import Secrets
import Synchronization
import TestSupport
import Testing

/// A broker that other machines could reach, a mock bank, and folders for phones.
final class PairingStage: Sendable {
    struct Invitation {
        let program: Program
        let uri: String
        let code: String
        let picture: String
    }

    let broker: BrokerProcess
    let bank: MockBankServer
    let environment: [String: String]
    /// The outputs of all programs, and the texts that must not appear in them.
    private let outputs = Mutex<[String]>([])
    private let secrets = Mutex<[String]>([])

    private static let passphrase = "a passphrase of two phones"
    private static let seed = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"

    var url: String { "https://127.0.0.1:\(broker.port)" }

    init() async throws {
        broker = try BrokerProcess()
        var configuration = MockBankConfiguration()
        configuration.acceptsCode = { $0.count == 6 }
        bank = try await MockBankServer.start(configuration)
        let root = broker.root
        for (name, text) in [
            ("passphrase.txt", Self.passphrase + "\n"),
            ("login.json", #"{"username": "robin.ashdown", "password": "correct horse"}"#),
            ("token.txt", "otpauth://totp/Meridian:robin?secret=\(Self.seed)&issuer=Meridian\n"),
            (
                "policy.yaml",
                "version: 1\nrules:\n  - bank: \"*\"\n    when: {year: 2025}\n    devices: 2\n"
                    + "    reason: last year's are for two\n"
            ),
        ] {
            try AtomicFile.write(Array(text.utf8), to: root.appending(path: name))
        }
        var environment = broker.environment
        environment["BROKER_HOST"] = "0.0.0.0"
        environment["BROKER_ENDPOINT"] = "https://127.0.0.1:\(broker.port)"
        environment["BROKER_URL"] = environment["BROKER_ENDPOINT"]
        environment["BROKER_CA_FILE"] = broker.database.deletingLastPathComponent().appending(path: "broker.pem").path
        environment["BROKER_POLICY_FILE"] = root.appending(path: "policy.yaml").path
        self.environment = environment
        secrets.withLock {
            $0 += [Self.passphrase, "correct horse", BrokerProcess.phoneToken, BrokerProcess.secret, Self.seed]
        }
    }

    func home(_ name: String) -> URL { broker.root.appending(path: name, directoryHint: .isDirectory) }

    /// The options that set up a new home.
    var setup: [String] {
        ["--inbox", broker.inbox.path, "--credentials", broker.root.appending(path: "login.json").path]
    }

    func serving(_ body: (Program) async throws -> Void) async throws {
        let program = try Program(["broker", "serve", "--no-telegram"], environment: environment)
        try await wait(for: "the broker", program) { program.errors.contains("broker is ready") }
        let result: Result<Void, any Error>
        do { result = .success(try await body(program)) } catch { result = .failure(error) }
        program.signal(SIGTERM)
        _ = try await program.status()
        keep(program.printed + program.errors)
        await bank.stop()
        try result.get()
    }

    private func wait(for what: String, _ program: Program, until isThere: () -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(60)
        while !isThere() {
            try #require(ContinuousClock.now < end, "\(what): \(program.printed) \(program.errors)")
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private func keep(_ output: String) { outputs.withLock { $0.append(output) } }

    /// Runs a command of the phone.
    func phone(_ home: URL, _ arguments: [String]) async throws -> (status: Int32, output: String, errors: String) {
        let options = ["--home", home.path]
        let passphrase =
            ["audit", "discover"].contains(arguments[0])
            ? [] : ["--passphrase-file", broker.root.appending(path: "passphrase.txt").path]
        let outcome = try await Program.run(
            ["phone"] + arguments + options + passphrase,
            environment: environment.filter { ["PHONE_API_TOKEN", "BROKER_PHONE_SHARED_SECRET"].contains($0.key) })
        keep(outcome.output + outcome.errors)
        return outcome
    }

    // MARK: Pairing

    func invite() async throws -> Invitation {
        let picture = broker.root.appending(path: "pairing-\(UUID().uuidString).png").path
        let program = try Program(["pair", "--json", "--png", picture], environment: environment)
        let shown = try await line(0, of: program)
        let uri = try #require(shown["uri"]?.stringValue)
        let code = try #require(shown["code"]?.stringValue)
        secrets.withLock { $0 += [code, String(code.drop { $0 != "-" }.dropFirst()).replacing("-", with: "")] }
        return Invitation(program: program, uri: uri, code: code, picture: picture)
    }

    /// Pairs as two people would who compare the words.
    ///
    /// - Returns: the device's id.
    func pair(_ home: URL, isSetUp: Bool = false, by arguments: (Invitation) -> [String]) async throws -> String {
        let invited = try await invite()
        let given = arguments(invited)
        let options = ["--home", home.path, "--passphrase-file", broker.root.appending(path: "passphrase.txt").path]
        let phone = try Program(["phone", "pair", "--json"] + given + options + (isSetUp ? [] : setup))
        let words = try await line(0, of: phone)["words"]
        #expect(try await line(1, of: invited.program)["words"] == words)
        try invited.program.write("y")
        #expect(try await invited.program.status() == 0, "\(invited.program.errors)")
        #expect(try await phone.status() == 0, "\(phone.errors)")
        try await wait(for: "the phone", phone) { phone.printed.contains("\"paired\":true") }
        let last = try JSONReader.read(String(phone.printed.split(separator: "\n").last ?? ""))
        let done = try await line(2, of: invited.program)
        #expect(last["device_id"] == done["device_id"])
        keep(phone.printed + phone.errors)
        return try #require(last["device_id"]?.stringValue)
    }

    private func line(_ index: Int, of program: Program) async throws -> JSONValue {
        try await wait(for: "line \(index)", program) { program.printed.filter { $0 == "\n" }.count > index }
        return try JSONReader.read(String(program.printed.split(separator: "\n")[index]))
    }

    // MARK: Statements

    func linkToken(_ home: URL, bank: String = "default") async throws {
        let root = broker.root
        let added = try await Program.run([
            "totp", "add", "--uri-file", root.appending(path: "token.txt").path, "--bank", bank, "--home",
            home.path, "--passphrase-file", root.appending(path: "passphrase.txt").path,
        ])
        #expect(added.status == 0, "\(added)")
    }

    /// - Returns: the request's id.
    func request(month: Int, year: Int, bank: String = "default") async throws -> String {
        let asked = try await Program.run(
            ["request", "--month", "\(month)", "--year", "\(year)", "--bank", bank, "--json"], environment: environment)
        #expect(asked.status == 0, "\(asked)")
        return try #require(try JSONReader.read(asked.output)["request_id"]?.stringValue)
    }

    func status(of id: String, isFinal: Bool = true) async throws -> String {
        var status = ""
        let end = ContinuousClock.now + .seconds(60)
        repeat {
            let listed = try await Program.run(["requests", "--json"], environment: environment)
            let all = listed.output.split(separator: "\n").compactMap { try? JSONReader.read(String($0)) }
            status = all.first { $0["request_id"]?.stringValue == id }?["status"]?.stringValue ?? listed.errors
            if !isFinal || ["COMPLETED", "FAILED", "EXPIRED", "DENIED"].contains(status) { break }
            try await Task.sleep(for: .milliseconds(200))
        } while ContinuousClock.now < end
        return status
    }

    // MARK: Secrets

    /// Expects that no secret is in any output, or in any file of a phone or the broker except the files with typed input.
    func expectNothingInTheClear(in homes: [URL]) throws {
        let spellings = secrets.withLock { $0 }.flatMap { secret -> [String] in
            let data = Data(secret.utf8)
            let base64 = data.base64EncodedString()
            let url = base64.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
            return [secret, data.map { String(format: "%02x", $0) }.joined(), base64, url]
        }
        for output in outputs.withLock({ $0 }) { for one in spellings { #expect(!output.contains(one)) } }
        for folder in homes + [broker.database.deletingLastPathComponent()] {
            for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
                guard let data = try? Data(contentsOf: folder.appending(path: name)) else { continue }
                for one in spellings { #expect(data.range(of: Data(one.utf8)) == nil, "\(one) in \(name)") }
            }
        }
    }
}
