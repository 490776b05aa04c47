import Encodings
import Foundation
import KeyVault
import PhoneStore
import Secrets
import Storage

extension PhoneHome {
    /// Gives the vault a new key and a new passphrase. Passkeys end and have to be registered again, and reports of failed
    /// runs are deleted.
    ///
    /// - Returns: the names of the passkeys that ended.
    /// - Throws: ``VaultError``; ``PhoneError`` with `homeBusy` while another process uses the home.
    @discardableResult
    package func changePassphrase(
        from old: any UserVerification, to new: Secret
    ) async throws -> [String] {
        let lock = try claim()
        defer { withExtendedLifetime(lock) {} }
        let store = try PhoneDatabase(self)
        let names = try await store.slotNames()
        let secrets = try await open(old, reason: "Change the passphrase")
        let (opened, ended) = try await secrets.changePassphrase(to: new)
        defer { opened.close() }
        // A new key for new reports: an old copy of the vault has the old one.
        try await opened.remove(named: FailureReports.entry)
        FailureReports.deleteAll(of: self)
        try await store.deleteSealedMessages()
        try await DocumentCopies.changeKey(of: self, store: store, in: opened)
        for slot in ended {
            if let passkey = slot.passkey { try await store.forgetPasskey(passkey.credentialID) }
        }
        // Who learnt the old passphrase may have a browser that the page knows.
        try await store.keep([])
        let gone = ended.map { names[$0.id] ?? $0.name }
        try await store.audit.record(
            AuditEvent(
                .vaultRekeyed, severity: .warning, details: ["passkeys_ended": .array(gone.map(JSONValue.string))]))
        return gone
    }

    /// Gives the vault a new key, which only a passkey and the passphrase together open. Reports of failed runs are deleted.
    ///
    /// - Parameter output: of the passkey's pseudo-random function.
    /// - Returns: the one way into the vault that is left.
    package func requireBoth(
        passkey credentialID: [UInt8], output: Secret, passphrase: Secret
    ) async throws -> KeySlot {
        let secrets = try await open(
            PassphraseVerification(passphrase, from: .page), reason: "Require passkey and passphrase")
        defer { secrets.close() }
        let (opened, slot) = try await secrets.requireBoth(
            passkey: credentialID, output: output, passphrase: passphrase)
        defer { opened.close() }
        // A new key for new reports: an old copy of the vault has the old one.
        try await opened.remove(named: FailureReports.entry)
        FailureReports.deleteAll(of: self)
        try await PhoneDatabase(self).deleteSealedMessages()
        try await DocumentCopies.changeKey(of: self, store: PhoneDatabase(self), in: opened)
        return slot
    }

    /// Accepts the vault's file as the newest, after the owner has restored a backup.
    package func acceptRestoredVault(passphrase: Secret) async throws {
        let lock = try claim()
        defer { withExtendedLifetime(lock) {} }
        try await vault.acceptRestored(passphrase: passphrase)
        try await PhoneDatabase(self).audit.record(AuditEvent(.vaultRestored, severity: .warning))
    }
}
