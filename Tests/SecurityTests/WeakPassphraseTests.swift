import Foundation
import KeyVault
import Secrets
import TestSupport
import Testing

/// Someone who has the vault's file and tries short passphrases.
@Suite("A short passphrase")
struct WeakPassphraseTests {
    @Test("cannot lock a new vault", arguments: ["12345678", "eleven char"])
    func short(passphrase: String) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let vault = Vault(file: folder.appending("vault.json"), scrypt: .cheapForTests)
        let error = await #expect(throws: VaultError.self) { try await vault.create(passphrase: Secret(passphrase)) }
        #expect(error?.code == .weakPassphrase)
        #expect(!vault.exists)
    }

    @Test("is not what the program generates")
    func generated() {
        let many = (0..<100).map { _ in Vault.generatedPassphrase().revealed() }
        #expect(Set(many).count == 100)
        for one in many {
            #expect(one.wholeMatch(of: /[a-hj-km-np-z2-9]{4}(-[a-hj-km-np-z2-9]{4}){4}/) != nil, "\(one)")
        }
    }
}
