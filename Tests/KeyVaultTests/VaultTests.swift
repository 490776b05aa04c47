import Encodings
import Foundation
import Secrets
import Testing

@testable import KeyVault

@Suite struct Opening {
    @Test("what is stored comes back, after a restart too")
    func roundTrip() async throws {
        let place = try TemporaryVault()
        let made = try await place.vault.create(passphrase: passphrase)
        try await made.store(Secret("s3cret-in-vault"), named: "a")
        try await made.store(["b": Secret(""), "c": Secret(bytes: [0, 0x80, 0, 0])])
        let opened = try await place.vault.open(passphrase: passphrase)
        #expect(try await opened.secret(named: "a")?.revealed() == "s3cret-in-vault")
        #expect(try await opened.secret(named: "b")?.count == 0)
        #expect(try await opened.secret(named: "c")?.withUnsafeBytes { Array($0) } == [0, 0x80, 0, 0])
        #expect(try await opened.secret(named: "d") == nil)
        try await opened.remove(named: "a")
        #expect(try await made.secret(named: "a") == nil)
        let mode = try FileManager.default.attributesOfItem(atPath: place.file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test("a writer waits for the one before it")
    func writers() async throws {
        let place = try TemporaryVault()
        let store = try await place.vault.create(passphrase: passphrase)
        let writing: Task<Void, any Error>
        do {
            let lock = try place.vault.lock()
            writing = Task { try await store.store(Secret("s3cret-in-vault"), named: "a") }
            try await Task.sleep(for: .milliseconds(200))
            #expect(try await store.secret(named: "a") == nil)
            withExtendedLifetime(lock) {}
        }
        try await writing.value
        #expect(try await store.secret(named: "a")?.revealed() == "s3cret-in-vault")
    }

    @Test("the standard cost is the specification's")
    func cost() async throws {
        let place = try TemporaryVault()
        let vault = Vault(file: place.file)
        _ = try await vault.create(passphrase: passphrase)
        guard case .passphrase(let scrypt, let salt)? = try vault.slots().first?.kind else {
            Issue.record("no passphrase slot")
            return
        }
        #expect(scrypt.cost >= 1 << 17)
        #expect(scrypt.blockSize == 8 && scrypt.parallelism == 1 && salt.count == 32)
        _ = try await vault.open(passphrase: passphrase)
    }

    @Test("a vault is not created twice, and a missing vault is not opened")
    func exists() async throws {
        let place = try TemporaryVault()
        await #expect { try await place.vault.open(passphrase: passphrase) } throws: { code($0) == .missing }
        _ = try await place.vault.create(passphrase: passphrase)
        await #expect { try await place.vault.create(passphrase: passphrase) } throws: { code($0) == .exists }
    }

    @Test("a closed vault gives nothing")
    func closed() async throws {
        let place = try TemporaryVault()
        let store = try await place.vault.create(passphrase: passphrase)
        try await store.store(Secret("first vault secret"), named: "a")
        store.close()
        await #expect { try await store.secret(named: "a") } throws: { code($0) == .locked }
        await #expect { try await store.store(Secret("other vault secret"), named: "a") } throws: {
            code($0) == .locked
        }
        await #expect { try await store.addPassphrase(passphrase, named: "z") } throws: { code($0) == .locked }
    }

    @Test("entries cannot trade places, and lengths do not show")
    func bound() async throws {
        let place = try TemporaryVault()
        let store = try await place.vault.create(passphrase: passphrase)
        try await store.store(["a": Secret("first-value-of-two"), "b": Secret("a much longer secret than the other")])
        let file = try VaultFile(contentsOf: place.file)
        #expect(file.entries["a"]?.count == file.entries["b"]?.count)
    }

    @Test("a passphrase that is too short is not taken")
    func weak() async throws {
        let place = try TemporaryVault()
        await #expect { try await place.vault.create(passphrase: Secret("7351924")) } throws: {
            code($0) == .weakPassphrase
        }
        #expect(!place.vault.exists)
    }
}

