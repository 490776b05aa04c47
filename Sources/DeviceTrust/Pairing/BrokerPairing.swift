import Clocks
import Encodings
import Foundation
import JSON
import Secrets
import Signer

/// One attempt at a pairing, as the broker sees it: a commitment was heard, an offer made. Values only; whether the
/// session is open, how many tries are left and who was first is the store's to know.
///
///     let attempt = try BrokerPairing(begin: body, session: 17, …)   // answer attempt.offer.json
///     let claimed = try attempt.claim(body, code: code)              // answer claimed.answer, show claimed.words
///     try claimed.checkFinish(body)                                  // once the person has said yes
public struct BrokerPairing: Sendable {
    public let offer: PairingOffer
    private let commitment: [UInt8]
    private let identity: AgreementPrivateKey
    private let ephemeral: AgreementPrivateKey

    /// - Parameters:
    ///   - begin: the phone's first message.
    ///   - certificate: of the broker's own TLS; nil without.
    /// - Throws: ``TrustError``.
    public init(
        begin: JSONValue, session: Int, id: ServerID, identity: AgreementPrivateKey,
        certificate: CertificateFingerprint?, createdAt: Timestamp, expiresAt: Timestamp
    ) throws(TrustError) {
        let ephemeral = AgreementPrivateKey()
        let offer = PairingOffer(
            session: session, server: ServerIdentity(id: id, publicKey: identity.publicKey),
            ephemeral: ephemeral.publicKey, certificate: certificate, createdAt: createdAt, expiresAt: expiresAt)
        try self.init(begin: begin, offer: offer, identity: identity, ephemeral: ephemeral)
    }

    init(
        begin: JSONValue, offer: PairingOffer, identity: AgreementPrivateKey, ephemeral: AgreementPrivateKey
    ) throws(TrustError) {
        let fields = try TrustFields(begin, "the device’s first message", exactly: ["version", "commitment"])
        try fields.check(version: PairingPayload.version)
        commitment = try fields.bytes("commitment", count: 32)
        self.offer = offer
        self.identity = identity
        self.ephemeral = ephemeral
    }

    /// The attempt that a claim or a finish belongs to.
    public static func attempt(of message: JSONValue) -> Nonce? {
        message["attempt"]?.stringValue.flatMap { Nonce($0) }
    }

    /// - Throws: ``TrustError``; ``TrustError/Code/wrongCode`` counts as one of the session's five tries.
    public func claim(_ message: JSONValue, code: PairingCode) throws(TrustError) -> ClaimedPairing {
        let claim = try PairingClaim(json: message)
        guard claim.attempt == offer.attempt, code.session == offer.session else {
            throw TrustError(.otherSession, "the claim belongs to another pairing; begin again")
        }
        guard ConstantTime.isEqual(PairingTranscript.commitment(to: claim.hello), commitment) else {
            throw TrustError(.brokenCommitment, "the device is not the one that it promised to be; begin again")
        }
        let transcript = PairingTranscript(hello: claim.hello, offer: offer)
        let keys = PairingKeys(
            ephemeral: try ephemeral.agreement(with: claim.hello.ephemeral),
            identity: try identity.agreement(with: claim.hello.ephemeral), code: code, transcript: transcript)
        guard ConstantTime.isEqual(claim.codeProof, keys.phoneProof) else {
            throw TrustError(.wrongCode, "the code is wrong; read it again from the broker’s screen")
        }
        guard claim.hello.publicKey.isValid(claim.keyProof, for: transcript.keyProofPayload) else {
            throw TrustError(.wrongKey, "the device does not have the key that it shows")
        }
        return ClaimedPairing(hello: claim.hello, attempt: offer.attempt, keys: keys)
    }
}

/// A phone that knew the code. It is a device of this broker once the person has compared the words and said yes.
public struct ClaimedPairing: Sendable {
    public let hello: PairingHello
    public let attempt: Nonce
    private let keys: PairingKeys

    init(hello: PairingHello, attempt: Nonce, keys: PairingKeys) {
        self.hello = hello
        self.attempt = attempt
        self.keys = keys
    }

    public var words: ConfirmationWords { keys.transcript.words }

    /// The answer to the claim.
    public var answer: JSONValue {
        ["broker_proof": .string(Base64URL.encode(keys.brokerProof)), "status": "CLAIMED"]
    }

    public var credentials: DeviceCredentials { keys.credentials }

    /// - Throws: ``TrustError`` unless the message is from the very phone that claimed.
    public func checkFinish(_ message: JSONValue) throws(TrustError) {
        let fields = try TrustFields(message, "the device’s last message", exactly: ["attempt", "proof"])
        guard try fields.read("attempt", "32 hexadecimal digits", Nonce.init) == attempt else {
            throw TrustError(.otherSession, "the message belongs to another pairing")
        }
        guard ConstantTime.isEqual(try fields.bytes("proof", count: 32), keys.finishProof) else {
            throw TrustError(.wrongProof, "the message is not from the phone that claimed")
        }
    }
}
