import BrokerClient
import Clocks
import CurlClient
import DeviceTrust
import Encodings
import Foundation
import GRDB
import Machine
import Messages
import Secrets
import Signer
import TestParties
import Testing

@testable import Broker
@testable import BrokerStore

@Suite("The broker's identity", .timeLimit(.minutes(3)))
struct IdentityTests {
    @Test("is made at the first start and survives restarts")
    func stays() async throws {
        let stage = try BrokerStage()
        try await stage.run { _ in }
        let first = try stage.administration().identity()
        try await stage.run { _ in }
        let second = try stage.administration().identity()
        #expect(first.server == second.server)
        #expect(first.fingerprint == second.fingerprint)
        #expect(first.certificate == second.certificate)
        #expect(try BrokerCertificate.expiry(first.certificate) > Date().addingTimeInterval(9 * 365 * 86_400))
        let other = try BrokerStage()
        try await other.run { _ in }
        #expect(try other.administration().identity().server != first.server)
    }

    @Test("a broker with another sealing secret does not start and names the remedy")
    func otherSecret() async throws {
        let stage = try BrokerStage()
        try await stage.run { _ in }
        var configuration = stage.configuration
        configuration.sealing = Sealing(Secret(String(repeating: "another ", count: 5)))
        let error = await #expect(throws: StoreError.self) { try await stage.run(configuration) { _ in } }
        #expect(error?.message.contains("BROKER_SEALING_SECRET") == true)
        #expect(error?.message.contains("another another") == false)
        try await stage.run { _ in }
    }

