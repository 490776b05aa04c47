import Crypto
import Encodings
import Foundation
import Secrets
import Testing

@testable import KeyVault

@Suite("A vault's file")
struct VaultFileTests {
    @Test(
        "is refused with a reason when a field is missing, wrong or too many",
        arguments: [
            ("format", "another", VaultError.Code.damaged), ("format", nil, .damaged), ("version", 2, .unsupported),
            ("version", nil, .unsupported), ("id", nil, .damaged), ("slots", nil, .damaged), ("slots", [1], .damaged),
            ("entries", [], .damaged), ("entries", ["a": 1], .damaged), ("mac", nil, .damaged), ("mac", 1, .damaged),
            ("more", 1, .damaged), ("generation", 0, .damaged), ("generation", -1, .damaged),
            ("generation", "2", .damaged), ("generation", nil, .damaged), ("generation", 2, .damaged),
        ] as [(String, JSONValue?, VaultError.Code)])
    func fields(name: String, value: JSONValue?, expected: VaultError.Code) async throws {
        let place = try TemporaryVault()
        let store = try await place.vault.create(passphrase: passphrase)
        try await store.addPasskey(aPasskey(), output: passkeyOutput, named: "Telephone")
        try await store.store(Secret("first vault secret"), named: "a")
        var fields = try #require(try JSONReader.read(Data(contentsOf: place.file)).objectValue)
        fields[name] = value
        try Data(JSONValue.object(fields).canonicalBytes()).write(to: place.file)
        await #expect { try await place.vault.open(passkey: [1, 2, 3], output: passkeyOutput) } throws: {
            code($0) == expected
        }
    }

    @Test("says its version, and that a key slot has a field too many")
    func slotField() async throws {
        let place = try TemporaryVault()
        _ = try await place.vault.create(passphrase: passphrase)
        var fields = try #require(try JSONReader.read(Data(contentsOf: place.file)).objectValue)
        #expect(fields["version"] == 1)
        var slot = try #require(fields["slots"]?.arrayValue?.first?.objectValue)
        slot["more"] = 1
        fields["slots"] = [.object(slot)]
        try Data(JSONValue.object(fields).canonicalBytes()).write(to: place.file)
        let error = #expect(throws: VaultError.self) { try VaultFile(contentsOf: place.file) }
        #expect(error?.message.hasSuffix("a key slot has a field too many") == true, "\(error?.message ?? "no error")")
    }

    @Test("costs a guess 128 MiB: N = 131072, r = 8, p = 1 (RFC 7914)")
    func cost() {
        #expect(ScryptParameters.standard == ScryptParameters(cost: 131_072, blockSize: 8, parallelism: 1))
    }

    @Test("counts its writes, and a file from before there was a count is generation 0")
    func generation() async throws {
        let place = try TemporaryVault()
        let store = try await place.vault.create(passphrase: passphrase)
        #expect(try VaultFile(contentsOf: place.file).generation == 1)
        try await store.store(Secret("first vault secret"), named: "a")
        #expect(try VaultFile(contentsOf: place.file).generation == 2)
        var fields = try #require(try JSONReader.read(Data(contentsOf: place.file)).objectValue)
        fields["generation"] = nil
        try Data(JSONValue.object(fields).canonicalBytes()).write(to: place.file)
        #expect(try VaultFile(contentsOf: place.file).generation == 0)
    }

    @Test("that was written before there was a count opens, and nothing else is signed")
    func uncounted() async throws {
        let place = try TemporaryVault()
        let store = try await place.vault.create(passphrase: passphrase)
        try await store.addPasskey(aPasskey(), output: passkeyOutput, named: "Telephone")
        try await store.store(Secret("first vault secret"), named: "a")
        var fields = try #require(try JSONReader.read(Data(contentsOf: place.file)).objectValue)
        fields["generation"] = nil
        fields["mac"] = nil
        let mac = HMAC<SHA256>.authenticationCode(
            for: try JSONValue.object(fields).canonicalBytes(),
            using: try store.key.subkey(for: "countersign vault file 1"))
        fields["mac"] = .string(Base64URL.encode(Array(mac)))
        try Data(JSONValue.object(fields).canonicalBytes()).write(to: place.file)
        let opened = try await place.vault.open(passkey: [1, 2, 3], output: passkeyOutput)
        #expect(try await opened.secret(named: "a")?.revealed() == "first vault secret")
        for value in [0, -1, "2"] as [JSONValue] {
            fields["generation"] = value
            try Data(JSONValue.object(fields).canonicalBytes()).write(to: place.file)
            let error = #expect(throws: VaultError.self) { try VaultFile(contentsOf: place.file) }
            #expect(error?.message.hasSuffix("the vault file's generation is not a positive number") == true)
        }
    }

    @Test("binds slots and entries to itself, in this form")
    func bindings() throws {
        let file = VaultFile()
        let slot = KeySlot(
            name: "a", createdAt: Date(timeIntervalSince1970: 1),
            kind: .passphrase(.standard, salt: [UInt8](repeating: 1, count: 32)))
        let slotText = String(decoding: try slot.json.canonicalBytes(), as: UTF8.self)
        #expect(
            String(decoding: try file.binding(slot), as: UTF8.self) == #"{"slot":\#(slotText),"vault":"\#(file.id)"}"#)
        #expect(
            String(decoding: try file.binding(entry: "b"), as: UTF8.self) == #"{"entry":"b","vault":"\#(file.id)"}"#)
    }

    @Test("returns each slot that was added, and takes no passkey whose input has another size")
    func added() async throws {
        let place = try TemporaryVault()
        let store = try await place.vault.create(passphrase: passphrase)
        #expect(try await store.addPassphrase(Secret("a second horse battery"), named: "Second").name == "Second")
        #expect(try await store.addPasskey(aPasskey(), output: passkeyOutput, named: "Telephone").name == "Telephone")
        let short = KeySlot.Passkey(
            credentialID: [7], publicKey: [4], prfInput: [UInt8](repeating: 1, count: 31))
        await #expect { try await store.addPasskey(short, output: passkeyOutput, named: "Short") } throws: {
            code($0) == .wrongPasskey
        }
        #expect(try await store.slots().map(\.name) == ["Passphrase", "Second", "Telephone"])
    }

    @Test("is read up to a mebibyte", arguments: [(1 << 20, false), ((1 << 20) + 1, true)])
    func largest(count: Int, isTooLarge: Bool) throws {
        let place = try TemporaryVault()
        try Data(repeating: 0x20, count: count).write(to: place.file)
        let error = #expect(throws: VaultError.self) { try VaultFile(contentsOf: place.file) }
        #expect((error?.message.contains("too large") == true) == isTooLarge)
    }

    @Test("a folder in its place cannot be read, and no lock is made in a folder that is missing")
    func unreadable() async throws {
        let place = try TemporaryVault()
        try FileManager.default.createDirectory(at: place.file, withIntermediateDirectories: false)
        let error = #expect(throws: VaultError.self) { try VaultFile(contentsOf: place.file) }
        #expect(error.map { [.unreadable, .damaged].contains($0.code) } == true)
        let missing = Vault(file: place.file.appending(path: "no/vault.json"), scrypt: .cheapForTests)
        await #expect { try await missing.create(passphrase: passphrase) } throws: { code($0) == .unreadable }
    }

    @Test("an entry that was sealed for another name is not decrypted")
    func swapped() async throws {
        let place = try TemporaryVault()
        let store = try await place.vault.create(passphrase: passphrase)
        try await store.store(["a": Secret("first vault secret"), "b": Secret("other vault secret")])
        var file = try VaultFile(contentsOf: place.file)
        (file.entries["a"], file.entries["b"]) = (file.entries["b"], file.entries["a"])
        try file.write(to: place.file, under: store.key)
        let error = await #expect(throws: VaultError.self) { try await store.secret(named: "a") }
        #expect(error?.code == .damaged && error?.message == "the vault's entry a cannot be decrypted")
        await #expect { try await store.changePassphrase(to: Secret("a third horse battery")) } throws: {
            code($0) == .damaged
        }
    }

    @Test("several secrets are stored and removed in one write")
    func together() async throws {
        let place = try TemporaryVault()
        let store = try await place.vault.create(passphrase: passphrase)
        try await store.store(["a": Secret("first vault secret"), "b": Secret("other vault secret")])
        try await store.store(["c": Secret("third vault secret")], removing: ["a", "z"])
        #expect(try await store.names() == ["b", "c"])
        #expect(try await store.holds("b"))
        #expect(try await !store.holds("a"))
        #expect(try VaultFile(contentsOf: place.file).generation == 3)
    }

    @Test(
        "hides the length of a secret in blocks of 64 bytes",
        arguments: [(0, 64), (1, 64), (62, 64), (63, 64), (64, 128), (127, 128), (128, 192)])
    func padding(count: Int, padded: Int) throws {
        let secret = Secret(bytes: (0..<count).map { UInt8(0xA0 | $0 & 0x0F) })
        let added = Padding.added(to: secret)
        #expect(added.count == padded)
        #expect(try Padding.removed(from: added).withUnsafeBytes { Array($0) } == secret.withUnsafeBytes { Array($0) })
        #expect(added.withUnsafeBytes { $0.allSatisfy { $0 == 0 } }, "the padded copy is wiped")
    }

    @Test("an entry without padding is damaged", arguments: [[], [0, 0], [0x80, 0, 1]] as [[UInt8]])
    func unpadded(bytes: [UInt8]) {
        let error = #expect(throws: VaultError.self) { try Padding.removed(from: Secret(bytes: bytes)) }
        #expect(error?.code == .damaged)
    }

    @Test("a vault key has 32 bytes, and gives nothing once it is wiped")
    func key() throws {
        for count in [0, 31, 33] {
            let error = #expect(throws: VaultError.self) {
                try VaultKey(bytes: Secret(bytes: [UInt8](repeating: 3, count: count)))
            }
            #expect(error?.code == .damaged)
        }
        let key = try VaultKey(bytes: Secret(bytes: [UInt8](repeating: 3, count: 32)))
        let (one, other) = (try key.subkey(for: "one purpose"), try key.subkey(for: "another purpose"))
        #expect(one != other && one.bitCount == 256)
        #expect(try key.subkey(for: "one purpose") == one)
        key.wipe()
        #expect { try key.subkey(for: "one purpose") } throws: { code($0) == .locked }
        #expect { try key.sealed(under: one, binding: []) } throws: { code($0) == .locked }
    }
}
