import Clocks
import Encodings
import Foundation
import Secrets
import Testing

@testable import KeyVault

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
