import Clocks
import Encodings
import Foundation
import Secrets
import Testing

@testable import Authenticator

@Suite("A vault of tokens")
struct TokenVaultTests {
    @Test("adds, renames and deletes")
    func changes() throws {
        let token = try aToken()
        var vault = try aVault(token)
        let before = vault.lastModified
        try vault.rename(token.id, account: "robin.ashdown", at: someMoment)
        #expect(vault.tokens.map(\.account) == ["robin.ashdown"])
        #expect(vault.lastModified > before)
        try vault.delete(token.id, at: someMoment)
        #expect(vault.tokens.isEmpty && vault.tombstoneCount == 1)
        #expect(throws: SecondFactorError.self) { try vault.delete(token.id) }
        #expect(throws: SecondFactorError.self) { try vault.add(token) }
    }

    @Test("reads back from its JSON unchanged")
    func roundTrip() throws {
        let deleted = try aToken("Gone")
        var vault = try aVault(
            aToken("Ümläut & Söhne", account: "“q”/\\", digits: 8, period: 60, algorithm: .sha512), aToken(), deleted)
        try vault.delete(deleted.id)
        let read = try TokenVaultJSON.decoded(TokenVaultJSON.encoded(vault))
        #expect(read.hasSameContent(as: vault) && read.lastModified == vault.lastModified && read.version == 1)
    }

    @Test("keeps every millisecond of its dates", arguments: [0, 1, 9, 123, 500, 501, 998, 999])
    func milliseconds(_ fraction: Int) throws {
        let moment = Date(timeIntervalSince1970: 1_700_000_000 + Double(fraction) / 1000)
        let vault = try aVault(aToken(at: moment))
        #expect(
            try TokenVaultJSON.decoded(TokenVaultJSON.encoded(vault)).tokens.first?.createdAt.milliseconds
                == 1_700_000_000_000 + fraction)
    }

    @Test("has the fields of the data model")
    func fields() throws {
        let json = try JSONReader.read(TokenVaultJSON.encoded(aVault(aToken())))
        #expect(Set(json.objectValue!.keys) == ["version", "tokens", "lastModified", "tombstones"])
        #expect(
            Set(json["tokens"]!.arrayValue![0].objectValue!.keys) == [
                "id", "issuer", "account", "secret", "digits", "period", "algorithm", "createdAt", "updatedAt",
            ])
        #expect(json["tokens"]?.arrayValue?[0]["createdAt"] == "2026-09-21T14:13:20.000Z")
    }

    /// Returns the JSON of a vault with one token, after a change.
    private static func changed(_ change: (inout [String: JSONValue]) -> Void, token: Bool = false) throws -> [UInt8] {
        var vault = try JSONReader.read(TokenVaultJSON.encoded(aVault(aToken()))).objectValue!
        if token {
            var fields = vault["tokens"]!.arrayValue![0].objectValue!
            change(&fields)
            vault["tokens"] = [.object(fields)]
        } else {
            change(&vault)
        }
        return try JSONValue.object(vault).canonicalBytes()
    }

    @Test("refuses invalid and later versions without changing anything")
    func versions() throws {
        let table: [(JSONValue?, SecondFactorError.Code)] = [
            (0, .invalidVersion), (-1, .invalidVersion), (JSONValue?.none, .invalidVersion), ("1", .invalidVersion),
            (2, .unsupportedVersion), (999, .unsupportedVersion),
        ]
        for (version, code) in table {
            let bytes = try Self.changed { $0["version"] = version }
            let error = try #require(throws: SecondFactorError.self) { _ = try TokenVaultJSON.decoded(bytes) }
            #expect(error.code == code)
        }
    }

    @Test(
        "refuses a token with a missing field or one of the wrong type",
        arguments: ["id", "issuer", "account", "secret", "digits", "period", "algorithm", "createdAt", "updatedAt"])
    func tokenFields(_ field: String) throws {
        for value in [nil, .null, .array([]), "", true, .number(0.5)] as [JSONValue?] {
            let bytes = try Self.changed({ $0[field] = value }, token: true)
            let error = try #require(throws: SecondFactorError.self) { _ = try TokenVaultJSON.decoded(bytes) }
            #expect(error.code == .damaged && !error.message.contains(sampleSecret))
        }
    }

    @Test("refuses two tokens with one id, and a token that is both present and deleted")
    func duplicates() throws {
        let twice = try Self.changed { $0["tokens"] = .array($0["tokens"]!.arrayValue! + $0["tokens"]!.arrayValue!) }
        let both = try Self.changed { vault in
            let id = vault["tokens"]!.arrayValue![0]["id"]!
            vault["tombstones"] = [["id": id, "deletedAt": "2026-01-01T00:00:00.000Z"]]
        }
        for bytes in [twice, both] {
            let error = try #require(throws: SecondFactorError.self) { _ = try TokenVaultJSON.decoded(bytes) }
            #expect(error.code == .duplicateTokens)
        }
    }

    @Test("reads a vault without deletions and with unknown fields")
    func optional() throws {
        let bytes = try Self.changed {
            $0["tombstones"] = nil
            $0["colour"] = "green"
        }
        #expect(try TokenVaultJSON.decoded(bytes).count == 1)
    }

    @Test("keeps what a newer program has added, through changes and merges")
    func unknown() throws {
        let first = try Self.changed({ $0["icon"] = ["bank", 7] }, token: true)
        var whole = try JSONReader.read(first).objectValue!
        whole["colour"] = "green"
        var vault = try TokenVaultJSON.decoded(JSONValue.object(whole).canonicalBytes())
        let id = try #require(vault.tokens.first?.id)
        try vault.rename(id, account: "other", at: someMoment)
        try vault.add(try aToken("Another"), at: someMoment)
        for merged in [vault.merged(with: TokenVault()), TokenVault().merged(with: vault), vault] {
            let written = try JSONReader.read(TokenVaultJSON.encoded(merged))
            #expect(written["colour"] == "green")
            let tokens = try #require(written["tokens"]?.arrayValue)
            #expect(tokens.count == 2 && tokens.count { $0["icon"] == ["bank", 7] } == 1)
            #expect(tokens.first { $0["icon"] != nil }?["account"] == "other")
        }
        let before = try TokenVaultJSON.decoded(first)
        #expect(!before.hasSameContent(as: try TokenVaultJSON.decoded(JSONValue.object(whole).canonicalBytes())))
        try vault.delete(id, at: someMoment)
        let left = String(decoding: try TokenVaultJSON.encoded(vault), as: UTF8.self)
        #expect(!left.contains("icon") && left.contains("colour"), "a deleted token leaves nothing but its id")
    }

    @Test("migrates an older version step by step")
    func migration() throws {
        let old: JSONValue = ["version": 1, "entries": []]
        let migration = TokenVaultJSON.Migration(
            current: 3,
            steps: [
                1: { json in ["version": 2, "tokens": json["entries"] ?? .null] },
                2: { json in
                    ["version": 3, "tokens": json["tokens"] ?? .null, "lastModified": "2026-01-01T00:00:00.000Z"]
                },
            ])
        #expect(try TokenVaultJSON.decoded(old.canonicalBytes(), migration: migration).count == 0)
        let gap = TokenVaultJSON.Migration(current: 3, steps: [:])
        #expect(throws: SecondFactorError.self) { try TokenVaultJSON.decoded(old.canonicalBytes(), migration: gap) }
    }

    @Test("holds 10,000 tokens")
    func large() throws {
        var vault = TokenVault(at: someMoment)
        for number in 0..<10_000 { try vault.add(aToken("Bank \(number)"), at: someMoment) }
        let key = TokenVaultKey()
        let sealed = try EncryptedTokenVault(vault, under: key)
        #expect(try sealed.opened(with: key).hasSameContent(as: vault))
        #expect(sealed.ciphertext.count < 4 << 20)
    }
}

