import Foundation
import Secrets
import Synchronization
import Testing

@testable import KeyVault

private let output = Secret(bytes: [UInt8](repeating: 9, count: 32))
private let second = Secret("a second horse battery staple")

@Suite("A vault's new key")
struct NewKeyTests {
    @Test("a new passphrase opens what was stored, and the old file opens nothing of the new one")
    func changed() async throws {
        let place = try TemporaryVault()
        let store = try await place.vault.create(passphrase: passphrase)
        try await store.store(["a": Secret("first vault secret"), "b": Secret("second vault secret")])
        try await store.addPasskey(aPasskey(), output: output, named: "Telephone")
        let old = try VaultFile(contentsOf: place.file)
        let (opened, ended) = try await store.changePassphrase(to: second, named: "New")
        #expect(ended.map(\.name) == ["Telephone"])
        #expect(try await opened.names() == ["a", "b"])
        #expect(try await opened.secret(named: "a")?.revealed() == "first vault secret")
        #expect(try place.vault.slots().map(\.name) == ["New"])
        await #expect { try await store.secret(named: "a") } throws: { code($0) == .locked }
        await #expect { try await place.vault.open(passphrase: passphrase) } throws: { code($0) == .wrongPassphrase }
        await #expect { try await place.vault.open(passkey: [1, 2, 3], output: output) } throws: {
            code($0) == .wrongPasskey
        }
        let again = try await place.vault.open(passphrase: second)
        #expect(try await again.secret(named: "b")?.revealed() == "second vault secret")
        // No entry is the old one's, and the old slot wraps another key.
        let new = try VaultFile(contentsOf: place.file)
        #expect(new.entries.keys.sorted() == ["a", "b"] && new.id == old.id && new.generation == old.generation + 1)
        #expect(new.entries["a"] != old.entries["a"] && new.entries["b"] != old.entries["b"])
        let key = try #require(
            try old.slots[0].slot.wrappingKey(passphrase: passphrase).flatMap {
                try old.unwrap(old.slots[0], under: $0)
            })
        #expect(try old.isAuthentic(under: key))
        #expect(try !new.isAuthentic(under: key))
    }

    @Test("a passkey that answers goes on under the new key, and one that does not open the vault changes nothing")
    func kept() async throws {
        let place = try TemporaryVault()
        let store = try await place.vault.create(passphrase: passphrase)
        try await store.store(Secret("a vault secret"), named: "a")
        try await store.addPasskey(aPasskey(), output: output, named: "Telephone")
        try await store.addPasskey(aPasskey(2), output: output, named: "Key")
        let before = try Data(contentsOf: place.file)
        let wrong = Secret(bytes: [UInt8](repeating: 8, count: 32))
        for passkey in [
            AnsweredPasskey(credentialID: [1, 2, 3], output: wrong), AnsweredPasskey(credentialID: [7], output: output),
        ] {
            await #expect { try await store.changePassphrase(to: second, keeping: passkey) } throws: {
                code($0) == .wrongPasskey
            }
        }
        #expect(try Data(contentsOf: place.file) == before)
        let (opened, ended) = try await store.changePassphrase(
            to: second, keeping: AnsweredPasskey(credentialID: [1, 2, 3], output: output))
        #expect(ended.map(\.name) == ["Key"])
        #expect(try place.vault.slots().map(\.name) == ["Passphrase", "Telephone"])
        #expect(try await opened.secret(named: "a")?.revealed() == "a vault secret")
        let again = try await place.vault.open(passkey: [1, 2, 3], output: output)
        #expect(try await again.secret(named: "a")?.revealed() == "a vault secret")
        _ = try await place.vault.open(passphrase: second)
    }

    @Test("a vault that another store has open gets no new key, and stays as it is")
    func inUse() async throws {
        let place = try TemporaryVault()
        let store = try await place.vault.create(passphrase: passphrase)
        try await store.addPasskey(aPasskey(), output: output, named: "Telephone")
        let before = try Data(contentsOf: place.file)
        let others = [
            try await place.vault.open(passphrase: passphrase),
            try await place.vault.open(passkey: [1, 2, 3], output: output),
        ]
        for other in others {
            await #expect { try await store.changePassphrase(to: second) } throws: { code($0) == .inUse }
            await #expect {
                try await store.requireBoth(passkey: [1, 2, 3], output: output, passphrase: passphrase)
            } throws: {
                code($0) == .inUse
            }
            other.close()
        }
        #expect(try Data(contentsOf: place.file) == before)
        _ = try await store.changePassphrase(to: second)
        await #expect { try await store.changePassphrase(to: second) } throws: { code($0) == .locked }
    }

    @Test("a passkey that was added meanwhile does not end without an answer")
    func newPasskey() async throws {
        let place = try TemporaryVault()
        let store = try await place.vault.create(passphrase: passphrase)
        try await store.addPasskey(aPasskey(), output: output, named: "Telephone")
        await #expect { try await store.changePassphrase(to: second, endsPasskeys: false) } throws: {
            code($0) == .wrongPasskey
        }
        #expect(try place.vault.slots().count == 2)
        try await store.removeSlot(try #require(place.vault.slots().first { $0.passkey != nil }).id)
        _ = try await store.changePassphrase(to: second, endsPasskeys: false)
        _ = try await place.vault.open(passphrase: second)
    }

    @Test("entries are stored and removed together with the new key")
    func together() async throws {
        let place = try TemporaryVault()
        let store = try await place.vault.create(passphrase: passphrase)
        try await store.store(["a": Secret("first vault secret"), "b": Secret("second vault secret")])
        let (opened, _) = try await store.changePassphrase(
            to: second, storing: ["c": Secret("third vault secret")], removing: ["a"])
        #expect(try await opened.names() == ["b", "c"])
        #expect(try await opened.secret(named: "c")?.revealed() == "third vault secret")
    }

    @Test("a vault that needs both is not opened to the passphrase alone by a new one")
    func keptBoth() async throws {
        let place = try TemporaryVault()
        let store = try await place.vault.create(passphrase: passphrase)
        try await store.addPasskey(aPasskey(), output: output, named: "Telephone")
        let (opened, _) = try await store.requireBoth(passkey: [1, 2, 3], output: output, passphrase: passphrase)
        await #expect { try await opened.changePassphrase(to: second, from: passphrase) } throws: {
            code($0) == .wrongPasskey
        }
        let passkey = AnsweredPasskey(credentialID: [1, 2, 3], output: output)
        for old in [second, nil] {
            await #expect { try await opened.changePassphrase(to: second, from: old, keeping: passkey) } throws: {
                code($0) == .wrongPasskey
            }
        }
        _ = try await opened.changePassphrase(to: second, from: passphrase, keeping: passkey)
        #expect(try place.vault.slots().map(\.needsBoth) == [true])
        let open = { try await place.vault.open(passkey: [1, 2, 3], output: output, passphrase: $0, from: .page) }
        _ = try await open(second)
        await #expect { try await open(passphrase) } throws: { code($0) == .wrongPasskey }
    }

    @Test(
        "a passphrase that is too short changes nothing", arguments: [("elevenchars", false), ("twelve chars", true)])
    func weak(text: String, isEnough: Bool) async throws {
        let place = try TemporaryVault()
        let store = try await place.vault.create(passphrase: passphrase)
        let before = try Data(contentsOf: place.file)
        if isEnough {
            _ = try await store.changePassphrase(to: Secret(text))
            _ = try await place.vault.open(passphrase: Secret(text))
        } else {
            await #expect { try await store.changePassphrase(to: Secret(text)) } throws: { code($0) == .weakPassphrase }
            await #expect { try await store.addPassphrase(Secret(text), named: "b") } throws: {
                code($0) == .weakPassphrase
            }
            #expect(try Data(contentsOf: place.file) == before)
            #expect(try await store.names() == [])
        }
    }

    @Test("with both required, neither the passkey nor the passphrase opens it alone")
    func both() async throws {
        let place = try TemporaryVault()
        let store = try await place.vault.create(passphrase: passphrase)
        try await store.store(Secret("first vault secret"), named: "a")
        try await store.addPasskey(aPasskey(), output: output, named: "Telephone")
        let (opened, slot) = try await store.requireBoth(passkey: [1, 2, 3], output: output, passphrase: passphrase)
        #expect(slot.needsBoth && !slot.isPassphrase && slot.name == "Telephone")
        #expect(slot.passkey?.credentialID == [1, 2, 3])
        #expect(try place.vault.slots() == [slot])
        #expect(try await opened.secret(named: "a")?.revealed() == "first vault secret")
        await #expect { try await store.secret(named: "a") } throws: { code($0) == .locked }
        await #expect { try await place.vault.open(passkey: [1, 2, 3], output: output) } throws: {
            code($0) == .wrongPasskey
        }
        await #expect { try await place.vault.open(passphrase: passphrase) } throws: {
            code($0) == .noPassphrase && "\($0)".contains("only with a passkey and the passphrase together")
        }
        let together = PasskeyAndPassphraseVerification(
            credentialID: [1, 2, 3], output: output, passphrase: passphrase, from: .page)
        #expect(together.means == .passkeyAndPassphrase)
        #expect(
            try await together.open(place.vault, reason: "r").secret(named: "a")?.revealed() == "first vault secret")
        let wrong: [([UInt8], Secret, Secret)] = [
            ([1, 2, 3], output, second), ([1, 2, 3], Secret(bytes: [UInt8](repeating: 8, count: 32)), passphrase),
            ([1, 2, 3], Secret(bytes: [UInt8](repeating: 9, count: 31)), passphrase), ([7], output, passphrase),
        ]
        for (passkey, output, passphrase) in wrong {
            await #expect {
                try await place.vault.open(passkey: passkey, output: output, passphrase: passphrase, from: .page)
            } throws: {
                code($0) == .wrongPasskey
            }
        }
    }

    @Test("with both required, wrong passphrases are counted, and a right one forgives them")
    func counted() async throws {
        let place = try TemporaryVault()
        let store = try await place.vault.create(passphrase: passphrase)
        try await store.addPasskey(aPasskey(), output: output, named: "Telephone")
        _ = try await store.requireBoth(passkey: [1, 2, 3], output: output, passphrase: passphrase)
        let vault = place.vault
        func open(_ passphrase: Secret) async throws {
            _ = try await vault.open(passkey: [1, 2, 3], output: output, passphrase: passphrase, from: .page)
        }
        for _ in 0..<9 {
            await #expect { try await open(second) } throws: { code($0) == .wrongPasskey }
        }
        try await open(passphrase)
        for _ in 0..<10 {
            await #expect { try await open(second) } throws: { code($0) == .wrongPasskey }
        }
        await #expect { try await open(passphrase) } throws: { code($0) == .delayed }
        place.clock.pass(30)
        try await open(passphrase)
        #expect(try place.vault.waitBeforeAttempt(from: .page) == .zero)
    }

    @Test("both can be required only with a passkey that opens the vault")
    func notBoth() async throws {
        let place = try TemporaryVault()
        let store = try await place.vault.create(passphrase: passphrase)
        try await store.addPasskey(aPasskey(), output: output, named: "Telephone")
        let before = try Data(contentsOf: place.file)
        let wrong = Secret(bytes: [UInt8](repeating: 8, count: 32))
        for (passkey, output) in [([1, 2, 3], wrong), ([2, 2, 3], output)] as [([UInt8], Secret)] {
            await #expect {
                try await store.requireBoth(passkey: passkey, output: output, passphrase: passphrase)
            } throws: {
                code($0) == .wrongPasskey
            }
        }
        #expect(try Data(contentsOf: place.file) == before)
        _ = try await place.vault.open(passphrase: passphrase)
    }

    @Test("another passkey of a vault that requires both needs the passphrase too")
    func another() async throws {
        let place = try TemporaryVault()
        let store = try await place.vault.create(passphrase: passphrase)
        try await store.addPasskey(aPasskey(), output: output, named: "Telephone")
        let (opened, _) = try await store.requireBoth(passkey: [1, 2, 3], output: output, passphrase: passphrase)
        await #expect { try await opened.addPasskey(aPasskey(2), output: output, named: "Key") } throws: {
            code($0) == .noPassphrase
        }
        let slot = try await opened.addPasskey(aPasskey(2), output: output, named: "Key", and: passphrase)
        #expect(slot.needsBoth)
        _ = try await place.vault.open(passkey: [2, 2, 3], output: output, passphrase: passphrase, from: .page)
    }

    @Test("a verification opens by its own means")
    func verifications() async throws {
        let place = try TemporaryVault()
        let store = try await place.vault.create(passphrase: passphrase)
        try await store.addPasskey(aPasskey(), output: output, named: "Telephone")
        let byPassphrase = PassphraseVerification(passphrase, from: .page)
        let byPasskey = PasskeyVerification(credentialID: [1, 2, 3], output: output)
        #expect(byPassphrase.means == .passphrase && byPasskey.means == .passkey)
        _ = try await byPassphrase.open(place.vault, reason: "r")
        _ = try await byPasskey.open(place.vault, reason: "r")
        #expect(VerificationMeans.passkeyAndPassphrase.rawValue == "passkey and passphrase")
    }
}

