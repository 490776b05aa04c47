import Crypto
import Foundation

/// A passkey's answer to a challenge (WebAuthn level 3, section 7.2).
package struct PasskeyAssertion: Sendable {
    package let credentialID: [UInt8]
    package let clientDataJSON: [UInt8]
    package let authenticatorData: [UInt8]
    package let signature: [UInt8]

    package init(credentialID: [UInt8], clientDataJSON: [UInt8], authenticatorData: [UInt8], signature: [UInt8]) {
        self.credentialID = credentialID
        self.clientDataJSON = clientDataJSON
        self.authenticatorData = authenticatorData
        self.signature = signature
    }

    /// The stored facts about a passkey.
    package struct Known: Sendable, Hashable {
        package let credentialID: [UInt8]
        package let publicKey: [UInt8]
        package let signCount: UInt32
        package let isBackupEligible: Bool

        package init(credentialID: [UInt8], publicKey: [UInt8], signCount: UInt32, isBackupEligible: Bool) {
            self.credentialID = credentialID
            self.publicKey = publicKey
            self.signCount = signCount
            self.isBackupEligible = isBackupEligible
        }
    }

    /// Verifies the answer by every step of the standard.
    ///
    /// - Returns: the new signature counter, which the caller has to store.
    package func verified(by known: Known, challenge: [UInt8], relyingParty: RelyingParty) throws(WebAuthnError)
        -> UInt32
    {
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
