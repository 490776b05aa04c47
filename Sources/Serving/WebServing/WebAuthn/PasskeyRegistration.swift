import Crypto
import Encodings
import Foundation

/// A new passkey: the authenticator's answer to a registration (WebAuthn level 3, section 7.1).
package struct PasskeyRegistration: Sendable {
    package let clientDataJSON: [UInt8]
    package let attestationObject: [UInt8]

    package init(clientDataJSON: [UInt8], attestationObject: [UInt8]) {
        self.clientDataJSON = clientDataJSON
        self.attestationObject = attestationObject
    }

    package struct Verified: Sendable, Hashable {
        package let credentialID: [UInt8]
        /// The COSE_Key as the authenticator wrote it.
        package let publicKey: [UInt8]
        package let signCount: UInt32
        package let isBackupEligible: Bool
    }

    /// Verifies the registration by every step of the standard. The page asks for no attestation, so a statement is
    /// either absent or the credential's own ("self attestation"); no authority vouches for the authenticator's make.
    package func verified(challenge: [UInt8], relyingParty: RelyingParty) throws(WebAuthnError) -> Verified {
        try ClientData.check(clientDataJSON, .create, challenge: challenge, relyingParty: relyingParty)
        let object = try WebAuthnError.reading { () throws(CBORError) in try CBOR(attestationObject) }
        guard let format = object[.text("fmt")]?.textValue, let statement = object[.text("attStmt")],
            let authenticator = object[.text("authData")]?.bytesValue, case .map(let members) = object,
            members.count == 3
        else { throw WebAuthnError(.malformed, "the attestation object lacks a part") }
        let data = try AuthenticatorData(authenticator)
        try data.check(relyingParty: relyingParty)
        guard let credential = data.credential else {
            throw WebAuthnError(.malformed, "the authenticator gave no credential")
        }
        switch format {
        case "none":
            guard statement == .map([:]) else {
                throw WebAuthnError(.malformed, "an attestation of the kind “none” has a statement")
            }
        case "packed": try checkSelfAttestation(statement, credential, authenticator)
        default:
            throw WebAuthnError(.unsupportedAttestation, "the authenticator sent an attestation that was not requested")
        }
        return Verified(
            credentialID: credential.id, publicKey: credential.publicKeyBytes, signCount: data.signCount,
            isBackupEligible: data.flags.contains(.backupEligible))
    }

    /// Verifies a self attestation: section 8.2, without certificates.
    private func checkSelfAttestation(
        _ statement: CBOR, _ credential: AuthenticatorData.AttestedCredential, _ authenticator: [UInt8]
    ) throws(WebAuthnError) {
        guard statement[.text("x5c")] == nil else {
            throw WebAuthnError(.unsupportedAttestation, "the authenticator sent an attestation that was not requested")
        }
        guard let signature = statement[.text("sig")]?.bytesValue,
            statement[.text("alg")]?.integerValue == credential.publicKey.algorithm
        else { throw WebAuthnError(.malformed, "the self attestation lacks a part") }
        let signed = authenticator + Array(SHA256.hash(data: clientDataJSON))
        guard credential.publicKey.isValid(signature, for: signed) else {
            throw WebAuthnError(.badSignature, "the self attestation's signature does not fit")
        }
    }
}
