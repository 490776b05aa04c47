import Clocks
import Encodings
import Foundation
import Messages
import Secrets
import TestSupport
import Testing

@testable import DeviceTrust

/// The vectors of the module's README, recomputed from their inputs.
@Suite("The documentation's vectors")
struct VectorTests {
    @Test("match what this code computes for a pairing")
    func pairing() async throws {
        let (given, vector) = try Documentation.part("pairing")
        #expect(try await VectorMaker.pairing(given).withoutSignatures == vector.withoutSignatures)
        let keyProof = try #require(vector["claim"]?["key_proof"]?.stringValue.flatMap { DeviceSignature($0) })
        let hello = try PairingHello(json: try #require(vector["claim"]?["hello"]))
        let transcript = PairingTranscript(
            hello: hello, offer: try PairingOffer(json: try #require(vector["offer"])))
        #expect(hello.publicKey.isValid(keyProof, for: transcript.keyProofPayload))
    }

    @Test("match what this code computes for a rotation")
    func rotation() throws {
        let (given, vector) = try Documentation.part("rotation")
        #expect(try VectorMaker.rotation(given) == vector)
    }

    @Test("match what this code computes for an approval, whose signature is valid")
    func approval() async throws {
        let (given, vector) = try Documentation.part("approval")
        #expect(try await VectorMaker.approval(given).withoutSignatures == vector.withoutSignatures)
        let approval = try SignedApproval(json: try #require(vector["approval"]))
        let key = try VaultDeviceKey(secret: VectorMaker.secret(given, "device_key")).publicKey
        _ = try approval.verified(
            envelope: try VectorMaker.envelope(given), device: approval.deviceID, key: key,
            server: try #require(given["server_id"]?.stringValue.flatMap { ServerID($0) }))
    }

    @Test("come with a policy that can be read")
    func policy() throws {
        let policy = try ApprovalPolicy(yaml: try Documentation.block("yaml"))
        let needs = policy.requirement(bankID: "default", period: try #require(MonthYear(month: 1, year: 2020)))
        #expect(needs.devices == 2)
    }
}

enum Documentation {
    static func block(_ language: String) throws -> String {
        let file = Repository.file("Sources/Protocol/DeviceTrust/README.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let start = try #require(text.range(of: "```\(language)\n")).upperBound
        let end = try #require(text.range(of: "\n```", range: start..<text.endIndex)).lowerBound
        return String(text[start..<end])
    }

    static func part(_ name: String) throws -> (given: JSONValue, vector: JSONValue) {
        let vectors = try JSONReader.read(try block("json"))
        return (try #require(vectors[name]?["given"]), try #require(vectors[name]?["then"]))
    }
}

extension JSONValue {
    /// Signatures are made with a random number, and differ each time.
    fileprivate var withoutSignatures: JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(
            members.filter { !["key_proof", "signature"].contains($0.key) }.mapValues(\.withoutSignatures))
    }
}

/// Computes a vector's results from its inputs.
enum VectorMaker {
    static func secret(_ given: JSONValue, _ name: String) throws -> Secret {
        Secret(bytes: try #require(bytes(hex: try text(given, name))))
    }

    static func text(_ given: JSONValue, _ name: String) throws -> String { try #require(given[name]?.stringValue) }

    static func bytes(hex: String) -> [UInt8]? {
        let digits = Array(hex.utf8)
        return stride(from: 0, to: digits.count - 1, by: 2).reduce(into: []) { bytes, place in
            if let byte = UInt8(String(decoding: digits[place..<place + 2], as: UTF8.self), radix: 16) {
                bytes?.append(byte)
            }
        }
    }

    static func hex(_ bytes: some Sequence<UInt8>) -> JSONValue {
        .string(bytes.map { String(format: "%02x", $0) }.joined())
    }

    static func pairing(_ given: JSONValue) async throws -> JSONValue {
        let identity = try AgreementPrivateKey(secret: secret(given, "server_key"))
        let serverEphemeral = try AgreementPrivateKey(secret: secret(given, "server_ephemeral_key"))
        let code = try #require(PairingCode(try text(given, "code")))
        let created = try #require(Timestamp(try text(given, "created_at")))
        let expires = try #require(Timestamp(try text(given, "expires_at")))
        let server = ServerIdentity(
            id: try #require(ServerID(try text(given, "server_id"))), publicKey: identity.publicKey)
        let certificate = CertificateFingerprint(try text(given, "tls_sha256"))
        let phone = try PhonePairing(
            deviceID: try #require(DeviceID(try text(given, "device_id"))), name: try text(given, "device_name"),
            key: VaultDeviceKey(secret: secret(given, "device_key")),
            ephemeral: AgreementPrivateKey(secret: secret(given, "device_ephemeral_key")),
            scalar: AgreementPrivateKey(secret: secret(given, "device_share_key")),
            nonce: try #require(Nonce(try text(given, "device_nonce"))))
        let agreement = try CodeAgreement(
            code: code, scalar: AgreementPrivateKey(secret: secret(given, "server_share_key")))
        let offer = PairingOffer(
            session: code.session, attempt: try #require(Nonce(try text(given, "attempt"))), server: server,
            ephemeral: serverEphemeral.publicKey, share: agreement.share,
            nonce: try #require(Nonce(try text(given, "server_nonce"))),
            certificate: certificate, createdAt: created, expiresAt: expires)
        let payload = PairingPayload(
            server: server, code: code, endpoint: try text(given, "endpoint"), certificate: certificate,
            createdAt: created, expiresAt: expires)
        let broker = try BrokerPairing(
            begin: phone.begin, offer: offer, identity: identity, ephemeral: serverEphemeral, agreement: agreement,
            code: code)
        let claim = try await phone.claim(
            offer.json, code: code, payload: payload, connection: .unverified(try #require(certificate)),
            at: created.date)
        let claimed = try broker.claim(claim.message)
        try claim.check(claimed.answer)
        try claimed.checkFinish(claim.finish)
        return [
            "uri": .string(payload.uri.revealed()), "begin": phone.begin, "offer": offer.json,
            "transcript": hex(PairingTranscript(hello: phone.hello, offer: offer).hash), "claim": claim.message,
            "answer": claimed.answer, "words": .string(claim.words.description), "finish": claim.finish,
            "shared_secret": .string(claim.credentials.sharedSecret.revealed()),
            "token": .string(claim.credentials.token.revealed()),
        ]
    }

    static func rotation(_ given: JSONValue) throws -> JSONValue {
        let id = try #require(DeviceID(try text(given, "device_id")))
        let shared = Secret(try text(given, "shared_secret"))
        let phone = PhoneRotation(
            deviceID: id, secret: shared,
            ephemeral: try AgreementPrivateKey(secret: secret(given, "device_ephemeral_key")),
            nonce: try #require(Nonce(try text(given, "device_nonce"))))
        let broker = try BrokerRotation(
            message: phone.message, deviceID: id, secret: shared,
            ephemeral: AgreementPrivateKey(secret: secret(given, "server_ephemeral_key")),
            nonce: try #require(Nonce(try text(given, "server_nonce"))))
        let credentials = try phone.credentials(answer: broker.answer)
        return [
            "message": phone.message, "answer": broker.answer,
            "shared_secret": .string(credentials.sharedSecret.revealed()),
            "token": .string(credentials.token.revealed()),
        ]
    }

    static func envelope(_ given: JSONValue) throws -> RequestEnvelope {
        RequestEnvelope(
            requestID: try #require(RequestID(try text(given, "request_id"))), bankID: try text(given, "bank_id"),
            period: try #require(
                MonthYear(month: given["month"]?.intValue ?? 0, year: given["year"]?.intValue ?? 0)),
            issuedAt: try #require(Timestamp(try text(given, "issued_at"))),
            approvalExpiresAt: try #require(Timestamp(try text(given, "approval_expires_at"))),
            nonce: try #require(Nonce(try text(given, "nonce"))))
    }

    static func approval(_ given: JSONValue) async throws -> JSONValue {
        let key = try VaultDeviceKey(secret: secret(given, "device_key"))
        let server = try #require(ServerID(try text(given, "server_id")))
        let summary = ApprovalSummary(
            envelope: try envelope(given), deviceID: try #require(DeviceID(try text(given, "device_id"))),
            script: try text(given, "script"),
            verifiedBy: Set(
                try #require(given["verified_by"]?.arrayValue).compactMap {
                    $0.stringValue.flatMap(ApprovalFactor.init)
                }))
        return [
            "device_pubkey": .string(key.publicKey.description),
            "summary": .string(String(decoding: try summary.json.canonicalBytes(), as: UTF8.self)),
            "challenge": hex(summary.challenge(of: server)),
            "approval": try await summary.signed(for: server, with: key).json,
        ]
    }
}
