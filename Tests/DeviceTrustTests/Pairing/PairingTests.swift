import Clocks
import DeviceTrust
import Encodings
import Foundation
import Secrets
import Signer
import Testing

/// Both sides of one pairing, taken step by step.
struct PairingStage {
    static let begin = Timestamp("2026-11-21T10:00:00.000Z")!
    static let end = Timestamp("2026-11-21T10:05:00.000Z")!
    static let certificate = CertificateFingerprint(ofDER: [1, 2, 3])

    let id = ServerID()
    let identity = AgreementPrivateKey()
    let code = PairingCode(session: 17)
    let key = VaultDeviceKey()
    let phone: PhonePairing
    var certificate: CertificateFingerprint? = PairingStage.certificate

    init(name: String = "Telephone") throws {
        phone = try PhonePairing(name: name, key: key)
    }

    var payload: PairingPayload {
        PairingPayload(
            server: ServerIdentity(id: id, publicKey: identity.publicKey), code: code,
            endpoint: "https://192.168.1.10:8765", certificate: certificate, createdAt: Self.begin, expiresAt: Self.end)
    }

    func broker(hearing begin: JSONValue, code: PairingCode? = nil) throws -> BrokerPairing {
        try BrokerPairing(
            begin: begin, code: code ?? self.code, id: id, identity: identity, certificate: certificate,
            createdAt: Self.begin,
            expiresAt: Self.end)
    }

    func claim(
        _ offer: JSONValue, code: PairingCode? = nil, payload: PairingPayload? = nil,
        connection: PairingConnection = .unverified(PairingStage.certificate), after seconds: TimeInterval = 30
    ) async throws -> PhoneClaim {
        try await phone.claim(
            offer, code: code ?? self.code, payload: payload, connection: connection,
            at: Self.begin.date.addingTimeInterval(seconds))
    }
}

