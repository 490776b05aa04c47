import Encodings
import Foundation
import Messages
import Secrets

/// The connection that the phone pairs over, as far as the phone can tell.
package enum PairingConnection: Sendable, Hashable {
    /// Plain HTTP, which is allowed on this machine only.
    case plain
    /// TLS with a certificate from an authority that the phone trusts.
    case verified(CertificateFingerprint)
    /// TLS with a certificate that only the pairing itself can confirm.
    case unverified(CertificateFingerprint)

    var fingerprint: CertificateFingerprint? {
        switch self {
        case .plain: nil
        case .verified(let fingerprint), .unverified(let fingerprint): fingerprint
        }
    }
}

/// The phone's first step: it commits to its identity and waits for the broker's offer.
///
///     let pairing = try PhonePairing(name: "Telephone", key: key)    // send pairing.begin
///     let claim = try await pairing.claim(offer, code: code, …)      // send claim.message, show claim.words
///     try claim.check(answer)                                        // then send claim.finish until it is DONE
///     let credentials = claim.credentials
package struct PhonePairing: Sendable {
    package let hello: PairingHello
    private let ephemeral: AgreementPrivateKey
    private let scalar: AgreementPrivateKey
    private let key: any DeviceKey

    /// - Throws: ``TrustError/Code/malformed`` for a name that cannot be shown.
    package init(deviceID: DeviceID = DeviceID(), name: String, key: any DeviceKey) throws(TrustError) {
        try self.init(
            deviceID: deviceID, name: name, key: key, ephemeral: AgreementPrivateKey(), scalar: AgreementPrivateKey(),
            nonce: Nonce())
    }

    /// - Parameter scalar: the secret number of this side's share of the code's agreement.
    init(
        deviceID: DeviceID, name: String, key: any DeviceKey, ephemeral: AgreementPrivateKey,
        scalar: AgreementPrivateKey, nonce: Nonce
    ) throws(TrustError) {
        hello = try PairingHello(
            deviceID: deviceID, publicKey: key.publicKey, name: name, ephemeral: ephemeral.publicKey, nonce: nonce)
        self.ephemeral = ephemeral
        self.scalar = scalar
        self.key = key
    }

    package var begin: JSONValue { PairingCommitment(to: hello).json }

    /// Accepts the offer only if it names the scanned broker and the certificate of this connection.
    ///
    /// - Parameters:
    ///   - payload: the scanned QR code; nil when the person typed the code.
    ///   - connection: the connection that the offer came over.
    package func claim(
        _ offer: JSONValue, code: PairingCode, payload: PairingPayload?, connection: PairingConnection, at now: Date
    ) async throws -> PhoneClaim {
        let offer = try PairingOffer(json: offer)
        guard offer.session == code.session else {
            throw TrustError(.otherSession, "the broker answers for another pairing; begin again")
        }
        if let payload { try Self.check(offer, against: payload) }
        try Self.check(offer.certificate, over: connection)
        try PairingTime.check(offer.createdAt, offer.expiresAt, at: now)
        let transcript = PairingTranscript(hello: hello, offer: offer)
        let agreement = try CodeAgreement(code: code, scalar: scalar)
        let keys = PairingKeys(
            ephemeral: try ephemeral.agreement(with: offer.ephemeral),
            identity: try ephemeral.agreement(with: offer.server.publicKey),
            agreed: try agreement.secret(with: offer.share), share: agreement.share, code: code, transcript: transcript)
        let proof = try await key.signature(of: transcript.keyProofPayload)
        return PhoneClaim(offer: offer, hello: hello, share: agreement.share, keys: keys, keyProof: proof)
    }

    private static func check(_ offer: PairingOffer, against payload: PairingPayload) throws(TrustError) {
        guard offer.server == payload.server else {
            throw TrustError(
                .otherServer,
                "the server has another identity than the scanned broker; stop here")
        }
        guard offer.certificate == payload.certificate else {
            throw TrustError(
                .otherCertificate, "the broker names another certificate than the scanned one; stop here")
        }
    }

    private static func check(
        _ promised: CertificateFingerprint?, over connection: PairingConnection
    ) throws(TrustError) {
        switch (promised, connection) {
        case (nil, .plain), (nil, .verified): return
        case (nil, .unverified):
            throw TrustError(
                .otherCertificate, "neither an authority nor the broker confirms the server's certificate; stop here")
        case (let promised?, _):
            guard promised == connection.fingerprint else {
                throw TrustError(
                    .otherCertificate,
                    "the server's certificate is not the broker's: another machine is in between; stop here")
            }
        }
    }
}

/// The phone's second step: its claim. The broker's answer has to prove that it knows the code and has its own key.
package struct PhoneClaim: Sendable {
    package let offer: PairingOffer
    package let hello: PairingHello
    private let share: CodeShare
    private let keys: PairingKeys
    private let keyProof: DeviceSignature

    init(offer: PairingOffer, hello: PairingHello, share: CodeShare, keys: PairingKeys, keyProof: DeviceSignature) {
        self.offer = offer
        self.hello = hello
        self.share = share
        self.keys = keys
        self.keyProof = keyProof
    }

    package var server: ServerIdentity { offer.server }
    package var words: ConfirmationWords { keys.transcript.words }

    package var message: JSONValue {
        PairingClaim(
            attempt: offer.attempt, hello: hello, share: share, codeProof: keys.phoneProof, keyProof: keyProof
        ).json
    }

    /// Checks the broker's answer to the claim.
    ///
    /// - Throws: ``TrustError/Code/wrongProof`` unless the answer is from the right broker.
    package func check(_ answer: JSONValue) throws(TrustError) {
        let confirmation = try PairingConfirmation(json: answer)
        guard ConstantTime.isEqual(confirmation.brokerProof, keys.brokerProof) else {
            throw TrustError(.wrongProof, "the server does not know the code, so it is not the broker; stop here")
        }
    }

    /// The message that asks whether the person at the broker has said yes.
    package var finish: JSONValue { PairingFinish(attempt: offer.attempt, proof: keys.finishProof).json }

    /// The new credentials. Keep them once the broker has answered DONE.
    package var credentials: DeviceCredentials { keys.credentials }
}
