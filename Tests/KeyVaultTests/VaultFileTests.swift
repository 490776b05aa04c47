import Clocks
import Crypto
import Encodings
import Foundation
import JSON
import Secrets
import Testing

@testable import KeyVault

private let output = Secret(bytes: [UInt8](repeating: 9, count: 32))
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
            #expect((slot.wrappingKey(passkeyOutput: output) != nil) == (!isPassphrase && !needsBoth))
            #expect(try (slot.wrappingKey(passphrase: passphrase, passkeyOutput: output) != nil) == needsBoth)
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
        try await store.addPasskey(aPasskey(), output: output, named: "Telephone")
        try await store.store(Secret("first vault secret"), named: "a")
        var fields = try #require(try JSONReader.read(Data(contentsOf: place.file)).objectValue)
        fields[name] = value
        try Data(JSONValue.object(fields).canonicalBytes()).write(to: place.file)
        await #expect { try await place.vault.open(passkey: [1, 2, 3], output: output) } throws: {
            code($0) == expected
        }
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
        try await store.addPasskey(aPasskey(), output: output, named: "Telephone")
        try await store.store(Secret("first vault secret"), named: "a")
        var fields = try #require(try JSONReader.read(Data(contentsOf: place.file)).objectValue)
        fields["generation"] = nil
        fields["mac"] = nil
        let mac = HMAC<SHA256>.authenticationCode(
            for: try JSONValue.object(fields).canonicalBytes(),
            using: try store.key.subkey(for: "countersign vault file 1"))
        fields["mac"] = .string(Base64URL.encode(Array(mac)))
        try Data(JSONValue.object(fields).canonicalBytes()).write(to: place.file)
        let opened = try await place.vault.open(passkey: [1, 2, 3], output: output)
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
        #expect(try await store.addPasskey(aPasskey(), output: output, named: "Telephone").name == "Telephone")
        let short = KeySlot.Passkey(
            credentialID: [7], publicKey: [4], prfInput: [UInt8](repeating: 1, count: 31))
        await #expect { try await store.addPasskey(short, output: output, named: "Short") } throws: {
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

@Suite("A generated passphrase")
struct GeneratedPassphraseTests {
    @Test("has five groups of four, of characters that look like no others")
    func form() {
        var seen: Set<Character> = []
        var all: Set<String> = []
        for _ in 0..<400 {
            let text = Vault.generatedPassphrase().revealed()
            #expect(text.wholeMatch(of: /([a-hjkmnp-z2-9]{4}-){4}[a-hjkmnp-z2-9]{4}/) != nil)
            seen.formUnion(text)
            all.insert(text)
        }
        #expect(all.count == 400)
        // 8,000 characters leave out one of the 31 with a probability of 1 in 10 to the 112.
        #expect(seen == Set("abcdefghjkmnpqrstuvwxyz23456789-"))
    }
}

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

/// A machine whose boots have no name.
private struct NamelessBoot: BootClock {
    let boot: String? = nil
    let uptime = 0.0
}

@Suite("Wrong passphrases from several sources")
struct PassphraseSourceTests {
    @Test("are forgiven when the file is gone or can be removed, and not when it stays")
    func forgiven() throws {
        let place = try TemporaryVault()
        let attempts = PassphraseAttempts(vault: place.file, source: .terminal, clock: place.clock)
        try attempts.forgive()
        try attempts.charge()
        errno = EACCES
        try attempts.forgive()
        #expect(!FileManager.default.fileExists(atPath: attempts.file.path))
        try FileManager.default.createDirectory(at: attempts.file, withIntermediateDirectories: false)
        #expect(throws: POSIXError.self) { try attempts.forgive() }
    }

    @Test("count in full for a spoilt record on a machine whose boots have no name")
    func nameless() throws {
        let place = try TemporaryVault()
        try Data("nonsense".utf8).write(to: place.file.appendingPathExtension("attempts"))
        let attempts = PassphraseAttempts(vault: place.file, source: .terminal, clock: NamelessBoot())
        #expect(try attempts.wait() == .seconds(30))
    }

