import Clocks
import Crypto
import Encodings
import Foundation
import Messages
import Secrets
import TestSupport
import Testing

@testable import Signer

/// The models of docs/proofs describe this code: their members, labels and order are the ones that it signs.
@Suite("The proofs' models of signed messages")
struct SignedMessagesModelTests {
    private let model: ProofModel
    private let nonce = Nonce()

    init() throws { model = try ProofModel("messages.pvl") }

    private func names(_ json: JSONValue) -> [String] {
        (json.objectValue ?? [:]).keys.filter { $0 != "signature" }.sorted()
    }

    private func manifest(_ id: RequestID) -> CompletionManifest {
        CompletionManifest(
            requestID: id, filename: "\(id)-jan-2026.pdf", sha256: String(repeating: "0f", count: 32), bytes: 7,
            completedAt: Timestamp(issued))
    }

    @Test("have the members of the code's messages, in canonical order")
    func members() throws {
        var envelope = anEnvelope()
        let members = try model.members(of: "envelope")
        #expect(names(envelope.signed(with: secret).json) == members.filter { !$0.isOptional }.map(\.name))
        envelope.client = AgentName("ledger")
        #expect(names(envelope.signed(with: secret).json) == members.map(\.name))
        // The model has the reason within its params.
        envelope.reason = AgentReason("the tax return")
        #expect(names(envelope.signed(with: secret).json) == (members.map(\.name) + ["reason"]).sorted())
        let id = RequestID()
        #expect(names(manifest(id).signed(with: secret).json) == (try model.members(of: "manifest").map(\.name)))
        let entry = ClosingManifest.Entry(
            id: DocumentID(bankID: "default", period: try #require(MonthYear(month: 1, year: 2026)), kind: .pdf),
            outcome: .delivered(sha256: String(repeating: "0f", count: 32)))
        let closing = ClosingManifest(requestID: id, entries: [entry], completedAt: Timestamp(issued))
            .signed(with: secret).json
        #expect(names(closing) == (try model.members(of: "closing").map(\.name)))
        #expect(closing["type"]?.stringValue == (try model.text("text", "type_closing")))
        #expect(closing["version"]?.stringValue == (try model.text("text", "version_2")))
    }

    // The model has one term for each form, and so takes for granted that none can be read as another.
    @Test("are of four forms under one secret, and each needs a member that no other has")
    func forms() throws {
        let forms = try ["envelope", "manifest", "closing", "secret_check"].map { form in
            (form, try model.members(of: form))
        }
        for (form, needed) in forms {
            for (other, members) in forms where other != form {
                let missing = Set(needed.filter { !$0.isOptional }.map(\.name)).subtracting(members.map(\.name))
                #expect(!missing.isEmpty, "\(other) could be read as \(form)")
            }
        }
    }

    @Test("name the side in a proof of the secret", arguments: [SecretProof.Side.phone, .broker])
    func secretCheck(side: SecretProof.Side) throws {
        #expect(try model.members(of: "secret_check").map(\.name) == ["nonce", "side"])
        let json: JSONValue = [
            "nonce": .string(nonce.description), "side": .string(try model.text("text", "side_\(side.rawValue)")),
        ]
        let proof = SecretProof.signature(by: side, of: nonce, with: secret)
        #expect(proof == secret.signature(of: try json.canonicalBytes()))
    }

    @Test("prove a token, and name it, as the code does")
    func tokenProof() throws {
        let model = try ProofModel("token-proof.pvl")
        #expect(try model.members(of: "token_proof").map(\.name) == ["address", "client", "nonce", "purpose"])
        let key = SymmetricKey(data: SHA256.hash(data: Data("a token of this model alone".utf8)))
        func authentication(of payload: [UInt8]) -> [UInt8] {
            Array(HMAC<SHA256>.authenticationCode(for: payload, using: key))
        }
        let json: JSONValue = [
            "address": "127.0.0.1:8765", "client": "127.0.0.1:50412", "nonce": .string(nonce.description),
            "purpose": .string(try model.text("text", "purpose_proof")),
        ]
        let proof = TokenProof(token: Secret("a token of this model alone"))
        #expect(
            proof.proof(of: nonce, at: "127.0.0.1:8765", for: "127.0.0.1:50412")
                == Base64URL.encode(authentication(of: try json.canonicalBytes())))
        let name = Array(try model.text("text", "token_name").utf8)
        #expect(proof.tokenID == Base64URL.encode(Array(authentication(of: name).prefix(16))))
    }
}
