import Encodings
import Foundation
import KeyVault
import PhoneStore
import Secrets
import Storage
import Synchronization
import TestParties
import Testing

@testable import ApprovalPage
@testable import Phone

@Suite("The passphrase on the approval page", .timeLimit(.minutes(3)))
struct PassphrasePageTests {
    private static let old = TestPhone.passphrase.revealed()
    private static let new = "a quite new passphrase"

    private static func form(_ csrf: String, now: String = old, new: String = new, again: String = new)
        -> [String: String]
    {
        ["csrf": csrf, "passphrase": now, "credential-new": new, "credential-again": again]
    }

    private static func json(_ assertion: JSONValue, now: String = old, new: String = new, again: String = new)
        -> JSONValue
    {
        [
            "assertion": assertion, "passphrase": .string(now),
            "credentials": ["new": .string(new), "again": .string(again)],
        ]
    }

    /// Adds a passkey to the phone of a page.
    private static func add(
        _ id: UInt8, _ name: String, _ phone: TestPhone, _ browser: PageBrowser, _ csrf: String
    ) async throws -> SoftPasskey {
        try await VaultPasskey.add(named: name, id: id, to: phone, browser, csrf)
    }

    private static func answer(_ passkey: SoftPasskey, _ browser: PageBrowser, _ csrf: String) async throws
        -> JSONValue
    {
        try passkey.answer(try await browser.post("/passphrase/begin", [:], csrf: csrf).json)
    }