    @Test("are counted apart, each in a file of its own")
    func apart() async throws {
        let place = try TemporaryVault()
        let vault = place.vault
        _ = try await vault.create(passphrase: passphrase)
        for _ in 0..<10 {
            await #expect { try await vault.open(passphrase: Secret("not the passphrase"), from: .page) } throws: {
                code($0) == .wrongPassphrase
            }
        }
        await #expect { try await vault.open(passphrase: passphrase, from: .page) } throws: {
            code($0) == .delayed && "\($0)" == "too many wrong passphrases; the next is tried in 30 seconds"
        }
        #expect(try vault.waitBeforeAttempt(from: .page) == .seconds(30))
        #expect(try vault.waitBeforeAttempt() == .zero)
        #expect(try vault.waitBeforeAttempt(from: .signIn) == .zero)
        _ = try await vault.open(passphrase: passphrase)
        #expect(PassphraseSource.allCases.map(\.fileExtension) == ["attempts", "attempts-page", "attempts-sign-in"])
        #expect(FileManager.default.fileExists(atPath: place.file.path + ".attempts-page"))
        place.clock.pass(29.5)
        await #expect { try await vault.open(passphrase: passphrase, from: .page) } throws: {
            "\($0)" == "too many wrong passphrases; the next is tried in 1 seconds"
        }
    }

    @Test("delay five minutes at most at the page", arguments: [(9, 0), (10, 30), (13, 240), (14, 300), (999, 300)])
    func schedule(wrong: Int, seconds: Double) {
        #expect(PassphraseAttempts.delay(after: wrong, at: .page) == seconds)
        #expect(PassphraseAttempts.delay(after: wrong, at: .signIn) == seconds)
    }

    @Test("an empty passphrase is an attempt, and is wrong")
    func empty() async throws {
        let place = try TemporaryVault()
        _ = try await place.vault.create(passphrase: passphrase)
        await #expect { try await place.vault.open(passphrase: Secret("")) } throws: {
            code($0) == .wrongPassphrase && "\($0)" == "the passphrase is empty"
        }
        let record = try JSONReader.read(Data(contentsOf: place.file.appendingPathExtension("attempts")))
        #expect(record == ["version": 1, "wrong_in_a_row": 1, "boot": "one", "uptime": 1000])
    }

    @Test(
        "a record counts as ten when it cannot be read",
        arguments: [
            "{}", #"{"wrong_in_a_row":-1,"uptime":0}"#, #"{"wrong_in_a_row":3}"#, #"{"uptime":0}"#,
        ])
    func unreadable(text: String) async throws {
        let place = try TemporaryVault()
        place.clock.restart()
        try Data(text.utf8).write(to: place.file.appendingPathExtension("attempts"))
        #expect(try place.vault.waitBeforeAttempt() == .seconds(30))
    }

    @Test("a record of zero delays nothing, and time before a restart does not count")
    func restarts() async throws {
        let place = try TemporaryVault()
        let file = place.file.appendingPathExtension("attempts")
        try Data(#"{"wrong_in_a_row":0,"uptime":0}"#.utf8).write(to: file)
        #expect(try place.vault.waitBeforeAttempt() == .zero)
        try Data(#"{"boot":"one","wrong_in_a_row":10,"uptime":1000}"#.utf8).write(to: file)
        place.clock.pass(10)
        #expect(try place.vault.waitBeforeAttempt() == .seconds(20))
        place.clock.restart()
        place.clock.pass(7)
        #expect(try place.vault.waitBeforeAttempt() == .seconds(23))
        // An uptime before that of the record shows a restart whose boot has no name.
        try Data(#"{"boot":"two","wrong_in_a_row":10,"uptime":8}"#.utf8).write(to: file)
        #expect(try place.vault.waitBeforeAttempt() == .seconds(23))
    }
}
