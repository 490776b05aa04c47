import ApprovalPage
import Clocks
import Foundation
import Phone
import Secrets
import TestParties
import Testing

@testable import KeyVault

@Suite("A stranger guesses passphrases at the page", .timeLimit(.minutes(3)))
struct StrangersGuessTests {
    private static func wrong(_ vault: Vault, _ source: PassphraseSource) async -> VaultError? {
        await #expect(throws: VaultError.self) {
            try await vault.open(passphrase: Secret("a stranger guesses this"), from: source)
        }
    }

    @Test("a stranger without a code from the terminal uses up no passphrase try, and delays no one")
    func strangers() async throws {
        try await TestPhone.with { phone in
            try await phone.opening { page, _ in
                let stranger = PageBrowser(page.origin)
                for number in 0..<40 {
                    let path = number.isMultiple(of: 2) ? "/sign-in" : "/at/AAAAAAAAAAAAAAAAAAAAAA/sign-in"
                    #expect(try await stranger.post(path, form: ["passphrase": "guess \(number)"]).status != 403)
                }
                let files = try FileManager.default.contentsOfDirectory(atPath: phone.home.folder.path)
                #expect(files.allSatisfy { !$0.contains("attempts") }, "a passphrase was tried: \(files)")
                try await phone.vault.open(passphrase: TestPhone.passphrase).close()
                let owner = PageBrowser(page.origin)
                try await owner.enter(TestPhone.code(in: page))
                #expect(try await !owner.signIn().isEmpty)
            }
        }
    }

    @Test("wrong passphrases on the page do not delay the terminal, nor those of one form the other")
    func counters() async throws {
        try await TestPhone.with { phone in
            for source in [PassphraseSource.signIn, .page] {
                for _ in 0..<12 { _ = await Self.wrong(phone.vault, source) }
                #expect(await Self.wrong(phone.vault, source)?.code == .delayed)
            }
            try await phone.vault.open(passphrase: TestPhone.passphrase).close()
            for _ in 0..<11 { _ = await Self.wrong(phone.vault, .terminal) }
            #expect(await Self.wrong(phone.vault, .terminal)?.code == .delayed)
        }
    }

    @Test("the page's delay is five minutes at most, however many guesses there were")
    func cap() {
        for source in [PassphraseSource.signIn, .page] {
            for wrong in [10, 14, 40, 10_000] {
                #expect(PassphraseAttempts.delay(after: wrong, at: source) <= 300)
                #expect(PassphraseAttempts.delay(after: wrong, at: source) >= 30)
            }
        }
    }

    @Test("a browser with a code tries five passphrases at once; the sixth is refused before it costs anything")
    func beforeScrypt() async throws {
        try await TestPhone.with { phone in
            try await phone.serving { browser, _ in
                for _ in 0..<5 {
                    #expect(try await browser.signIn(passphrase: "a stranger guesses this").status == 403)
                }
                #expect(try await browser.signIn(passphrase: TestPhone.passphrase.revealed()).status == 429)
                let file = phone.vault.file.appendingPathExtension("attempts-sign-in")
                let record = try String(contentsOf: file, encoding: .utf8)
                #expect(record.contains("\"wrong_in_a_row\":5"))
            }
        }
    }
}
