import Foundation
import KeyVault
import Phone
import Secrets
import TestParties
import TestSupport
import Testing

/// Someone with an old backup of the phone's home, and the passphrase of that time.
@Suite("An old copy of the vault")
struct OldVaultCopyTests {
    private static let newPassphrase = Secret("another passphrase for tests")

    @Test("does not open what was written after the passphrase was changed, and neither does the old passphrase")
    func oldKey() async throws {
        try await TestPhone.with { phone in
            let before = try Data(contentsOf: phone.home.vaultFile)
            try await phone.home.changePassphrase(from: phone.verification, to: Self.newPassphrase)
            await #expect(throws: VaultError.self) { try await phone.vault.open(passphrase: TestPhone.passphrase) }
            let open = try await phone.vault.open(passphrase: Self.newPassphrase)
            #expect(try await open.secret(named: "credential/default/password")?.revealed() == "analytical engine")

            try await expectUseless(before, of: phone, "the old key authenticates today's file")
        }
    }

    @Test("with the passphrase does not open what was written after the vault needs both")
    func beforeBoth() async throws {
        try await TestPhone.with { phone in
            let passkey = KeySlot.Passkey(
                credentialID: [1, 2, 3], publicKey: [4, 5, 6], prfInput: [UInt8](repeating: 7, count: 32))
            let output = Secret(bytes: [UInt8](repeating: 8, count: 32))
            let open = try await phone.vault.open(passphrase: TestPhone.passphrase)
            try await open.addPasskey(passkey, output: output, named: "Key")
            open.close()
            let before = try Data(contentsOf: phone.home.vaultFile)
            _ = try await phone.home.requireBoth(
                passkey: passkey.credentialID, output: output, passphrase: TestPhone.passphrase)

            try await expectUseless(before, of: phone, "the old key opens today's file without the passkey")
        }
    }

    /// The thief opens the copy elsewhere with the passphrase of its time, and uses its key on today's entries.
    private func expectUseless(_ before: Data, of phone: TestPhone, _ otherwise: Comment) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let copy = Vault(file: folder.appending("vault.json"), scrypt: .cheapForTests)
        try before.write(to: copy.file)
        let stolen = try await copy.open(passphrase: TestPhone.passphrase)
        try Data(contentsOf: phone.home.vaultFile).write(to: copy.file)
        await #expect(throws: VaultError.self, otherwise) {
            try await stolen.secret(named: "credential/default/password")
        }
    }

    @Test("is not taken for the vault when it is put in its place, unless the owner says so")
    func rollback() async throws {
        try await TestPhone.with { phone in
            let before = try Data(contentsOf: phone.home.vaultFile)
            let open = try await phone.vault.open(passphrase: TestPhone.passphrase)
            try await open.store(Secret("a newer password"), named: "credential/default/password")
            open.close()
            try before.write(to: phone.home.vaultFile)

            let error = await #expect(throws: VaultError.self) {
                try await phone.vault.open(passphrase: TestPhone.passphrase)
            }
            #expect(error?.code == .rolledBack)
            await #expect(throws: VaultError.self, "a wrong passphrase accepts nothing") {
                try await phone.home.acceptRestoredVault(passphrase: Secret("not the passphrase"))
            }
            try await phone.home.acceptRestoredVault(passphrase: TestPhone.passphrase)
            let restored = try await phone.vault.open(passphrase: TestPhone.passphrase)
            #expect(try await restored.secret(named: "credential/default/password")?.revealed() == "analytical engine")
        }
    }
}
