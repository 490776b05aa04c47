import Encodings
import KeyVault
import Phone
import PhoneStore
import Secrets
import WebServing

extension PageState {
    /// Deletes this phone. Where the vault has passkeys, one consents.
    ///
    /// - Parameter assertion: the passkey's answer; nil where the vault has none.
    func forgetPhone(_ assertion: JSONValue?, passphrase: Secret, session: PageSession) async throws -> PhoneDeletion {
        try checkVaultIsIdle()
        vaultReplacements += 1
        defer { vaultReplacements -= 1 }
        let passkey = try await consentingPasskey(assertion, to: .forgetPhone(session: session.id))
        try await home.open(ownersVerification(passphrase, with: passkey), reason: "Forget this phone").close()
        // The vault takes its time to open: a run may have begun, or another browser may have deleted the phone.
        try checkVaultIsIdle()
        let runner = try unlocked()
        return await deletePhone(of: runner)
    }
}