    @Test("pairing fails when the broker does not run, or with another sealing secret")
    func administration() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let wrong = try BrokerAdministration(
                environment: [
                    "BROKER_DATABASE_PATH": stage.database.path,
                    "BROKER_PHONE_SHARED_SECRET": "a wrong secret of more than thirty-two bytes",
                ])
            let error = await #expect(throws: StoreError.self) {
                try await wrong.openPairing(life: .seconds(60), name: nil)
            }
            #expect(error?.message.contains("BROKER_SEALING_SECRET") == true)
            let none = try BrokerAdministration(environment: ["BROKER_DATABASE_PATH": stage.database.path])
            await #expect(throws: BrokerConfigurationError.self) {
                try await none.openPairing(life: .seconds(60), name: nil)
            }
            #expect(try stage.administration().isRunning)
        }
        let error = await #expect(throws: StoreError.self) {
            try await stage.administration().openPairing(life: .seconds(60), name: nil)
        }
        #expect(error?.message.contains("no broker is running") == true)
    }

    @Test("its own certificate is served beyond loopback and matches the identity")
    func certificate() async throws {
        let stage = try BrokerStage()
        var configuration = stage.configuration
        configuration.host = "0.0.0.0"
        configuration.usesOwnCertificate = true
        try await stage.run(configuration) { stage in
            let port = try #require(stage.port)
            let identity = try stage.administration().identity()
            #expect(
                try stage.administration().listening() == BrokerListening(port: port, certificate: identity.fingerprint)
            )
            let known = AgentClient(
                baseURL: "https://127.0.0.1:\(port)", token: Secret(BrokerStage.agentToken),
                authority: stage.database.deletingLastPathComponent().appending(path: "broker.pem"))
            #expect(try await known.requestStatement(month: 1, year: 2026).status == .pendingApproval)
            await known.close()
            let unknown = AgentClient(baseURL: "https://127.0.0.1:\(port)", token: Secret(BrokerStage.agentToken))
            await #expect(throws: AgentError.self) { try await unknown.page() }
            await unknown.close()
        }
    }

    @Test("a pairing's payload has the address and the certificate that the phone will see")
    func endpoint() async throws {
        let stage = try BrokerStage()
        var configuration = stage.configuration
        configuration.host = "0.0.0.0"
        configuration.usesOwnCertificate = true
        try await stage.run(configuration) { stage in
            let port = try #require(stage.port)
            let broker = try stage.administration(["BROKER_HOST": "0.0.0.0"])
            let payload = try await broker.openPairing(life: .seconds(60), name: nil).payload
            #expect(payload.certificate == (try broker.identity()).fingerprint)
            #expect(payload.endpoint.hasPrefix("https://") && payload.endpoint.hasSuffix(":\(port)"))
            #expect(!payload.endpoint.contains("0.0.0.0"), "an address that can be gone to")
            let near = try stage.administration(["BROKER_HOST": "::1"]).endpoint()
            #expect(near == "https://[::1]:\(port)")
            let told = try stage.administration(["BROKER_ENDPOINT": "https://broker.home:443/"]).endpoint()
            #expect(told == "https://broker.home:443")
            #expect(throws: BrokerConfigurationError.self) {
                try stage.administration(["BROKER_ENDPOINT": "ftp://broker.home"]).endpoint()
            }
        }
    }

    @Test("an earlier database keeps working: used nonces stay used, requests belong to the default device")
    func migration() async throws {
        let stage = try BrokerStage()
        try PrivateFolder.make(stage.database.deletingLastPathComponent())
        let nonce = Nonce()
        let old = try DatabaseQueue(path: stage.database.path)
        try Schema.migrator.migrate(old, upTo: "2 deadlines on a clock that only goes forward")
        let ids = [RequestID(), RequestID()]
        let now = Timestamp(stage.clock.now)
        let later = Timestamp(now.date.addingTimeInterval(300))
        for id in ids {
            let envelope = RequestEnvelope(
                requestID: id, bankID: "default", period: MonthYear(month: 1, year: 2026)!, issuedAt: now,
                approvalExpiresAt: later)
            try await old.write { db in
                try db.execute(
                    sql: """
                        INSERT INTO pending_requests (id, request_type, parameters_json, nonce, signed_envelope_json,
                            status, created_at, updated_at, approval_expires_at, execution_timeout_at, completion_nonce)
                        VALUES (?, 'statement', ?, ?, ?, ?, ?, ?, ?, ?, ?)
                        """,
                    arguments: [
                        id.description, envelope.parameters.compactText(), envelope.nonce.description,
                        envelope.signed(with: stage.secret).json.compactText(),
                        id == ids[0] ? "COMPLETED" : "APPROVED", now.description, now.description, later.description,
                        later.description, id == ids[0] ? nonce.description : nil,
                    ])
                guard id == ids[0] else { return }
                try db.execute(
                    sql: """
                        INSERT INTO completion_manifests (request_id, filename, sha256, bytes, completed_at, nonce,
                            signature, manifest_json, verified_at) VALUES (?, 'x', 'x', 1, 'x', ?, 'x', '{}', 'x')
                        """, arguments: [id.description, nonce.description])
            }
        }
        try old.close()
        try await stage.run { stage in
            try await stage.refusesDelivery(of: ids[1], signedWith: stage.secret, nonce: nonce)
            #expect(try await stage.send("POST", "/phone/requests/\(ids[1])/started", as: .phone, [:]).status == 200)
            try stage.publish(ids[1])
            #expect(try await stage.waiting("/request/\(ids[1])?wait=30")["status"] == "COMPLETED")
        }
    }

    @Test("a sealed value opens only with its own secret and purpose, and not when a bit is changed")
    func sealing() throws {
        let sealing = Sealing(Secret(String(repeating: "a", count: 32)))
        let sealed = try sealing.seal(Secret("a sealed secret"), as: "device/1/secret")
        #expect(try sealing.open(sealed, as: "device/1/secret").revealed() == "a sealed secret")
        #expect(throws: StoreError.self) { try sealing.open(sealed, as: "device/2/secret") }
        let other = Sealing(Secret(String(repeating: "b", count: 32)))
        #expect(throws: StoreError.self) { try other.open(sealed, as: "device/1/secret") }
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(throws: StoreError.self) { try sealing.open(changed, as: "device/1/secret") }
        }
        #expect(throws: StoreError.self) { try sealing.open(Data(), as: "device/1/secret") }
        #expect(
            try sealing.seal(Secret("a sealed secret"), as: "x") != sealing.seal(Secret("a sealed secret"), as: "x"))
    }

    @Test("the database contains no secret, code, token or private key in any encoding")
    func nothingInTheClear() async throws {
        let stage = try BrokerStage()
        let canaries = Canaries()
        try await stage.run { stage in
            let broker = try stage.administration()
            let open = try await broker.openPairing(life: .seconds(60), name: nil)
            canaries.add(open.payload.code.code.revealed())
            canaries.add(open.payload.code.written.revealed())
            canaries.add(open.payload.uri.revealed())
            let claim = try await stage.claim(open)
            #expect(try await broker.pairings.confirm(open.session))
            #expect(try await stage.pairingCall(open.session.session, "finish", claim.finish).status == 200)
            let phone = PairedPhone(
                stage, id: claim.hello.deviceID, key: VaultDeviceKey(), credentials: claim.credentials,
                server: claim.server.id)
            canaries.add(claim.credentials)
            let rotation = PhoneRotation(deviceID: phone.id, secret: claim.credentials.sharedSecret)
            let answer = try await phone.send("POST", "/phone/device/rotate", rotation.message)
            let next = try rotation.credentials(answer: answer.json)
            canaries.add(next)
            #expect(try await phone.with(next).pending().isEmpty)
            let second = try await broker.openPairing(life: .seconds(60), name: nil)
            canaries.add(second.payload.code.code.revealed())
            let keys = try stage.privateKeys(of: broker)
            for key in keys { canaries.add(bytes: key) }
            canaries.add(BrokerStage.phoneToken)
            canaries.add("a shared secret of more than thirty-two bytes")
            try stage.look(for: canaries)
        }
        try stage.look(for: canaries)
        #expect(canaries.all.count > 60)
    }
}