@Suite struct Slots {
    @Test("each slot opens the same vault, and can add and remove others")
    func several() async throws {
        let place = try TemporaryVault()
        let store = try await place.vault.create(passphrase: passphrase)
        try await store.store(Secret("first vault secret"), named: "a")
        let output = Secret(bytes: [UInt8](repeating: 9, count: 32))
        let passkey = try await store.addPasskey(aPasskey(), output: output, named: "Telephone")
        let opened = try await place.vault.open(passkey: [1, 2, 3], output: output)
        #expect(try await opened.secret(named: "a")?.revealed() == "first vault secret")
        try await opened.addPassphrase(Secret("another passphrase"), named: "Second")
        #expect(try place.vault.slots().map(\.name) == ["Passphrase", "Telephone", "Second"])
        let first = try #require(try await opened.slots().first)
        try await opened.removeSlot(first.id)
        await #expect { try await place.vault.open(passphrase: passphrase) } throws: { code($0) == .wrongPassphrase }
        _ = try await place.vault.open(passphrase: Secret("another passphrase"))
        try await opened.removeSlot(passkey.id)
        await #expect { try await place.vault.open(passkey: [1, 2, 3], output: output) } throws: {
            code($0) == .wrongPasskey
        }
    }

    @Test("the last slot stays")
    func last() async throws {
        let place = try TemporaryVault()
        let store = try await place.vault.create(passphrase: passphrase)
        let only = try #require(try await store.slots().first)
        await #expect { try await store.removeSlot(only.id) } throws: { code($0) == .lastSlot }
        await #expect { try await store.removeSlot("nonsense") } throws: { code($0) == .unknownSlot }
        _ = try await place.vault.open(passphrase: passphrase)
    }

    @Test("every bit of a passkey's output matters", arguments: Array(stride(from: 0, to: 256, by: 17)))
    func wrongOutput(_ bit: Int) async throws {
        let place = try TemporaryVault()
        let store = try await place.vault.create(passphrase: passphrase)
        var output = [UInt8](repeating: 9, count: 32)
        try await store.addPasskey(aPasskey(), output: Secret(bytes: output), named: "Telephone")
        output[bit / 8] ^= 1 << (bit % 8)
        let wrong = Secret(bytes: output)
        await #expect { try await place.vault.open(passkey: [1, 2, 3], output: wrong) } throws: {
            code($0) == .wrongPasskey
        }
    }

    @Test("a passkey opens once, and needs 32 bytes")
    func passkeyRules() async throws {
        let place = try TemporaryVault()
        let store = try await place.vault.create(passphrase: passphrase)
        let output = Secret(bytes: [UInt8](repeating: 9, count: 32))
        try await store.addPasskey(aPasskey(), output: output, named: "One")
        await #expect { try await store.addPasskey(aPasskey(), output: output, named: "Two") } throws: {
            code($0) == .exists
        }
        await #expect {
            try await store.addPasskey(aPasskey(2), output: Secret("short-prf-output"), named: "Two")
        } throws: {
            code($0) == .wrongPasskey
        }
    }
}

@Suite struct Damage {
    @Test("a flipped bit anywhere refuses the whole file")
    func flipped() async throws {
        let place = try TemporaryVault()
        let store = try await place.vault.create(passphrase: passphrase)
        let output = Secret(bytes: [UInt8](repeating: 9, count: 32))
        try await store.addPasskey(aPasskey(), output: output, named: "Telephone")
        try await store.store(["a": Secret("first secret"), "b": Secret("second secret")])
        let whole = try Data(contentsOf: place.file)
        // Opening by the passkey costs no scrypt, so every third bit of the file can be tried.
        for bit in stride(from: 0, to: whole.count * 8, by: 3) {
            var damaged = whole
            damaged[bit / 8] ^= 1 << (bit % 8)
            try damaged.write(to: place.file)
            await #expect(throws: VaultError.self, "bit \(bit)") {
                let opened = try await place.vault.open(passkey: [1, 2, 3], output: output)
                _ = try await opened.secret(named: "a")
            }
            if bit % 60 == 0 {
                await #expect(throws: VaultError.self) { try await store.secret(named: "b") }
                await #expect(throws: VaultError.self) {
                    try await store.store(Secret("third vault secret"), named: "c")
                }
            }
        }
        try whole.write(to: place.file)
        _ = try await place.vault.open(passkey: [1, 2, 3], output: output)
    }

    @Test("a file cut off anywhere is refused", arguments: [0, 1, 10, 100, 300])
    func cut(_ length: Int) async throws {
        let place = try TemporaryVault()
        _ = try await place.vault.create(passphrase: passphrase)
        try Data(contentsOf: place.file).prefix(length).write(to: place.file)
        await #expect { try await place.vault.open(passphrase: passphrase) } throws: { code($0) == .damaged }
    }

    @Test("a slot or entry from another vault is refused")
    func transplanted() async throws {
        let place = try TemporaryVault()
        let other = try TemporaryVault()
        let mine = try await place.vault.create(passphrase: passphrase)
        try await mine.store(Secret("vault secret of mine"), named: "a")
        _ = try await other.vault.create(passphrase: Secret("the attacker's own"))
        var json = try JSONReader.read(Data(contentsOf: place.file)).objectValue ?? [:]
        let theirs = try JSONReader.read(Data(contentsOf: other.file))["slots"]?.arrayValue ?? []
        json["slots"] = .array((json["slots"]?.arrayValue ?? []) + theirs)
        try Data(JSONValue.object(json).canonicalBytes()).write(to: place.file)
        await #expect { try await place.vault.open(passphrase: passphrase) } throws: { code($0) == .damaged }
        await #expect { try await place.vault.open(passphrase: Secret("the attacker's own")) } throws: {
            code($0) == .wrongPassphrase
        }
    }

    @Test(
        "a hostile file cannot ask for much memory or time",
        arguments: [("n", 1 << 30), ("n", 3), ("n", 131_073), ("r", 1 << 20), ("p", 1 << 20), ("n", 2)])
    func hostile(_ name: String, _ value: Int) async throws {
        let place = try TemporaryVault()
        _ = try await place.vault.create(passphrase: passphrase)
        var json = try JSONReader.read(Data(contentsOf: place.file)).objectValue ?? [:]
        var slot = json["slots"]?.arrayValue?.first?.objectValue ?? [:]
        slot[name] = .number(Double(value))
        json["slots"] = [.object(slot)]
        try Data(JSONValue.object(json).canonicalBytes()).write(to: place.file)
        await #expect { try await place.vault.open(passphrase: passphrase) } throws: { code($0) == .unsupported }
    }

    @Test("a huge file is not read")
    func huge() async throws {
        let place = try TemporaryVault()
        try Data(repeating: 0x20, count: 3 << 20).write(to: place.file)
        await #expect { try await place.vault.open(passphrase: passphrase) } throws: { code($0) == .damaged }
    }
}

