import Crypto
import Encodings
import Foundation
import TestSupport
import Testing

@testable import AttestedKeys

/// The model of docs/proofs describes this code: its members, labels and order are the ones that it signs and binds.
@Suite("The proofs' model of the key release") struct KeyReleaseModelTests {
    private let model: ProofModel

    init() throws { model = try ProofModel("key-release.pvl") }

    @Test("has the claims of software evidence, and its runtime")
    func claims() throws {
        let evidence = try SoftwareEvidenceSigner(
            key: P256.Signing.PrivateKey(), measurement: String(repeating: "c", count: 64)
        ).evidence(nonce: [1], publicKey: [2], at: Date(timeIntervalSince1970: 1_800_000_000))
        let payload = try CBOR(COSESign1(evidence).payload)
        guard case .map(let members) = payload else {
            Issue.record("the claims are not a map")
            return
        }
        #expect(try model.members(of: "claims").map(\.name) == members.keys.compactMap(\.textValue).sorted())
        #expect(try model.text("text", "runtime_software") == payload[.text("runtime")]?.textValue)
    }

    @Test("has what a token is bound to, in its order")
    func binding() throws {
        let (user, connector) = (UUID(), UUID())
        let binding = TokenBinding(
            userID: user, connectorID: connector, key: KeyReference(tokenKeyID: "mk-1", tokenVersion: 3))
        let parts: [String: CBOR] = [
            "token_purpose": .text(try model.text("text", "token_purpose")),
            "user_id": .bytes(withUnsafeBytes(of: user.uuid) { Array($0) }),
            "connector_id": .bytes(withUnsafeBytes(of: connector.uuid) { Array($0) }), "token_key_id": .text("mk-1"),
            "token_version": .integer(3),
        ]
        let order = try model.members(of: "binding", "order").map { try #require(parts[$0.name]) }
        #expect(binding.bytes == CBOR.array(order).encoded)
    }

    @Test("has the labels of both encryptions")
    func labels() throws {
        #expect(Array(try model.text("text", "master_info").utf8) == MasterPublicKey.info)
        #expect(Array(try model.text("text", "answer_info").utf8) == EphemeralKey.info)
    }
}
