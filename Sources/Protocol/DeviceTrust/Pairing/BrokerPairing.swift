import Clocks
import Encodings
import Foundation
import Messages
import Secrets

/// One attempt at a pairing on the broker's side: the phone has committed, and the broker makes an offer.
///
/// This is a pure value. The store knows whether the session is open, how many tries are left and which phone was
/// first.
///
///     let attempt = try BrokerPairing(begin: body, code: code, …)    // answer attempt.offer.json
///     let claimed = try attempt.claim(body)                          // answer claimed.answer, show claimed.words
///     try claimed.checkFinish(body)                                  // after the person has said yes
package struct BrokerPairing: Sendable {
    package let offer: PairingOffer
    private let commitment: PairingCommitment
    private let identity: AgreementPrivateKey
    private let ephemeral: AgreementPrivateKey
    private let agreement: CodeAgreement
    private let code: PairingCode

    /// - Parameters:
    ///   - begin: the phone's first message.
    ///   - code: the session's.
    ///   - certificate: the broker's own TLS certificate; nil without TLS.
    /// - Throws: ``TrustError``.
    package init(
        begin: JSONValue, code: PairingCode, id: ServerID, identity: AgreementPrivateKey,
        certificate: CertificateFingerprint?, createdAt: Timestamp, expiresAt: Timestamp
    ) throws(TrustError) {
        let ephemeral = AgreementPrivateKey()
        let agreement = try CodeAgreement(code: code, scalar: AgreementPrivateKey())
        let offer = PairingOffer(
            session: code.session, server: ServerIdentity(id: id, publicKey: identity.publicKey),
            ephemeral: ephemeral.publicKey, share: agreement.share, certificate: certificate, createdAt: createdAt,
            expiresAt: expiresAt)
        try self.init(
            begin: begin, offer: offer, identity: identity, ephemeral: ephemeral, agreement: agreement, code: code)
    }

    init(
        begin: JSONValue, offer: PairingOffer, identity: AgreementPrivateKey, ephemeral: AgreementPrivateKey,
        agreement: CodeAgreement, code: PairingCode
    ) throws(TrustError) {
        commitment = try PairingCommitment(json: begin)
        self.offer = offer
        self.identity = identity
        self.ephemeral = ephemeral
        self.agreement = agreement
        self.code = code
    }

    /// Checks the form of a phone's first message.
    ///
    /// - Throws: ``TrustError``.
    package static func check(begin: JSONValue) throws(TrustError) {
        _ = try PairingCommitment(json: begin)
    }

    /// Returns the attempt that a claim or a finish belongs to.
    package static func attempt(of message: JSONValue) -> Nonce? {
        message["attempt"]?.stringValue.flatMap { Nonce($0) }
    }

    /// Checks the phone's claim.
    ///
    /// - Throws: ``TrustError``; ``TrustError/Code/wrongCode`` counts as one of the session's five tries.
    package func claim(_ message: JSONValue) throws(TrustError) -> ClaimedPairing {
        let claim = try PairingClaim(json: message)
        guard claim.attempt == offer.attempt else {
            throw TrustError(.otherSession, "the claim belongs to another pairing; begin again")
        }
        guard ConstantTime.isEqual(PairingCommitment(to: claim.hello).hash, commitment.hash) else {
            throw TrustError(.brokenCommitment, "the device is not the one that it committed to be; begin again")
        }
        let transcript = PairingTranscript(hello: claim.hello, offer: offer)
        let keys = PairingKeys(
            ephemeral: try ephemeral.agreement(with: claim.hello.ephemeral),
            identity: try identity.agreement(with: claim.hello.ephemeral),
            agreed: try agreement.secret(with: claim.share), share: claim.share, code: code, transcript: transcript)
        guard ConstantTime.isEqual(claim.codeProof, keys.phoneProof) else {
            throw TrustError(.wrongCode, "the code is wrong; read it again from the broker's screen")
        }
        guard claim.hello.publicKey.isValid(claim.keyProof, for: transcript.keyProofPayload) else {
            throw TrustError(.wrongKey, "the device does not have the private key of its public key")
        }
        return ClaimedPairing(hello: claim.hello, attempt: offer.attempt, keys: keys)
    }
}

/// A phone that knows the code. It becomes a device of this broker after the person has compared the words and said
/// yes.
package struct ClaimedPairing: Sendable {
    package let hello: PairingHello
    package let attempt: Nonce
    private let keys: PairingKeys

    init(hello: PairingHello, attempt: Nonce, keys: PairingKeys) {
        self.hello = hello
        self.attempt = attempt
        self.keys = keys
    }

    package var words: ConfirmationWords { keys.transcript.words }

    /// The answer to the claim.
    package var answer: JSONValue { PairingConfirmation(brokerProof: keys.brokerProof).json }

    package var credentials: DeviceCredentials { keys.credentials }

    /// Checks the phone's last message.
    ///
    /// - Throws: ``TrustError`` unless the message is from the phone that claimed.
    package func checkFinish(_ message: JSONValue) throws(TrustError) {
        let finish = try PairingFinish(json: message)
        guard finish.attempt == attempt else {
            throw TrustError(.otherSession, "the message belongs to another pairing")
        }
        guard ConstantTime.isEqual(finish.proof, keys.finishProof) else {
            throw TrustError(.wrongProof, "the message is not from the phone that claimed")
        }
    }
}
