import Encodings
import KeyVault
import Phone
import PhoneStore
import Secrets
import WebServing

extension PageState {
    /// Deletes this phone.
    ///
    /// Where the vault has passkeys, the passphrase alone is not enough, or its thief could destroy what the owner has: a passkey
    /// confirms.
    ///
    /// - Parameter assertion: the passkey's answer; nil where the vault has none.
    func forgetPhone(_ assertion: JSONValue?, passphrase: Secret, session: PageSession) async throws -> PhoneDeletion {
        try checkVaultIsIdle()
        let purpose = ChallengePurpose.forgetPhone(session: session.id)
        try await auditingFailures(of: purpose) {
            var passkey: AnsweredPasskey?
            if try self.home.vault.slots().contains(where: { !$0.isPassphrase }) {
                let posted = try PostedAssertion(assertion)
                try await self.verify(posted, for: purpose)
                passkey = posted.passkey
            }
            let verification = try self.ownersVerification(passphrase, with: passkey)
            try await self.home.open(verification, reason: "Forget this phone").close()
        }
        // The vault takes its time to open: a run may have begun, or another browser may have deleted the phone.
        try checkVaultIsIdle()
        let runner = try unlocked()
        return await deletePhone(of: runner)
    }
}
