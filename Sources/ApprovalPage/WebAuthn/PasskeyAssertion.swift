import Crypto
import Foundation

/// A passkey's answer to a challenge (WebAuthn level 3, section 7.2).
struct PasskeyAssertion: Sendable {
    let credentialID: [UInt8]
    let clientDataJSON: [UInt8]
    let authenticatorData: [UInt8]
    let signature: [UInt8]

    /// The stored facts about a passkey.
    struct Known: Sendable, Hashable {
        let credentialID: [UInt8]
        let publicKey: [UInt8]
        let signCount: UInt32
        let isBackupEligible: Bool
    }

    /// Verifies the answer by every step of the standard.
    ///
    /// - Returns: the new signature counter, which the caller has to store.
    func verified(by known: Known, challenge: [UInt8], relyingParty: RelyingParty) throws(WebAuthnError) -> UInt32 {
        guard credentialID == known.credentialID else {
            throw WebAuthnError(.unknownCredential, "this passkey does not belong to this phone")
        }
        try ClientData.check(clientDataJSON, .get, challenge: challenge, relyingParty: relyingParty)
        let data = try AuthenticatorData(authenticatorData)
        try data.check(relyingParty: relyingParty)
        guard data.credential == nil else {
            throw WebAuthnError(.malformed, "an assertion holds no new credential")
        }
        let key = try COSEKey(bytes: known.publicKey)
        guard key.isValid(signature, for: authenticatorData + Array(SHA256.hash(data: clientDataJSON))) else {
            throw WebAuthnError(.badSignature, "the passkey's signature does not fit")
        }
        guard data.flags.contains(.backupEligible) == known.isBackupEligible else {
            throw WebAuthnError(
                .backupStateChanged, "the passkey has changed its answer to whether it can be backed up")
        }
        guard data.signCount > known.signCount || (data.signCount == 0 && known.signCount == 0) else {
            throw WebAuthnError(
                .counterWentBack,
                "the passkey's counter went back; it may have been copied. Remove it and make a new one")
        }
        return data.signCount
    }
}
