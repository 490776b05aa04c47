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
        let secrets = try await open(old, reason: "Change the passphrase")
        return try await changePassphrase(of: secrets, to: new).ended
    }

    /// Gives a vault that is open a new key and a new passphrase, in a process that uses the home already.
    ///
    /// - Parameters:
    ///   - secrets: is closed.
    ///   - old: the present passphrase, for a vault that needs both.
    ///   - passkey: goes on.
    /// - Returns: the names of the passkeys that ended, and the key of the messages of failed runs from now on.
    package func changePassphrase(
        of secrets: VaultSecretStore, from old: Secret? = nil, to new: Secret, keeping passkey: AnsweredPasskey? = nil
    ) async throws -> (ended: [String], messageKey: Secret) {
        let store = try PhoneDatabase(self)
        let names = try await store.slotNames()
        let (opened, ended, kept) = try await secrets.changePassphrase(to: new, from: old, keeping: passkey)
        defer { opened.close() }
        let messageKey = try await renewKeys(in: opened, store)
        for slot in ended {
            if let passkey = slot.passkey { try await store.forgetPasskey(passkey.credentialID) }
        }
        if let kept, let name = names[kept.before.id] { try await store.nameSlot(kept.now.id, name) }
        // Who learnt the old passphrase may have a browser that the page knows.
        try await store.keep([])
        let gone = ended.map { names[$0.id] ?? $0.name }
        try await store.audit.record(
            AuditEvent(
                .vaultRekeyed, severity: .warning, details: ["passkeys_ended": .array(gone.map(JSONValue.string))]))
        return (gone, messageKey)
    }

    /// Deletes the reports of failed runs, and gives new ones, and the copies of documents, another key: an old copy of the vault has
    /// the present one.
    private func renewKeys(in opened: VaultSecretStore, _ store: PhoneDatabase) async throws -> Secret {
        try await opened.remove(named: FailureReports.entry)
        FailureReports.deleteAll(of: self)
        try await store.deleteSealedMessages()
        try await DocumentCopies.changeKey(of: self, store: store, in: opened)
        return try await FailureReports(of: self, in: opened).key
    }

    /// Gives the vault a new key, which only a passkey and the passphrase together open. Reports of failed runs are deleted.
    ///
    /// - Parameter output: of the passkey's pseudo-random function.
    /// - Returns: the one way into the vault that is left, and the key of the messages of failed runs from now on.
    @discardableResult
    package func requireBoth(
        passkey credentialID: [UInt8], output: Secret, passphrase: Secret
    ) async throws -> (slot: KeySlot, messageKey: Secret) {
        let secrets = try await open(
            PassphraseVerification(passphrase, from: .page), reason: "Require passkey and passphrase")
        defer { secrets.close() }
        let before = try await secrets.slots().first { $0.passkey?.credentialID == credentialID }
        let (opened, slot) = try await secrets.requireBoth(
            passkey: credentialID, output: output, passphrase: passphrase)
        defer { opened.close() }
        let store = try PhoneDatabase(self)
        if let before, let name = try await store.slotNames()[before.id] { try await store.nameSlot(slot.id, name) }
        return (slot, try await renewKeys(in: opened, store))
    }

    /// Accepts the vault's file as the newest, after the owner has restored a backup.
    package func acceptRestoredVault(passphrase: Secret) async throws {
        let lock = try claim()
        defer { withExtendedLifetime(lock) {} }
        try await vault.acceptRestored(passphrase: passphrase)
        try await PhoneDatabase(self).audit.record(AuditEvent(.vaultRestored, severity: .warning))
    }
}
