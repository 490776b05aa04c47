import Clocks
import Encodings
import Foundation
import Secrets
import Testing

@testable import DeviceTrust

/// A machine that answers in the broker's place, to a phone whose owner typed the code.
@Suite("Guessing a pairing's code offline")
struct OfflineCodeGuessTests {
    private let now = Timestamp("2026-11-21T10:00:00.000Z")!
    private let identity = AgreementPrivateKey()
    private let ephemeral = AgreementPrivateKey()

    /// Answers the phone with a share made of the attacker's guess, and returns those of `candidates` that explain the
    /// phone's proof.
    private func found(
        among candidates: [PairingCode], guessing guess: PairingCode, when code: PairingCode
    ) async throws -> [String] {
        let phone = try PhonePairing(name: "Telephone", key: VaultDeviceKey())
        let agreement = try CodeAgreement(code: guess, scalar: AgreementPrivateKey())
        let offer = PairingOffer(
            session: 17, server: ServerIdentity(id: ServerID(), publicKey: identity.publicKey),
            ephemeral: ephemeral.publicKey, share: agreement.share, certificate: nil, createdAt: now,
            expiresAt: Timestamp(now.date.addingTimeInterval(300)))
        let message = try await phone.claim(
            offer.json, code: code, payload: nil, connection: .plain, at: now.date
        ).message
        let claim = try PairingClaim(json: message)
        let transcript = PairingTranscript(hello: claim.hello, offer: offer)
        return try candidates.filter { candidate in
            let keys = PairingKeys(
                ephemeral: try ephemeral.agreement(with: claim.hello.ephemeral),
                identity: try identity.agreement(with: claim.hello.ephemeral),
                agreed: try agreement.secret(with: claim.share), share: claim.share, code: candidate,
                transcript: transcript)
            return keys.phoneProof == claim.codeProof
        }.map { $0.written.revealed() }
    }

    @Test("the phone's proof does not tell the right code from any other")
    func offline() async throws {
        let code = PairingCode(session: 17)
        let others = (0..<200).map { _ in PairingCode(session: 17) }
        #expect(try await found(among: others + [code], guessing: PairingCode(session: 17), when: code) == [])
    }

    @Test("an attempt tells whether one guess, made before it, was right: the attack that remains")
    func online() async throws {
        let code = PairingCode(session: 17)
        #expect(try await found(among: [code], guessing: code, when: code) == [code.written.revealed()])
    }

    @Test("the same code in another session stands for another point")
    func sessions() throws {
        let scalar = AgreementPrivateKey()
        let shares = try [17, 18].map { session in
            try CodeAgreement(code: try #require(PairingCode(session: session, code: "7KQ2M9XW")), scalar: scalar).share
        }
        #expect(shares[0] != shares[1])
    }
}
