import Broker
import BrokerStore
import CurlClient
import DeviceTrust
import Encodings
import Foundation
import QRCode
import Secrets
import TestSupport
import Testing

@Suite("Pairing at the terminal", .timeLimit(.minutes(4)))
struct PairCommandTests {
    @Test("shows a code, asks once both show the same words, and lists the new device")
    func whole() async throws {
        let broker = try BrokerProcess()
        let serving = try await broker.start()
        let pair = try Program(["pair", "--json", "--name", "Anna's telephone"], environment: broker.environment)
        let shown = try await pair.step(0)
        #expect(shown["status"] == "OPEN")
        let uri = Secret(try #require(shown["uri"]?.stringValue))
        let payload = try PairingPayload(uri)
        #expect(payload.endpoint == broker.url && payload.certificate == nil)
        #expect(shown["expires_at"]?.stringValue == payload.expiresAt.description)
        #expect(shown["code"]?.stringValue == payload.code.written.revealed())
        #expect(try PairingPayload(Secret(try #require(shown["payload"]).compactText())).server == payload.server)

        let phone = try PhonePairing(name: "Telephone", key: VaultDeviceKey())
        let begun = try await broker.post("/pairing/\(payload.code.session)/begin", phone.begin)
        let claim = try await phone.claim(
            begun.json, code: payload.code, payload: payload, connection: .plain, at: Date())
        try claim.check(try await broker.post("/pairing/\(payload.code.session)/claim", claim.message).json)
        let asked = try await pair.step(1)
        #expect(asked["status"] == "CLAIMED" && asked["device_name"] == "Telephone")
        #expect(asked["words"]?.stringValue == claim.words.description)
        try pair.write("y")
        var done = try await broker.post("/pairing/\(payload.code.session)/finish", claim.finish)
        while done.status == 202 {
            done = try await broker.post("/pairing/\(payload.code.session)/finish", claim.finish)
        }
        #expect(done.status == 200, "\(done.json)")
        #expect(try await pair.status() == 0)
        let id = claim.hello.deviceID.description
        #expect(
            try await pair.step(2) == ["status": "DONE", "device_id": .string(id), "device_name": "Anna's telephone"])

        let list = try await Program.run(["devices", "list", "--json"], environment: broker.environment)
        let device = try #require(try JSONReader.read(list.output)["devices"]?.arrayValue?.first)
        #expect(device["device_id"]?.stringValue == id && device["device_name"] == "Anna's telephone")
        let token = claim.credentials.token.revealed()
        #expect(try await broker.pending(token).status == 200)

        let short = String(id.prefix(8))
        for (arguments, word) in [
            (["rename", short, "Tablet"], "is now called “Tablet”"), (["rotate", "Tablet"], "at its next call"),
        ] {
            let said = try await Program.run(["devices"] + arguments, environment: broker.environment)
            #expect(said.status == 0 && said.output.contains(word), "\(said)")
        }
        #expect(try await broker.pending(token).json["rotation_requested"] == true)
        let removed = try await Program.run(["devices", "remove", "Tablet", "--json"], environment: broker.environment)
        #expect(try JSONReader.read(removed.output)["removed"] == true)
        #expect(try await broker.pending(token).status == 401, "at once")
        let nobody = try await Program.run(["devices", "remove", "Tablet"], environment: broker.environment)
        #expect(nobody.status == 1 && nobody.errors.contains("no device is paired"))

        let audit = try await Program.run(["broker", "audit", "--json"], environment: broker.environment)
        for type in ["pairing.opened", "pairing.claimed", "device.paired", "device.renamed", "device.removed"] {
            #expect(audit.output.contains(type), "\(type)")
        }
        serving.signal(SIGTERM)
        #expect(try await serving.status() == 0)
        let outputs = [list.output, removed.output, audit.output, serving.errors, pair.errors]
        for secret in [claim.credentials.token, claim.credentials.sharedSecret, payload.code.code] {
            for output in outputs { #expect(!output.contains(secret.revealed())) }
        }
        #expect(!pair.printed.contains(token) && !pair.printed.contains(claim.credentials.sharedSecret.revealed()))
    }

    @Test(
        "a refusal pairs no device, and the phone learns of it; so does the end of a program's input",
        arguments: ["n", #"{"same_words":false}"#, nil])
    func denied(answer given: String?) async throws {
        let broker = try BrokerProcess()
        let serving = try await broker.start()
        let pair = try Program(["pair", "--json"], environment: broker.environment)
        let payload = try PairingPayload(Secret(try #require(try await pair.step(0)["uri"]?.stringValue)))
        let phone = try PhonePairing(name: "Telephone", key: VaultDeviceKey())
        let path = "/pairing/\(payload.code.session)"
        let begun = try await broker.post("\(path)/begin", phone.begin)
        let claim = try await phone.claim(
            begun.json, code: payload.code, payload: payload, connection: .plain, at: Date())
        #expect(try await broker.post("\(path)/claim", claim.message).status == 200)
        _ = try await pair.step(1)
        if let given { try pair.write(given) } else { pair.endInput() }
        #expect(try await pair.status() == 1)
        let ended = try await pair.step(2)
        #expect(ended["status"] == "ENDED" && ended["reason"] == "DENIED")
        #expect(ended["message"] == "the device was not paired" && !pair.errors.contains("[y/N]"))
        let answer = try await broker.post("\(path)/finish", claim.finish)
        #expect(answer.status == 403 && answer.json["error_code"] == "PAIRING_DENIED")
        let list = try await Program.run(["devices", "list"], environment: broker.environment)
        #expect(list.output.contains("no device is paired"))
        serving.signal(SIGTERM)
        #expect(try await serving.status() == 0)
    }

    @Test(
        "a pairing whose time is over ends without an answer, also while the input stays open",
        arguments: [true, false])
    func unanswered(isPart: Bool) async throws {
        let broker = try BrokerProcess()
        let serving = try await broker.start()
        let pair = try Program(["pair", "--json", "--ttl", "10"], environment: broker.environment)
        let payload = try PairingPayload(Secret(try #require(try await pair.step(0)["uri"]?.stringValue)))
        _ = try await broker.claim(payload)
        _ = try await pair.step(1)
        // An answer is a whole line.
        if isPart { try pair.write("yes", endingLine: false) }
        #expect(try await pair.status() == 1)
        let ended = try await pair.step(2)
        #expect(ended["status"] == "ENDED" && ended["reason"] == "EXPIRED")
        let list = try await Program.run(["devices", "list"], environment: broker.environment)
        #expect(list.output.contains("no device is paired"))
        serving.signal(SIGTERM)
        #expect(try await serving.status() == 0)
    }

    @Test("a device that was let in just before Ctrl-C is told of", arguments: [["--json"], []])
    func letIn(arguments: [String]) async throws {
        let broker = try BrokerProcess()
        let serving = try await broker.start()
        let pair = try Program(["pair", "--yes"] + arguments, environment: broker.environment)
        var shown: String?
        if arguments.isEmpty {
            let end = ContinuousClock.now + .seconds(60)
            while shown == nil {
                try #require(ContinuousClock.now < end, "\(pair.errors)")
                try await Task.sleep(for: .milliseconds(20))
                shown = pair.printed.firstMatch(of: /(countersign:\/\/pair\?\S+)\n/).map { String($0.1) }
            }
        } else {
            shown = try await pair.step(0)["uri"]?.stringValue
        }
        let payload = try PairingPayload(Secret(try #require(shown)))
        let finish = try await broker.claim(payload)
        var done = try await broker.post("/pairing/\(payload.code.session)/finish", finish)
        while done.status == 202 {
            done = try await broker.post("/pairing/\(payload.code.session)/finish", finish)
        }
        pair.signal(SIGTERM)
        #expect(done.status == 200, "\(done.json)")
        #expect(try await pair.status() == 0, "\(pair.errors)")
        #expect(pair.printed.contains(arguments.isEmpty ? "Paired: Telephone" : #""status":"DONE""#), "\(pair.printed)")
        #expect(!pair.errors.contains("cancelled"))
        serving.signal(SIGTERM)
        #expect(try await serving.status() == 0)
    }

    @Test("Ctrl-C ends the session at once, and deletes the picture of the code", arguments: [SIGINT, SIGTERM])
    func cancelled(signal: Int32) async throws {
        let broker = try BrokerProcess()
        let serving = try await broker.start()
        let picture = broker.root.appending(path: "pairing.png")
        let pair = try Program(["pair", "--json", "--png", picture.path], environment: broker.environment)
        let uri = try #require(try await pair.step(0)["uri"]?.stringValue)
        #expect(try await QRCodeReader.texts(in: picture).map { $0.revealed() } == [uri])
        let mode = try FileManager.default.attributesOfItem(atPath: picture.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        pair.signal(signal)
        #expect(try await pair.status() == 128 + signal)
        #expect(!FileManager.default.fileExists(atPath: picture.path))
        let payload = try PairingPayload(Secret(uri))
        let phone = try PhonePairing(name: "Telephone", key: VaultDeviceKey())
        let answer = try await broker.post("/pairing/\(payload.code.session)/begin", phone.begin)
        #expect(answer.status == 410 && answer.json["error_code"] == "PAIRING_OVER")
        serving.signal(SIGTERM)
        #expect(try await serving.status() == 0)
    }

    @Test("the QR code fits a terminal of 80 columns, with the code to type below it")
    func terminal() async throws {
        let broker = try BrokerProcess()
        let serving = try await broker.start()
        let pair = try Program(["pair", "--ttl", "10"], environment: broker.environment)
        #expect(try await pair.status() == 1)
        #expect(pair.errors.contains("the pairing expired"))
        let lines = pair.printed.split(separator: "\n").map { $0.replacing(/\u{1B}\[[0-9;]*m/, with: "") }
        let code = lines.filter { $0.contains("█") }
        #expect(code.count > 20 && code.allSatisfy { $0.count <= 80 }, "\(code.first?.count ?? 0)")
        let uri = try #require(lines.first { $0.hasPrefix("countersign://pair?v=1&id=") })
        let session = try PairingPayload(Secret(String(uri))).code.session
        #expect(lines.contains { $0.hasPrefix("Code: \(session)-") && $0.hasSuffix("at \(broker.url)") })
        serving.signal(SIGTERM)
        #expect(try await serving.status() == 0)
    }

    @Test("is refused without a running broker, with a wrong secret, and with invalid options")
    func refused() async throws {
        let broker = try BrokerProcess()
        let none = try await Program.run(["pair"], environment: broker.environment)
        #expect(none.status == 1 && none.errors.contains("does not exist"))
        for command in [["broker", "identity"], ["devices", "list"]] {
            let outcome = try await Program.run(command, environment: broker.environment)
            #expect(outcome.status == 1 && outcome.errors.contains("BROKER_DATABASE_PATH"))
        }
        let serving = try await broker.start()
        var environment = broker.environment
        environment["BROKER_SEALING_SECRET"] = "another secret of more than thirty-two bytes"
        let other = try await Program.run(["pair"], environment: environment)
        #expect(other.status == 1 && other.errors.contains("BROKER_SEALING_SECRET"))
        environment["BROKER_SEALING_SECRET"] = nil
        environment["BROKER_PHONE_SHARED_SECRET"] = nil
        // Without the secret that the broker made for itself, the database is taken for one of an earlier version.
        let own = SealingFile(besideDatabase: broker.database).file
        try FileManager.default.moveItem(at: own, to: broker.root.appending(path: "aside"))
        let unset = try await Program.run(["pair"], environment: environment)
        #expect(unset.status == 2 && unset.errors.contains("BROKER_PHONE_SHARED_SECRET is not set"))
        for arguments in [["--ttl", "301"], ["--ttl", "9"], ["--name", " "], ["--name", "a\u{202E}b"]] {
            #expect(try await Program.run(["pair"] + arguments, environment: broker.environment).status == 2)
        }
        let identity = try await Program.run(["broker", "identity", "--json"], environment: broker.environment)
        let shown = try JSONReader.read(identity.output)
        #expect(shown["server_id"]?.stringValue.flatMap { ServerID($0) } != nil)
        #expect(shown["server_pubkey"]?.stringValue.flatMap { AgreementPublicKey($0) } != nil)
        #expect(shown["certificate_sha256"]?.stringValue.flatMap { CertificateFingerprint($0) } != nil)
        #expect(shown["endpoint"]?.stringValue == broker.url && shown["tls_sha256"] == .null)
        serving.signal(SIGTERM)
        #expect(try await serving.status() == 0)
        let ended = try await Program.run(["pair"], environment: broker.environment)
        #expect(ended.status == 1 && ended.errors.contains("no broker is running"))
        let text = try await Program.run(["broker", "identity"], environment: broker.environment)
        #expect(text.output.contains(try #require(shown["server_id"]?.stringValue)))
        #expect(text.output.contains("no broker is running"))
    }

    @Test("without Avahi the broker logs one line and continues")
    func withoutAvahi() async throws {
        let broker = try BrokerProcess()
        var environment = broker.environment
        environment["BROKER_DISCOVERY"] = "on"
        environment["PATH"] = "/nonexistent"
        let program = try Program(["broker", "serve", "--no-telegram"], environment: environment)
        let end = ContinuousClock.now + .seconds(60)
        while !program.errors.contains("not announced") {
            try #require(ContinuousClock.now < end, "\(program.errors)")
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(program.errors.contains("avahi-publish is not installed"))
        #expect(program.errors.split(separator: "\n").filter { $0.contains("announced") }.count == 1)
        let check = try await Program.run(["broker", "check", "--no-telegram"], environment: environment)
        #expect(check.status == 0, "\(check)")
        program.signal(SIGTERM)
        #expect(try await program.status() == 0)
    }

    @Test("with paired devices only, neither broker nor check needs a phone's token")
    func withoutDefault() async throws {
        let broker = try BrokerProcess()
        var environment = broker.environment
        for name in ["PHONE_API_TOKEN", "BROKER_PHONE_SHARED_SECRET"] { environment[name] = nil }
        environment["BROKER_DEFAULT_DEVICE"] = "off"
        let unset = try await Program.run(["broker", "serve", "--no-telegram"], environment: environment)
        #expect(unset.status == 2 && unset.errors.contains("BROKER_SEALING_SECRET is not set"))
        environment["BROKER_SEALING_SECRET"] = "a sealing secret of more than thirty-two bytes"
        let program = try Program(["broker", "serve", "--no-telegram"], environment: environment)
        let end = ContinuousClock.now + .seconds(60)
        while !program.errors.contains("broker is ready") {
            try #require(ContinuousClock.now < end, "\(program.errors)")
            try await Task.sleep(for: .milliseconds(20))
        }
        let check = try await Program.run(["broker", "check", "--no-telegram"], environment: environment)
        #expect(check.status == 0 && check.output.split(separator: "\n").count == 3, "\(check)")
        #expect(try await broker.pending(BrokerProcess.phoneToken).status == 401)
        let pair = try Program(["pair", "--json"], environment: environment)
        #expect(try await pair.step(0)["status"] == "OPEN")
        pair.signal(SIGINT)
        #expect(try await pair.status() == 128 + SIGINT)
        program.signal(SIGTERM)
        #expect(try await program.status() == 0)
    }

    @Test("policy lint names the line of an error")
    func policy() async throws {
        let broker = try BrokerProcess()
        let file = broker.root.appending(path: "policy.yaml")
        try Data("version: 1\nrules:\n  - bank: \"*\"\n    devices: 2\n    reason: two see more\n".utf8).write(to: file)
        let good = try await Program.run(["broker", "policy", "lint", file.path])
        #expect(good.status == 0 && good.output.contains("1 rule, no problems"))
        try Data("version: 1\nrules:\n  - bank: x\n    require: [retina]\n    reason: y\n".utf8).write(to: file)
        let bad = try await Program.run(["broker", "policy", "lint", file.path])
        #expect(bad.status == 3 && bad.output.contains("policy.yaml:4:"), "\(bad)")
        let json = try await Program.run(["broker", "policy", "lint", "--json", file.path])
        #expect(try JSONReader.read(json.output)["problems"]?.arrayValue?.first?["line"] == 4)
        #expect(try await Program.run(["broker", "policy", "lint", "/no/such/file"]).status == 2)
    }
}

extension Program {
    /// Waits for a line of output, and returns its JSON object.
    fileprivate func step(_ index: Int) async throws -> JSONValue {
        let end = ContinuousClock.now + .seconds(60)
        while printed.filter({ $0 == "\n" }).count <= index {
            try #require(ContinuousClock.now < end, "nothing more came: \(errors)")
            try await Task.sleep(for: .milliseconds(20))
        }
        return try JSONReader.read(String(printed.split(separator: "\n")[index]))
    }
}

extension BrokerProcess {
    /// Claims a pairing as a phone does.
    ///
    /// - Returns: the message with which the phone finishes.
    fileprivate func claim(_ payload: PairingPayload) async throws -> JSONValue {
        let path = "/pairing/\(payload.code.session)"
        let phone = try PhonePairing(name: "Telephone", key: VaultDeviceKey())
        let begun = try await post("\(path)/begin", phone.begin)
        let claim = try await phone.claim(
            begun.json, code: payload.code, payload: payload, connection: .plain, at: Date())
        try claim.check(try await post("\(path)/claim", claim.message).json)
        return claim.finish
    }

    fileprivate func post(_ path: String, _ json: JSONValue) async throws -> (status: Int, json: JSONValue) {
        try await exchange(HTTPRequest("POST", url + path, headers: [], body: try json.canonicalBytes()))
    }

    fileprivate func pending(_ token: String) async throws -> (status: Int, json: JSONValue) {
        try await exchange(
            HTTPRequest(
                "GET", url + "/phone/requests/pending", headers: [HTTPHeader("Authorization", "Bearer \(token)")]))
    }

    private func exchange(_ request: HTTPRequest) async throws -> (status: Int, json: JSONValue) {
        let http = CurlSession()
        let response = try await http.send(request)
        await http.close()
        return (response.status, try JSONReader.read(response.body))
    }
}