/// Secrets that must not appear anywhere, in every encoding.
final class Canaries: @unchecked Sendable {
    private(set) var all: [Data] = []

    func add(_ text: String) { add(bytes: Data(text.utf8)) }

    func add(_ credentials: DeviceCredentials) {
        for secret in [credentials.token, credentials.sharedSecret] {
            let text = secret.revealed()
            add(text)
            add(bytes: Data(text.replacing("cs1.", with: "").utf8))
            // The 32 bytes that the text encodes.
            let base64 = text.replacing("cs1.", with: "").replacing("-", with: "+").replacing("_", with: "/") + "="
            if let raw = Data(base64Encoded: base64) { add(bytes: raw) }
        }
    }

    func add(bytes: Data) {
        let hex = bytes.map { String(format: "%02x", $0) }.joined()
        let base64 = bytes.base64EncodedString().replacing("=", with: "")
        let url = base64.replacing("+", with: "-").replacing("/", with: "_")
        all += [bytes, Data(hex.utf8), Data(hex.uppercased().utf8), Data(base64.utf8), Data(url.utf8)]
    }
}

extension BrokerStage {
    /// Returns the broker's private keys, unsealed as the broker does.
    fileprivate func privateKeys(of broker: BrokerAdministration) throws -> [Data] {
        let sealing = Sealing(secret)
        let sealed = try broker.database.pool.read { db in
            try Row.fetchOne(db, sql: "SELECT agreement_sealed, certificate_key_sealed FROM broker_identity").map {
                ($0["agreement_sealed"] as Data, $0["certificate_key_sealed"] as Data)
            }
        }
        let found = try #require(sealed)
        return [
            try sealing.open(found.0, as: "identity/agreement").withUnsafeBytes { Data($0) },
            try sealing.open(found.1, as: "identity/certificate").withUnsafeBytes { Data($0) },
        ]
    }

    /// Searches every file of the broker, including SQLite's side files.
    fileprivate func look(for canaries: Canaries) throws {
        let folder = database.deletingLastPathComponent()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.contains("broker.sqlite"))
        for name in names {
            let file = folder.appending(path: name)
            guard let data = try? Data(contentsOf: file) else { continue }
            for (index, canary) in canaries.all.enumerated() {
                #expect(data.range(of: canary) == nil, "canary \(index) is in \(name)")
            }
        }
        for line in logged {
            for canary in canaries.all { #expect(Data(line.utf8).range(of: canary) == nil, "in the log") }
        }
    }
}