@Suite struct Patience {
    @Test("ten wrong passphrases make a delay that grows, survives a restart and minds no clock")
    func delays() async throws {
        let place = try TemporaryVault()
        let vault = place.vault
        let clock = place.clock
        _ = try await vault.create(passphrase: passphrase)
        for _ in 0..<10 {
            await #expect { try await vault.open(passphrase: Secret("no passphrase of this vault")) } throws: {
                code($0) == .wrongPassphrase
            }
        }
        await #expect { try await vault.open(passphrase: passphrase) } throws: {
            code($0) == .delayed && ($0 as? VaultError)?.wait == .seconds(30)
        }
        clock.pass(29)
        await #expect { try await vault.open(passphrase: passphrase) } throws: { code($0) == .delayed }
        clock.pass(1)
        await #expect { try await vault.open(passphrase: Secret("no passphrase of this vault")) } throws: {
            code($0) == .wrongPassphrase
        }
        clock.restart()
        await #expect { try await vault.open(passphrase: passphrase) } throws: {
            ($0 as? VaultError)?.wait == .seconds(60)
        }
        clock.pass(60)
        _ = try await vault.open(passphrase: passphrase)
        await #expect { try await vault.open(passphrase: Secret("no passphrase of this vault")) } throws: {
            code($0) == .wrongPassphrase
        }
        _ = try await vault.open(passphrase: passphrase)
    }

    @Test("an attempt is counted before it is made")
    func chargedFirst() async throws {
        let place = try TemporaryVault()
        _ = try await place.vault.create(passphrase: passphrase)
        let attempts = PassphraseAttempts(vault: place.file, source: .terminal, clock: place.clock)
        for _ in 0..<10 { try attempts.charge() }
        await #expect { try await place.vault.open(passphrase: passphrase) } throws: { code($0) == .delayed }
    }

    @Test(
        "the delay doubles up to a day",
        arguments: [(9, 0), (10, 30), (11, 60), (15, 960), (22, 86_400), (999, 86_400)])
    func schedule(_ wrong: Int, _ seconds: Double) {
        #expect(PassphraseAttempts.delay(after: wrong, at: .terminal) == seconds)
    }

    @Test("a record that was spoilt gives no ten free guesses")
    func spoilt() async throws {
        let place = try TemporaryVault()
        _ = try await place.vault.create(passphrase: passphrase)
        let record = place.file.appendingPathExtension("attempts")
        try Data("nonsense".utf8).write(to: record)
        await #expect { try await place.vault.open(passphrase: Secret("no passphrase of this vault")) } throws: {
            code($0) == .wrongPassphrase
        }
        await #expect { try await place.vault.open(passphrase: passphrase) } throws: { code($0) == .delayed }
    }
}
