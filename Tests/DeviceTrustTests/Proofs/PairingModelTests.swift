import Crypto
import Encodings
import Foundation
import Messages
import Secrets
import TestSupport
import Testing

@testable import DeviceTrust

/// The models of docs/proofs describe this code: their members, labels and order are the ones that it signs and hashes.
@Suite("The proofs' models of pairing and rotation")
struct PairingModelTests {
    private let model: ProofModel

    init() throws { model = try ProofModel("pairing.pvl") }

    @Test("have the members of the code's messages, in canonical order")
    func members() async throws {
        let stage = try PairingStage()
        let offer = try stage.broker(hearing: stage.phone.begin).offer
        #expect(try model.members(of: "hello").map(\.name) == stage.phone.hello.json.names)
        #expect(try model.members(of: "offer").map(\.name) == offer.json.names)
        let rotation = try ProofModel("rotation.pvl")
        let phone = PhoneRotation(deviceID: DeviceID(), secret: Secret("a secret"))
        #expect(try rotation.members(of: "device").map(\.name) == phone.message.names)
        let broker = try BrokerRotation(message: phone.message, deviceID: DeviceID(), secret: Secret("a secret"))
        #expect(try rotation.members(of: "server").map(\.name) == broker.answer.names.filter { $0 != "proof" })
    }

    @Test("hash, sign and derive what the code does")
    func pairing() async throws {
        let stage = try PairingStage()
        let hello = stage.phone.hello
        let offer = try stage.broker(hearing: stage.phone.begin).offer
        let transcript = PairingTranscript(hello: hello, offer: offer)
        #expect(try model.members(of: "pairing").map(\.name) == ["hello", "offer", "purpose", "version"])
        #expect(
            try transcript.hash
                == hash([
                    "hello": hello.json, "offer": offer.json, "purpose": .string(model.text("text", "purpose_pairing")),
                    "version": .string(model.text("text", "version_2")),
                ]))
        #expect(try transcript.keyProofPayload == Array(model.text("prefix", "pairing_key").utf8) + transcript.hash)
        #expect(try transcript.finishPayload == Array(model.text("prefix", "pairing_finish").utf8) + transcript.hash)
        let words = try SHA256.hash(data: Data(model.text("prefix", "pairing_words").utf8) + transcript.hash)
        #expect(transcript.words == ConfirmationWords(words.prefix(ConfirmationWords.count)))
    }

    @Test("derive the same keys from the agreements and the code, in the same order")
    func keys() async throws {
        let stage = try PairingStage()
        let offer = try stage.broker(hearing: stage.phone.begin).offer
        let transcript = PairingTranscript(hello: stage.phone.hello, offer: offer)
        let parts = [
            "of_ephemerals": Secret("the agreement of the fresh keys"),
            "with_identity": Secret("that with the lasting key"),
            "of_shares": Secret("that of the shares"), "code": stage.code.code,
        ]
        let all = try String(contentsOf: Repository.file("docs/proofs/material-all.pvl"), encoding: .utf8)
        let order = try #require(all.firstMatch(of: /=\n  \(([a-z_, ]+)\)\.\n/)).1.split(separator: ", ")
        let material = Secret.joined(try order.map { try #require(parts[String($0)]) })
        #expect(order.count == parts.count)
        let keys = PairingKeys(
            ephemeral: SharedSecretBytes(parts["of_ephemerals"]!), identity: SharedSecretBytes(parts["with_identity"]!),
            agreed: SharedSecretBytes(parts["of_shares"]!), share: offer.share, code: stage.code, transcript: transcript
        )
        let salt = Array(SHA256.hash(data: Data(transcript.hash) + Data(offer.share.description.utf8)))
        func key(_ label: String) throws -> Secret {
            KeyDerivation.key(from: material, salt: salt, info: try model.text("info", label))
        }
        func proof(_ label: String) throws -> [UInt8] {
            KeyDerivation.authentication(of: transcript.hash, under: try key(label))
        }
        #expect(try keys.phoneProof == proof("phone_proof"))
        #expect(try keys.brokerProof == proof("broker_proof"))
        let credentials = DeviceCredentials(sharedSecret: try key("shared_secret"), token: try key("device_token"))
        #expect(keys.credentials.sharedSecret.isEqual(to: credentials.sharedSecret))
        #expect(keys.credentials.token.isEqual(to: credentials.token))
        #expect(Set(try model.names("info").map { try model.text("info", $0) }).count == 4)
    }

    @Test("stand for the same point of a code")
    func point() throws {
        let code = PairingCode(session: 17)
        let prefix = try model.text("prefix", "pairing_point") + "17\0" + code.code.revealed()
        let point = (UInt8(0)..<64).lazy.compactMap { number in
            CodeGenerator.point(x: Array(SHA256.hash(data: Data(prefix.utf8) + [number])))
        }.first
        #expect(try CodeGenerator.generator(of: code).x963Representation == point?.x963Representation)
    }

    @Test("make a rotation's proof and credentials as the code does")
    func rotation() throws {
        let model = try ProofModel("rotation.pvl")
        let (id, secret, ephemeral) = (DeviceID(), Secret("the secret until now"), AgreementPrivateKey())
        let phone = PhoneRotation(deviceID: id, secret: secret, ephemeral: ephemeral, nonce: Nonce())
        let broker = try BrokerRotation(message: phone.message, deviceID: id, secret: secret)
        #expect(
            try model.members(of: "rotation").map(\.name) == ["device", "device_id", "purpose", "server", "version"])
        var server = try #require(broker.answer.objectValue)
        server["proof"] = nil
        let salt = try hash([
            "device": phone.message, "device_id": .string(id.description),
            "purpose": .string(model.text("text", "purpose_rotation")), "server": .object(server),
            "version": .string(model.text("text", "version_1")),
        ])
        let theirs = try #require(server["server_ephemeral"]?.stringValue.flatMap { AgreementPublicKey($0) })
        let material = Secret.joined([try ephemeral.agreement(with: theirs).secret, secret])
        func key(_ label: String) throws -> Secret {
            KeyDerivation.key(from: material, salt: salt, info: try model.text("info", label))
        }
        let proof = KeyDerivation.authentication(of: salt, under: try key("broker_proof"))
        #expect(broker.answer["proof"]?.stringValue == Base64URL.encode(proof))
        let credentials = DeviceCredentials(sharedSecret: try key("shared_secret"), token: try key("device_token"))
        #expect(broker.credentials.sharedSecret.isEqual(to: credentials.sharedSecret))
        #expect(broker.credentials.token.isEqual(to: credentials.token))
    }

    private func hash(_ members: [String: JSONValue]) throws -> [UInt8] {
        Array(SHA256.hash(data: try JSONValue.object(members).canonicalBytes()))
    }
}

extension JSONValue {
    /// The names of an object's members, in canonical order.
    var names: [String] { (objectValue ?? [:]).keys.sorted() }
}
