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
        defer { secrets.close() }
        return try await changePassphrase(of: secrets, to: new).ended
    }

    /// Gives a vault that is open a new key and a new passphrase, in a process that uses the home already.
    ///
    /// - Parameters:
    ///   - secrets: is closed.
    ///   - old: the present passphrase, for a vault that needs both.
    ///   - passkey: goes on.
    ///   - endsPasskeys: false where passkeys must not end without an answer of one of them.
    ///   - browser: where the owner did it; nil for the terminal.
    /// - Throws: ``VaultError``. Then nothing has changed.
    package func changePassphrase(
        of secrets: VaultSecretStore, from old: Secret? = nil, to new: Secret, keeping passkey: AnsweredPasskey? = nil,
        endsPasskeys: Bool = true, in browser: (id: String, name: String)? = nil
    ) async throws -> NewKey {
        let store = try PhoneDatabase(self)
        let (slots, names) = (try await secrets.slots(), try await store.slotNames())
        func name(_ slot: KeySlot) -> String { names[slot.id] ?? slot.name }
        let kept = slots.first { $0.passkey != nil && $0.passkey?.credentialID == passkey?.credentialID }
        let ended = slots.filter { !$0.isPassphrase && $0.id != kept?.id }
        let endedNames = ended.map(name)
        var details: [String: JSONValue] = ["passkeys_ended": .array(endedNames.map(JSONValue.string))]
        if let browser { details["browser"] = .string(browser.name) }
        let unfinished = UnfinishedKey(.vaultRekeyed, .object(details), ending: ended, in: browser?.id)
        let (opened, _) = try await secrets.changePassphrase(
            to: new, named: slots.first(where: \.isPassphrase).map(name) ?? "Passphrase", from: old, keeping: passkey,
            named: kept.map(name), endsPasskeys: endsPasskeys, storing: unfinished.stored,
            removing: [FailureReports.entry])
        defer { opened.close() }
        return NewKey(ended: endedNames, messageKey: await finishNewKey(in: opened))
    }

    /// Gives the vault a new key, which only a passkey and the passphrase together open. Reports of failed runs are deleted.
    ///
    /// - Parameters:
    ///   - output: of the passkey's pseudo-random function.
    ///   - browserID: the browser in which the owner does it, which the page still knows.
    /// - Returns: with the one way into the vault that is left.
    @discardableResult
    package func requireBoth(
        passkey credentialID: [UInt8], output: Secret, passphrase: Secret, in browserID: String? = nil
    ) async throws -> (slot: KeySlot, key: NewKey) {
        let secrets = try await open(
            PassphraseVerification(passphrase, from: .page), reason: "Require passkey and passphrase")
        defer { secrets.close() }
        let slots = try await secrets.slots()
        let before = slots.first { $0.passkey?.credentialID == credentialID }
        let name = try await PhoneDatabase(self).slotNames()[before?.id ?? ""] ?? before?.name
        let unfinished = UnfinishedKey(
            .vaultRequiresBoth, ["name": .string(name ?? "")],
            ending: slots.filter { !$0.isPassphrase && $0.id != before?.id }, in: browserID)
        let (opened, slot) = try await secrets.requireBoth(
            passkey: credentialID, output: output, passphrase: passphrase, named: name, storing: unfinished.stored,
            removing: [FailureReports.entry])
        defer { opened.close() }
        return (slot, NewKey(ended: [], messageKey: await finishNewKey(in: opened)))
    }

    /// Accepts the vault's file as the newest, after the owner has restored a backup.
    package func acceptRestoredVault(passphrase: Secret) async throws {
        let lock = try claim()
        defer { withExtendedLifetime(lock) {} }
        try await vault.acceptRestored(passphrase: passphrase)
        try await PhoneDatabase(self).audit.record(AuditEvent(.vaultRestored, severity: .warning))
    }
}