@Suite("A pairing")
struct PairingTests {
    @Test("ends with the same words, secret and token on both sides; no message contains them")
    func pairs() async throws {
        let stage = try PairingStage()
        let broker = try stage.broker(hearing: stage.phone.begin)
        let claim = try await stage.claim(broker.offer.json, payload: stage.payload)
        let claimed = try broker.claim(claim.message)
        try claim.check(claimed.answer)
        try claimed.checkFinish(claim.finish)

        #expect(claim.words == claimed.words)
        #expect(claim.words.words.count == 4)
        #expect(claim.credentials.sharedSecret.isEqual(to: claimed.credentials.sharedSecret))
        #expect(claim.credentials.token.isEqual(to: claimed.credentials.token))
        #expect(claimed.hello.publicKey == stage.key.publicKey)
        #expect(claim.server == stage.payload.server)
        #expect((try? SharedSecret(claim.credentials.sharedSecret)) != nil)
        #expect(claim.credentials.token.revealed().hasPrefix("cs1."))

        let said = [stage.phone.begin, broker.offer.json, claim.message, claimed.answer, claim.finish]
            .map { $0.compactText() }.joined()
        let secrets = [
            claim.credentials.sharedSecret, claim.credentials.token, stage.code.code, stage.key.secret,
            stage.identity.secret,
        ]
        for secret in secrets {
            let bytes = secret.withUnsafeBytes { Array($0) }
            for spelling in [
                secret.revealed(), Data(bytes).base64EncodedString(), Base64URL.encode(bytes),
                bytes.map { String(format: "%02x", $0) }.joined(),
            ] { #expect(!said.contains(spelling)) }
        }
    }

    @Test("gives new secrets and words each time, with the same code and the same device key")
    func isFresh() async throws {
        let stage = try PairingStage()
        var seen: [(String, String)] = []
        for _ in 0..<2 {
            let broker = try stage.broker(hearing: stage.phone.begin)
            let claimed = try broker.claim(try await stage.claim(broker.offer.json).message)
            seen.append((claimed.credentials.token.revealed(), claimed.words.description))
        }
        #expect(seen[0].0 != seen[1].0)
        #expect(seen[0].1 != seen[1].1)
    }

    @Test("with a wrong code fails at the broker; only this counts as a try")
    func wrongCode() async throws {
        let stage = try PairingStage()
        let broker = try stage.broker(hearing: stage.phone.begin)
        let claim = try await stage.claim(broker.offer.json, code: PairingCode(session: 17))
        #expect(throws: TrustError.self) { try broker.claim(claim.message) }
        #expect(code { try broker.claim(claim.message) } == .wrongCode)
    }

    @Test("with a broker that does not know the code fails at the phone")
    func wrongBroker() async throws {
        let stage = try PairingStage()
        let other = PairingCode(session: 17)
        let broker = try stage.broker(hearing: stage.phone.begin, code: other)
        let claim = try await stage.claim(broker.offer.json)
        let answer = try broker.claim(try await stage.claim(broker.offer.json, code: other).message).answer
        #expect(code { try claim.check(answer) } == .wrongProof)
    }

    @Test(
        "ends at the broker when one member of the phone's messages is changed",
        arguments: [
            ["begin", "version"], ["begin", "commitment"], ["claim", "attempt"], ["claim", "code_proof"],
            ["claim", "key_proof"], ["claim", "hello", "device_id"], ["claim", "hello", "device_pubkey"],
            ["claim", "hello", "device_name"], ["claim", "hello", "device_ephemeral"],
            ["claim", "hello", "device_nonce"], ["claim", "device_share"], ["finish", "attempt"], ["finish", "proof"],
        ])
    func changedByPhone(path: [String]) async throws {
        let stage = try PairingStage()
        var foreign = try await messages(of: try PairingStage(name: "Tablet"))
        foreign["begin"] = foreign["begin"]?.setting("version", to: "3")
        func sent(_ name: String, _ json: JSONValue) throws -> JSONValue {
            guard path[0] == name else { return json }
            return try json.exchanging(Array(path.dropFirst()), with: #require(foreign[name]))
        }
        await #expect(throws: TrustError.self) {
            let broker = try stage.broker(hearing: try sent("begin", stage.phone.begin))
            let claim = try await stage.claim(broker.offer.json)
            let claimed = try broker.claim(try sent("claim", claim.message))
            try claimed.checkFinish(try sent("finish", claim.finish))
        }
    }

    @Test(
        "ends at the phone or the broker when one member of the broker's messages is changed",
        arguments: [
            ["offer", "version"], ["offer", "session"], ["offer", "attempt"], ["offer", "server_id"],
            ["offer", "server_pubkey"], ["offer", "server_ephemeral"], ["offer", "server_share"],
            ["offer", "server_nonce"],
            ["offer", "tls_sha256"], ["offer", "created_at"], ["offer", "expires_at"], ["answer", "broker_proof"],
        ], [true, false])
    func changedByBroker(path: [String], isScanned: Bool) async throws {
        let stage = try PairingStage()
        var foreign = try await messages(of: try PairingStage())
        foreign["offer"] = foreign["offer"]?.setting("version", to: "3").setting("session", to: 18)
            .setting("tls_sha256", to: .string(CertificateFingerprint(ofDER: [9]).hex))
            .setting("created_at", to: "2026-11-21T10:00:01.000Z").setting("expires_at", to: "2026-11-21T10:04:59.000Z")
        await #expect(throws: TrustError.self) {
            let broker = try stage.broker(hearing: stage.phone.begin)
            func sent(_ name: String, _ json: JSONValue) throws -> JSONValue {
                path[0] == name ? try json.exchanging([path[1]], with: #require(foreign[name])) : json
            }
            let claim = try await stage.claim(
                try sent("offer", broker.offer.json), payload: isScanned ? stage.payload : nil)
            let claimed = try broker.claim(claim.message)
            try claim.check(try sent("answer", claimed.answer))
        }
    }

    @Test("refuses a message with an extra or a missing member")
    func strict() async throws {
        let stage = try PairingStage()
        let broker = try stage.broker(hearing: stage.phone.begin)
        let claim = try await stage.claim(broker.offer.json)
        for message in [claim.message.setting("more", to: 1), claim.message.setting("code_proof", to: nil)] {
            #expect(code { try broker.claim(message) } == .malformed)
        }
        await #expect(throws: TrustError.self) { try await stage.claim(broker.offer.json.setting("more", to: 1)) }
        for name in ["", " x", "a\u{202E}b", "a\nb", String(repeating: "x", count: 65)] {
            #expect(code { try PhonePairing(name: name, key: stage.key) } == .malformed)
        }
    }

    @Test("is refused by the phone over any connection other than the one that the broker names")
    func connections() async throws {
        let other = CertificateFingerprint(ofDER: [7])
        let mine = PairingStage.certificate
        var stage = try PairingStage()
        for connection in [PairingConnection.plain, .verified(other), .unverified(other)] {
            let offer = try stage.broker(hearing: stage.phone.begin).offer.json
            #expect(await asyncCode { try await stage.claim(offer, connection: connection) } == .otherCertificate)
        }
        _ = try await stage.claim(stage.broker(hearing: stage.phone.begin).offer.json, connection: .verified(mine))
        stage.certificate = nil
        let offer = try stage.broker(hearing: stage.phone.begin).offer.json
        _ = try await stage.claim(offer, connection: .plain)
        _ = try await stage.claim(offer, connection: .verified(other))
        #expect(await asyncCode { try await stage.claim(offer, connection: .unverified(mine)) } == .otherCertificate)
    }

    @Test(
        "is refused by a phone whose clock is off, with both times in the message",
        arguments: [
            (-86_400.0, TrustError.Code.notYetValid), (-300, .notYetValid), (-61, .notYetValid), (300, .expired),
            (86_400, .expired),
        ])
    func clocks(seconds: TimeInterval, expected: TrustError.Code) async throws {
        let stage = try PairingStage()
        let offer = try stage.broker(hearing: stage.phone.begin).offer.json
        let error = await #expect(throws: TrustError.self) { try await stage.claim(offer, after: seconds) }
        #expect(error?.code == expected)
        #expect(error?.message.contains("clock") == true)
        #expect(code { try stage.payload.checkTime(at: PairingStage.begin.date + seconds) } == expected)
    }

    @Test("that would last longer than five minutes is refused")
    func tooLong() async throws {
        let stage = try PairingStage()
        let offer = try stage.broker(hearing: stage.phone.begin).offer.json
            .setting("expires_at", to: "2026-11-21T10:05:00.001Z")
        #expect(await asyncCode { try await stage.claim(offer) } == .malformed)
    }

    @Test("refuses messages of another attempt, in any order")
    func replayed() async throws {
        let stage = try PairingStage()
        let first = try stage.broker(hearing: stage.phone.begin)
        let second = try stage.broker(hearing: stage.phone.begin)
        let claim = try await stage.claim(first.offer.json)
        #expect(code { try second.claim(claim.message) } == .otherSession)
        let forged = claim.message.setting("attempt", to: .string(second.offer.attempt.description))
        #expect(code { try second.claim(forged) } == .wrongCode)
        let claimed = try first.claim(claim.message)
        #expect(code { try claimed.checkFinish(claim.message) } == .malformed)
    }

    private func messages(of stage: PairingStage) async throws -> [String: JSONValue] {
        let broker = try stage.broker(hearing: stage.phone.begin)
        let claim = try await stage.claim(broker.offer.json)
        return [
            "begin": stage.phone.begin, "offer": broker.offer.json, "claim": claim.message,
            "answer": try broker.claim(claim.message).answer, "finish": claim.finish,
        ]
    }
}

func code<Value>(_ body: () throws -> Value) -> TrustError.Code? {
    do {
        _ = try body()
        return nil
    } catch {
        return (error as? TrustError)?.code
    }
}

func asyncCode<Value>(_ body: () async throws -> Value) async -> TrustError.Code? {
    do {
        _ = try await body()
        return nil
    } catch {
        return (error as? TrustError)?.code
    }
}

extension JSONValue {
    func setting(_ name: String, to value: JSONValue?) -> JSONValue {
        var members = objectValue ?? [:]
        members[name] = value
        return .object(members)
    }

    /// This value with the member at `path` taken from another one.
    func exchanging(_ path: [String], with other: JSONValue) -> JSONValue {
        guard let name = path.first, let mine = self[name], let theirs = other[name] else { return self }
        return setting(name, to: path.count == 1 ? theirs : mine.exchanging(Array(path.dropFirst()), with: theirs))
    }
}