private final class Remembered: VaultGenerations {
    private let newest = Mutex<[String: Int]>([:])
    func newest(ofVault id: String) -> Int { newest.withLock { $0[id] ?? 0 } }
    func record(_ generation: Int, ofVault id: String) { newest.withLock { $0[id] = generation } }
    var all: [Int] { newest.withLock { Array($0.values) } }
}

@Suite("An older copy of a vault")
struct RolledBackTests {
    @Test("is refused by both ways in and by an open store, until its owner accepts it")
    func older() async throws {
        let place = try TemporaryVault()
        let memory = Remembered()
        let vault = place.vault(memory)
        let store = try await vault.create(passphrase: passphrase)
        try await store.addPasskey(aPasskey(), output: output, named: "Telephone")
        let old = try Data(contentsOf: place.file)
        try await store.store(Secret("newest vault secret"), named: "a")
        #expect(memory.all == [3])
        _ = try await vault.open(passphrase: passphrase)
        try old.write(to: place.file)
        await #expect { try await vault.open(passphrase: passphrase) } throws: {
            code($0) == .rolledBack && "\($0)".contains("(generation 2, the newest was 3)")
        }
        await #expect { try await vault.open(passkey: [1, 2, 3], output: output) } throws: { code($0) == .rolledBack }
        await #expect { try await store.secret(named: "a") } throws: { code($0) == .rolledBack }
        await #expect { try await store.store(Secret("other vault secret"), named: "b") } throws: {
            code($0) == .rolledBack
        }
        await #expect { try await vault.acceptRestored(passphrase: Secret("not the passphrase")) } throws: {
            code($0) == .wrongPassphrase
        }
        #expect(memory.all == [3])
        try await vault.acceptRestored(passphrase: passphrase)
        #expect(memory.all == [2])
        #expect(try await vault.open(passphrase: passphrase).names() == [])
    }

    @Test("a file that is newer than the record is one that a crash kept from being recorded")
    func newer() async throws {
        let place = try TemporaryVault()
        _ = try await place.vault.create(passphrase: passphrase)
        let memory = Remembered()
        let store = try await place.vault(memory).open(passphrase: passphrase)
        #expect(memory.all == [])
        try await store.store(Secret("newest vault secret"), named: "a")
        #expect(memory.all == [2])
    }
}