    @Test("is changed where the vault has no passkey, and other browsers are forgotten")
    func changed() async throws {
        try await TestPhone.with { phone in
            try await phone.serving { browser, _ in
                let csrf = try await browser.signIn()
                let other = try await phone.anotherBrowser(browser.origin)
                #expect(try await other.page().contains("Unlock"))
                #expect(
                    try await browser.page("/settings").contains("\(browser.base)/passphrase\">Change the passphrase"))
                #expect(try await !browser.page("/passphrase?changed=1").contains("opens the vault from now on"))
                let answer = try await browser.post("/passphrase", form: Self.form(csrf))
                #expect(answer.status == 303)
                let back = try ToldPlace(answer, in: browser)
                #expect(try await browser.page(back.path).contains("opens the vault from now on"))
                await #expect(throws: VaultError.self) { try await phone.vault.open(passphrase: TestPhone.passphrase) }
                try await phone.vault.open(passphrase: Secret(Self.new)).close()
                #expect(try await !other.page().contains("Unlock"), "a code from the terminal is needed again")
                let store = try PhoneDatabase(phone.home)
                #expect(try await store.knownBrowsers(usedSince: .distantPast).count == 1)
                let records = try await store.audit.records(AuditFilter(type: "vault.rekeyed"))
                #expect(records.count == 1 && records.first?.event.details["browser"]?.stringValue?.isEmpty == false)
            }
        }
    }

    @Test("is told to the program, once it was changed")
    func told() async throws {
        let told = Mutex<[String]>([])
        var configuration = TestPhone.pageConfiguration
        configuration.onNewPassphrase = { new in told.withLock { $0.append(new.revealed()) } }
        let chosen = configuration
        try await TestPhone.with { phone in
            try await phone.serving(chosen) { browser, _ in
                let csrf = try await browser.signIn()
                let refused = Self.form(csrf, now: "a wrong passphrase")
                #expect(try await browser.post("/passphrase", form: refused).status == 403)
                #expect(told.withLock { $0 }.isEmpty)
                #expect(try await browser.post("/passphrase", form: Self.form(csrf)).status == 303)
                #expect(told.withLock { $0 } == [Self.new])
            }
        }
    }

    @Test(
        "stays after a mistake",
        arguments: [
            ("a wrong passphrase", new, new, 403, "passphrase"),
            (old, "elevenchars", "elevenchars", 403, "12 characters"),
            (old, new, new + "s", 409, "differ"), (old, "", "", 403, "12 characters"),
            (old, old, old, 409, "present one"),
        ])
    func refused(now: String, new: String, again: String, status: Int, words: String) async throws {
        try await TestPhone.with { phone in
            try await phone.serving { browser, _ in
                let csrf = try await browser.signIn()
                let answer = try await browser.post(
                    "/passphrase", form: Self.form(csrf, now: now, new: new, again: again))
                #expect(answer.status == status)
                let page = String(decoding: answer.body, as: UTF8.self)
                #expect(page.contains(words) && page.contains("name=\"credential-new\""))
                #expect(!page.contains("value=\"\(Self.new)"))
                try await phone.vault.open(passphrase: TestPhone.passphrase).close()
            }
        }
    }

    @Test("waits for a visit that has the vault open, which could keep nothing afterwards")
    func inUse() async throws {
        try await TestPhone.with { phone in
            try await phone.serving { browser, _ in
                let csrf = try await browser.signIn()
                let visit = try await phone.vault.open(passphrase: TestPhone.passphrase)
                let refused = try await browser.post("/passphrase", form: Self.form(csrf))
                #expect(refused.status == 403)
                #expect(String(decoding: refused.body, as: UTF8.self).contains("a statement is being fetched"))
                let store = try PhoneDatabase(phone.home)
                #expect(try await store.knownBrowsers(usedSince: .distantPast).count == 1, "nothing was changed")
                #expect(try await store.audit.records(AuditFilter(type: "verification.failed")).isEmpty)
                try await visit.store(Secret("what a bank has just given"), named: "a test's entry")
                visit.close()
                #expect(try await browser.post("/passphrase", form: Self.form(csrf)).status == 303)
                let secrets = try await phone.vault.open(passphrase: Secret(Self.new))
                defer { secrets.close() }
                #expect(try await secrets.holds("a test's entry"))
            }
        }
    }

    @Test("needs a passkey where the vault has one: that one goes on with its name, and the others end")
    func passkeys() async throws {
        try await TestPhone.with { phone in
            try await phone.serving { browser, _ in
                let csrf = try await browser.signIn()
                let kept = try await Self.add(1, "Telephone", phone, browser, csrf)
                _ = try await Self.add(2, "Key", phone, browser, csrf)
                let slot = try #require(try phone.vault.slots().first { $0.passkey?.credentialID == [1, 1, 1] })
                #expect(
                    try await browser.post(
                        "/passkeys/\(slot.id)/rename", form: ["csrf": csrf, "name": "My telephone"]
                    ).status == 303)
                let alone = try await browser.post("/passphrase", form: Self.form(csrf))
                #expect(alone.status == 409 && String(decoding: alone.body, as: UTF8.self).contains("passkey, too"))
                let refused: [(JSONValue, Int)] = [
                    (Self.json([:]), 403),
                    (Self.json(try await Self.answer(kept, browser, csrf), now: "a wrong passphrase"), 403),
                    (Self.json(try await Self.answer(kept, browser, csrf), new: "short", again: "short"), 403),
                    (Self.json(try await Self.answer(kept, browser, csrf), again: "another passphrase"), 409),
                ]
                for (json, status) in refused {
                    #expect(try await browser.post("/passphrase/passkey", json, csrf: csrf).status == status)
                }
                #expect(try phone.vault.slots().count == 3)
                // An answer for another purpose changes nothing.
                let signIn = try kept.answer(try await browser.post("/sign-in/passkey/begin", [:], csrf: csrf).json)
                #expect(try await browser.post("/passphrase/passkey", Self.json(signIn), csrf: csrf).status == 403)

                let answer = try await Self.answer(kept, browser, csrf)
                #expect(try await browser.post("/passphrase/passkey", Self.json(answer), csrf: csrf).status == 200)
                try await phone.vault.open(passphrase: Secret(Self.new)).close()
                let slots = try phone.vault.slots()
                #expect(slots.count == 2 && slots.contains { $0.passkey?.credentialID == [1, 1, 1] && !$0.needsBoth })
                let page = try await browser.page("/passkeys")
                #expect(page.contains("My telephone") && !page.contains(">Key<"))
                // It still signs in.
                let another = try await phone.anotherBrowser(browser.origin)
                let token = try await another.token()
                let options = try await another.post("/sign-in/passkey/begin", [:], csrf: token).json
                #expect(
                    try await another.post(
                        "/sign-in/passkey", ["assertion": try kept.answer(options), "passphrase": ""], csrf: token
                    ).status == 200)
            }
        }
    }

    @Test("is changed in a vault that needs both, which goes on to need both")
    func both() async throws {
        try await TestPhone.with { phone in
            try await phone.serving { browser, _ in
                let csrf = try await browser.signIn()
                let passkey = try await Self.add(1, "Telephone", phone, browser, csrf)
                try await VaultPasskey.needBoth(passkey, browser, csrf)
                for (now, status) in [("a wrong passphrase", 403), (Self.old, 200)] {
                    let answer = try await Self.answer(passkey, browser, csrf)
                    #expect(
                        try await browser.post("/passphrase/passkey", Self.json(answer, now: now), csrf: csrf).status
                            == status)
                }
                let slot = try #require(try phone.vault.slots().first)
                #expect(try phone.vault.slots().map(\.needsBoth) == [true] && slot.name == "Telephone")
                let output = Secret(bytes: passkey.output(try #require(slot.passkey).prfInput))
                for (passphrase, opens) in [(Self.old, false), (Self.new, true)] {
                    let verification = PasskeyAndPassphraseVerification(
                        credentialID: [1, 1, 1], output: output, passphrase: Secret(passphrase), from: .page)
                    let opened = try? await verification.open(phone.vault, reason: "a test")
                    #expect((opened != nil) == opens)
                    opened?.close()
                }
            }
        }
    }
}
