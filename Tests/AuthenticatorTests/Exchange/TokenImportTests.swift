import Foundation
import KeyVault
import Secrets
import Testing

@testable import Authenticator

private let passphrase = Secret("a long enough passphrase")

private func read(_ text: String, passphrase given: Secret? = nil) throws -> TokenImport {
    try TokenImport.read(Secret(text), at: someMoment) {
        guard let given else { throw CancellationError() }
        return given
    }
}

@Suite("Imports and exports")
struct TokenImportTests {
    private static let aegis = """
        {"version": 1, "header": {"slots": null, "params": null}, "db": {"version": 3, "entries": [
          {"type": "totp", "uuid": "01234567-89ab-cdef-0123-456789abcdef", "name": "robin", "issuer": "Meridian",
           "note": "", "favorite": false, "icon": null,
           "info": {"secret": "\(sampleSecret)", "algo": "SHA256", "digits": 8, "period": 60}},
          {"type": "hotp", "name": "counter", "issuer": "Bank",
           "info": {"secret": "\(sampleSecret)", "algo": "SHA1", "digits": 6, "counter": 1}},
          {"type": "totp", "name": "seven", "issuer": "Bank",
           "info": {"secret": "\(sampleSecret)", "algo": "SHA1", "digits": 7, "period": 30}},
          {"type": "totp", "name": "broken", "issuer": "Bank"}
        ], "groups": []}}
        """

    @Test("reads a plain Aegis export, and names each refused entry with the reason")
    func aegisPlain() throws {
        let found = try read(Self.aegis)
        #expect(found.tokens.count == 1)
        let token = try #require(found.tokens.first)
        #expect((token.issuer, token.account, token.digits, token.period) == ("Meridian", "robin", 8, 60))
        #expect(token.algorithm == .sha256)
        #expect(found.refusals.map(\.name) == ["counter", "seven", "broken"])
    }

    @Test("reads a list of URIs with comments and invalid lines")
    func list() throws {
        let found = try read(
            """
            \u{FEFF}# exported
            otpauth://totp/A:a?secret=\(sampleSecret)

            hello
            otpauth://hotp/B:b?secret=\(sampleSecret)&counter=1\r
            otpauth-migration://offline?data=CigKEPqlBekzoNEukL7qlsjBCDYSDnBpQHJhc3BiZXJyeXBpIAEoATAC
            """)
        #expect(found.tokens.map(\.issuer) == ["A", "pi@raspberrypi"])
        #expect(found.refusals.map(\.name) == ["line 4", "line 5"])
    }

    @Test(
        "reports a file that is not an export",
        arguments: ["", "\n \n", "{", "{}", "{\"db\": 3}", "{\"header\": {}, \"db\": 3, \"version\": 1}", "[1]"])
    func none(_ text: String) {
        #expect(throws: (any Error).self) {
            let found = try read(text)
            if found.tokens.isEmpty, !found.refusals.isEmpty { throw CancellationError() }
        }
    }

    @Test("opens its encrypted export only with the passphrase, and refuses any change to it")
    func encrypted() throws {
        let vault = try aVault(aToken(), aToken("Other", digits: 8, algorithm: .sha512))
        let file = try TokenExport.encrypted(vault, passphrase: passphrase, scrypt: .cheapForTests)
        let text = String(decoding: file, as: UTF8.self)
        #expect(!text.contains(sampleSecret) && !text.contains("Meridian"))
        #expect(try read(text, passphrase: passphrase).tokens == vault.tokens)
        #expect(throws: VaultError.self) { try read(text, passphrase: Secret("another passphrase")) }
        for index in stride(from: 0, to: file.count, by: 7) {
            var changed = file
            changed[index] ^= 1
            #expect(throws: (any Error).self) {
                let found = try TokenImport.read(Secret(bytes: changed), at: someMoment) { passphrase }
                if found.tokens.isEmpty { throw CancellationError() }
            }
        }
    }

    @Test("refuses a short passphrase")
    func weak() {
        #expect(throws: VaultError.self) { try TokenExport.encrypted(aVault(aToken()), passphrase: Secret("q7-v2-Lw")) }
    }

    @Test("writes a plain export that other authenticators read")
    func plain() throws {
        let vault = try aVault(aToken(), aToken("Other"))
        let text = TokenExport.plain(vault).revealed()
        #expect(text.split(separator: "\n").count == 2)
        #expect(try read(text).tokens.map(\.issuer) == ["Meridian Savings", "Other"])
    }

    @Test("does not add a token twice")
    func twins() throws {
        var vault = try aVault(aToken())
        let added = try vault.add(contentsOf: [aToken(), aToken("New"), aToken("New"), aToken(digits: 8)])
        #expect(added.map(\.issuer) == ["New", "Meridian Savings"])
        #expect(vault.count == 3)
    }

    @Test("restores a deleted token on import, and keeps it when an older copy is merged")
    func undelete() throws {
        let token = try aToken()
        var vault = try aVault(token)
        try vault.delete(token.id)
        let old = vault
        #expect(try vault.add(contentsOf: [token]).count == 1)
        #expect(vault.merged(with: old).tokens.map(\.issuer) == ["Meridian Savings"])
    }

    @Test("opens a key for another device only with its passphrase")
    func key() throws {
        let key = TokenVaultKey()
        let file = try TokenExport.key(key, passphrase: passphrase, scrypt: .cheapForTests)
        #expect(try TokenExport.key(from: file, passphrase: passphrase).bytes.isEqual(to: key.bytes))
        #expect(throws: VaultError.self) {
            try TokenExport.key(from: file, passphrase: Secret("no passphrase of this export"))
        }
        #expect(throws: VaultError.self) {
            let export = try TokenExport.encrypted(aVault(aToken()), passphrase: passphrase, scrypt: .cheapForTests)
            return try TokenExport.key(from: export, passphrase: passphrase)
        }
    }
}