@Suite struct EncryptedTokenVaultTests {
    @Test("refuses every change of a single bit")
    func everyBit() throws {
        let key = TokenVaultKey()
        let sealed = try EncryptedTokenVault(aVault(aToken()), under: key)
        #expect(sealed.encryptionAlgorithm == "AES-GCM-256")
        var refused = 0
        for index in sealed.ciphertext.indices {
            for bit in 0..<8 {
                var changed = sealed.ciphertext
                changed[index] ^= 1 << UInt8(bit)
                do {
                    _ = try EncryptedTokenVault(ciphertext: changed).opened(with: key)
                } catch let error as SecondFactorError where error.code == .damaged {
                    refused += 1
                }
            }
        }
        #expect(refused == sealed.ciphertext.count * 8)
    }

    @Test("refuses a vault cut short at any length")
    func truncated() throws {
        let key = TokenVaultKey()
        let sealed = try EncryptedTokenVault(aVault(aToken()), under: key).ciphertext
        for length in 0..<sealed.count {
            #expect(throws: SecondFactorError.self) {
                try EncryptedTokenVault(ciphertext: sealed.prefix(length)).opened(with: key)
            }
        }
    }

    @Test("refuses another key, and a vault that is too large")
    func foreign() throws {
        let sealed = try EncryptedTokenVault(aVault(aToken()), under: TokenVaultKey())
        #expect(throws: SecondFactorError.self) { try sealed.opened(with: TokenVaultKey()) }
        let error = #expect(throws: SecondFactorError.self) {
            try EncryptedTokenVault(ciphertext: Data(count: TokenVaultJSON.largest + 29))
        }
        #expect(error?.code == .tooLarge)
    }

    @Test("refuses a key that does not have 32 bytes", arguments: [0, 16, 31, 33])
    func keySize(_ count: Int) {
        #expect(throws: SecondFactorError.self) {
            try TokenVaultKey(bytes: Secret(bytes: [UInt8](repeating: 7, count: count)))
        }
    }
}
