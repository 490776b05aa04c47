import Encodings
import Foundation
import Secrets
import Testing

@testable import KeyVault

private let id = "0f0e0d0c-0b0a-4900-8807-060504030201"

private func encoded(_ count: Int) -> JSONValue { .string(Base64URL.encode([UInt8](repeating: 7, count: count))) }

@Suite("A key slot in a file")
struct KeySlotTests {
    private static let passphraseSlot: [String: JSONValue] = [
        "id": .string(id), "name": "Passphrase", "created_at": 1_770_000_000, "kind": "passphrase", "n": 1024, "r": 8,
        "p": 1, "salt": encoded(16),
    ]
    private static let passkeySlot: [String: JSONValue] = [
        "id": .string(id), "name": "Telephone", "created_at": 1_770_000_000, "kind": "passkey",
        "credential_id": encoded(1), "public_key": encoded(3), "prf_input": encoded(32),
    ]
    private static let bothSlot = passphraseSlot.merging(passkeySlot) { $1 }
        .merging(["kind": "passkey and passphrase"]) { $1 }

    @Test("reads back, of each kind")
    func roundTrip() throws {
        for (fields, isPassphrase, needsBoth) in [
            (Self.passphraseSlot, true, false), (Self.passkeySlot, false, false), (Self.bothSlot, false, true),
        ] {
            let slot = try KeySlot(json: .object(fields))
            #expect(slot.json == .object(fields))
            #expect(slot.isPassphrase == isPassphrase && slot.needsBoth == needsBoth)
            #expect(slot.createdAt == Date(timeIntervalSince1970: 1_770_000_000))
            // Each kind derives its key from its own means, and from no other.
            #expect(try (slot.wrappingKey(passphrase: passphrase) != nil) == isPassphrase)
            #expect((slot.wrappingKey(passkeyOutput: passkeyOutput) != nil) == (!isPassphrase && !needsBoth))
            #expect(try (slot.wrappingKey(passphrase: passphrase, passkeyOutput: passkeyOutput) != nil) == needsBoth)
        }
    }

    @Test("needs each of its fields", arguments: ["passphrase", "passkey", "both"])
    func needed(kind: String) throws {
        let fields = kind == "both" ? Self.bothSlot : kind == "passkey" ? Self.passkeySlot : Self.passphraseSlot
        for name in fields.keys {
            for value in [nil, .bool(true)] as [JSONValue?] {
                var changed = fields
                changed[name] = value
                #expect(throws: VaultError.self, "\(name)") { try KeySlot(json: .object(changed)) }
            }
        }
    }

    @Test(
        "has bounds",
        arguments: [
            ("salt", encoded(15), false), ("salt", encoded(16), true), ("credential_id", encoded(0), false),
            ("credential_id", encoded(1023), true), ("credential_id", encoded(1024), false),
            ("prf_input", encoded(31), false), ("prf_input", encoded(33), false), ("id", "0", false),
            ("kind", "key", false), ("n", 512, false), ("p", 5, false), ("p", 4, true),
        ] as [(String, JSONValue, Bool)])
    func bounds(name: String, value: JSONValue, isValid: Bool) {
        var fields = Self.bothSlot
        fields[name] = value
        #expect(((try? KeySlot(json: .object(fields))) != nil) == isValid)
    }

    @Test("takes whole seconds, so that it reads back")
    func seconds() {
        let slot = KeySlot(
            name: "a", createdAt: Date(timeIntervalSince1970: 1.9),
            kind: .passphrase(.standard, salt: [UInt8](repeating: 1, count: 32)))
        #expect(slot.createdAt == Date(timeIntervalSince1970: 1))
    }

    @Test(
        "costs no more than 1 GiB",
        arguments: [
            (512, 8, 1, false), (1024, 8, 1, true), (1_048_576, 8, 4, true), (2_097_152, 8, 1, false),
            (133_120, 8, 1, false), (131_072, 7, 1, false), (131_072, 9, 1, false), (131_072, 8, 0, false),
            (131_072, 8, 5, false), (0, 8, 1, false),
        ])
    func affordable(cost: Int, blockSize: Int, parallelism: Int, isAffordable: Bool) {
        let parameters = ScryptParameters(cost: cost, blockSize: blockSize, parallelism: parallelism)
        #expect(parameters.isAffordable == isAffordable)
    }
}
