import Encodings
import Foundation
import Secrets
import Testing

@testable import KeyVault

@Suite("A key with a version")
struct VersionedKeyTests {
    private static let bytes = [UInt8](repeating: 7, count: 32)
    private static let name = "request-statement.sealed"

    /// The key of these tests, stored as version 3.
    private func third() throws -> VersionedKey {
        try VersionedKey(Secret(bytes: [0, 3] + Self.bytes), unversioned: 1)
    }

    @Test("opens what was sealed before keys had versions")
    func unversioned() throws {
        // AES-256-GCM of PyCA's cryptography: nonce 00…0b, and the name as the associated data.
        let sealed = try #require(
            Base16.decode("000102030405060708090a0b79a18a1f6d70f9261192d5b2d3765c047fb26c1b7c287b2588f7a14c207401"))
        let key = try VersionedKey(Secret(bytes: Self.bytes), unversioned: 1)
        #expect(key.version == 1 && VersionedKey.version(of: sealed) == nil)
        #expect(try key.open(sealed, binding: Self.name).revealed() == "a copy of 0.1.0")
        #expect(try third().open(sealed, binding: Self.name).revealed() == "a copy of 0.1.0")
        #expect(throws: (any Error).self) { try key.open(sealed, binding: "another name") }
    }

    @Test("names its version, and seals under a subkey for each name")
    func versioned() throws {
        // HKDF and AES-256-GCM of PyCA's cryptography.
        let sealed = try #require(
            Base16.decode(
                "766b0003000102030405060708090a0b9c7f42ce0d25dc0cc8c5bb13e36678f483ac15aec1248b377815abe02e0eda46929cf7"
            ))
        #expect(VersionedKey.version(of: sealed) == 3)
        #expect(try third().open(sealed, binding: Self.name).revealed() == "a copy of version 3")
        let own = try third().seal(Array("again".utf8), binding: Self.name)
        #expect(own.starts(with: [0x76, 0x6B, 0, 3]))
        #expect(try third().open(own, binding: Self.name).revealed() == "again")
    }

    @Test("does not open what was changed, has another name, or is of another version")
    func foreign() throws {
        let sealed = try third().seal(Array("text".utf8), binding: Self.name)
        #expect(throws: (any Error).self) { try third().open(sealed, binding: "another name") }
        let fourth = try VersionedKey(Secret(bytes: [0, 4] + Self.bytes), unversioned: 1)
        #expect(throws: (any Error).self) { try fourth.open(sealed, binding: Self.name) }
        for place in sealed.indices {
            var changed = sealed
            changed[place] ^= 1
            #expect(throws: (any Error).self, "byte \(place)") { try third().open(changed, binding: Self.name) }
        }
        #expect(throws: (any Error).self) { try third().open([], binding: Self.name) }
    }

    @Test("is stored with its version, and a key of another length is refused")
    func stored() throws {
        let key = VersionedKey(version: 513)
        let again = try VersionedKey(key.stored, unversioned: 1)
        #expect(again.version == 513)
        #expect(try again.open(key.seal([1, 2, 3], binding: "a"), binding: "a").count == 3)
        for length in [0, 31, 33, 35] {
            #expect { try VersionedKey(Secret(bytes: [UInt8](repeating: 1, count: length)), unversioned: 1) } throws: {
                code($0) == .damaged
            }
        }
    }
}
