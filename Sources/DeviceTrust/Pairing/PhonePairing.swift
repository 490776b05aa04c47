import Encodings
import Foundation
import JSON
import Secrets
import Signer

/// What the phone knows of the connection that it pairs over.
public enum PairingConnection: Sendable, Hashable {
    /// Plain HTTP, which is for this machine alone.
    case plain
    /// The certificate's chain leads to an authority that the phone trusts.
    case verified(CertificateFingerprint)
    /// Nobody vouches for the certificate but the pairing itself.
    case unverified(CertificateFingerprint)

    var fingerprint: CertificateFingerprint? {
        switch self {
        case .plain: nil
        case .verified(let fingerprint), .unverified(let fingerprint): fingerprint
        }
    }
}

/// The phone's first step: it commits to who it is, and waits for the broker's offer.
///
///     let pairing = try PhonePairing(name: "Telephone", key: key)    // send pairing.begin
///     let claim = try await pairing.claim(offer, code: code, …)      // send claim.message, show claim.words
///     try claim.check(answer)                                        // then send claim.finish until it is DONE
///     let credentials = claim.credentials
public struct PhonePairing: Sendable {
    public let hello: PairingHello
    private let ephemeral: AgreementPrivateKey
    private let key: any DeviceKey

    /// - Throws: ``TrustError/Code/malformed`` for a name that cannot be shown.
    public init(deviceID: DeviceID = DeviceID(), name: String, key: any DeviceKey) throws(TrustError) {
        try self.init(
            deviceID: deviceID, name: name, key: key, ephemeral: AgreementPrivateKey(), nonce: Nonce())
    }

    init(
        deviceID: DeviceID, name: String, key: any DeviceKey, ephemeral: AgreementPrivateKey, nonce: Nonce
    ) throws(TrustError) {
        hello = try PairingHello(
            deviceID: deviceID, publicKey: key.publicKey, name: name, ephemeral: ephemeral.publicKey, nonce: nonce)
        self.ephemeral = ephemeral
        self.key = key
    }

    public var begin: JSONValue {
        [
            "version": .string(PairingPayload.version),
            "commitment": .string(Base64URL.encode(PairingTranscript.commitment(to: hello))),
        ]
    }

    /// Believes the offer only if it is from the broker that was scanned, over the connection that it speaks of.
    ///
    /// - Parameters:
    ///   - payload: what was scanned; nil where only the code was typed.
    ///   - connection: over which the offer came.
    public func claim(
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
        let keys = PairingKeys(
            ephemeral: try ephemeral.agreement(with: offer.ephemeral),
            identity: try ephemeral.agreement(with: offer.server.publicKey), code: code, transcript: transcript)
        let proof = try await key.signature(of: transcript.keyProofPayload)
        return PhoneClaim(offer: offer, hello: hello, keys: keys, keyProof: proof)
    }

    private static func check(_ offer: PairingOffer, against payload: PairingPayload) throws(TrustError) {
        guard offer.server == payload.server else {
            throw TrustError(
                .otherServer,
                "what answers is not the broker whose code was scanned: its identity is another; stop here")
        }
        guard offer.certificate == payload.certificate else {
            throw TrustError(
                .otherCertificate, "the broker speaks of another certificate than the one scanned; stop here")
        }
    }

    private static func check(
        _ promised: CertificateFingerprint?, over connection: PairingConnection
    ) throws(TrustError) {
        switch (promised, connection) {
        case (nil, .plain), (nil, .verified): return
        case (nil, .unverified):
            throw TrustError(
                .otherCertificate, "nobody vouches for the certificate that answers, not even the broker; stop here")
        case (let promised?, _):
            guard promised == connection.fingerprint else {
                throw TrustError(
                    .otherCertificate,
                    "the certificate that answers is not the broker’s: somebody stands in between; stop here")
            }
        }
    }
}

/// The phone's claim: shown to the broker, whose answer has to prove that it knew the code and has its own key.
public struct PhoneClaim: Sendable {
    public let offer: PairingOffer
    public let hello: PairingHello
    private let keys: PairingKeys
    private let keyProof: DeviceSignature

    init(offer: PairingOffer, hello: PairingHello, keys: PairingKeys, keyProof: DeviceSignature) {
        self.offer = offer
        self.hello = hello
        self.keys = keys
        self.keyProof = keyProof
    }

    public var server: ServerIdentity { offer.server }
    public var words: ConfirmationWords { keys.transcript.words }

    public var message: JSONValue {
        PairingClaim(attempt: offer.attempt, hello: hello, codeProof: keys.phoneProof, keyProof: keyProof).json
    }

    /// - Throws: ``TrustError/Code/wrongProof`` unless the answer is the right broker's.
    public func check(_ answer: JSONValue) throws(TrustError) {
        let fields = try TrustFields(answer, "the broker’s answer", exactly: ["broker_proof", "status"])
        guard ConstantTime.isEqual(try fields.bytes("broker_proof", count: 32), keys.brokerProof) else {
            throw TrustError(.wrongProof, "what answers does not know the code: it is not the broker; stop here")
        }
    }

    /// Asks whether the person at the broker has said yes.
    public var finish: JSONValue {
        ["attempt": .string(offer.attempt.description), "proof": .string(Base64URL.encode(keys.finishProof))]
    }

    /// To be kept once the broker has answered DONE.
    public var credentials: DeviceCredentials { keys.credentials }
}
