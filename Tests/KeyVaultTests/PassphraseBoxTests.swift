import Encodings
import Foundation
import Secrets
import Testing

@testable import KeyVault

private func encoded(_ count: Int) -> JSONValue { .string(Base64URL.encode([UInt8](repeating: 7, count: count))) }

@Suite("A file that a passphrase opens")
struct PassphraseBoxTests {
    private static let content = Secret("the whole content of an export")

    private static func sealed() throws -> [String: JSONValue] {
        let bytes = try PassphraseBox.seal(
            content, as: "export of tests", passphrase: passphrase, scrypt: .cheapForTests)
        return try #require(try JSONReader.read(bytes).objectValue)
    }

    @Test("opens with its passphrase, and for its purpose only")
    func roundTrip() throws {
        let fields = try Self.sealed()
        #expect(Set(fields.keys) == ["format", "version", "n", "r", "p", "salt", "sealed"])
        #expect(fields["version"] == 1 && fields["n"] == 1024 && fields["r"] == 8 && fields["p"] == 1)
        let json = JSONValue.object(fields)
        #expect(
            try PassphraseBox.open(json, of: "export of tests", passphrase: passphrase).revealed()
                == Self.content.revealed())
        #expect(PassphraseBox.isBox(json, of: "export of tests") && !PassphraseBox.isBox(json, of: "export"))
        #expect { try PassphraseBox.open(json, of: "export", passphrase: passphrase) } throws: { code($0) == .damaged }
        #expect {
            try PassphraseBox.open(json, of: "export of tests", passphrase: Secret("not the passphrase"))
        } throws: {
            code($0) == .wrongPassphrase
        }
        #expect {
            try PassphraseBox.seal(Self.content, as: "export of tests", passphrase: Secret("elevenchars"))
        } throws: {
            code($0) == .weakPassphrase
        }
    }

    @Test(
        "is refused with a reason after a change",
        arguments: [
            ("format", nil, VaultError.Code.damaged), ("sealed", nil, .damaged), ("salt", nil, .damaged),
            ("n", nil, .damaged), ("r", nil, .damaged), ("p", nil, .damaged), ("version", 2, .unsupported),
            ("version", nil, .unsupported), ("n", 2_097_152, .unsupported), ("r", 9, .unsupported),
            ("p", 5, .unsupported),
            ("p", 2, .wrongPassphrase), ("salt", encoded(32), .wrongPassphrase), ("more", 1, .wrongPassphrase),
            ("sealed", encoded(64), .wrongPassphrase),
        ] as [(String, JSONValue?, VaultError.Code)])
    func changed(name: String, value: JSONValue?, expected: VaultError.Code) throws {
        var fields = try Self.sealed()
        fields[name] = value
        #expect { try PassphraseBox.open(.object(fields), of: "export of tests", passphrase: passphrase) } throws: {
            code($0) == expected
        }
    }
}
