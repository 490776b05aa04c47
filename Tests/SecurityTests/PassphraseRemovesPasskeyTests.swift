import Encodings
import KeyVault
import Phone
import PhoneStore
import Storage
import TestParties
import Testing

@Suite("A thief of the passphrase removes the owner's passkey", .timeLimit(.minutes(3)))
struct PassphraseRemovesPasskeyTests {
    private static let passphrase = TestPhone.passphrase.revealed()

    /// Adds a passkey with a code from the terminal.
    private static func addPasskey(_ number: UInt8, _ phone: TestPhone, _ browser: PageBrowser, _ csrf: String)
        async throws -> SoftPasskey
    {
        let passkey = SoftPasskey()
        passkey.credentialID = [number, number, number]
        passkey.origin = browser.origin
        let options = try await browser.post("/passkeys/begin", [:], csrf: csrf).json
        let json = try passkey.registration(
            options, named: "Key \(number)", passphrase: passphrase, code: try await phone.passkeyCode())
        #expect(try await browser.post("/passkeys", json, csrf: csrf).status == 200)
        return passkey
    }

    @Test("the passphrase alone removes none; a code for the removal, or a passkey, removes one, with a notice")
    func removal() async throws {
        try await TestPhone.with { phone in
            try await phone.serving { browser, _ in
                let csrf = try await browser.signIn()
                let mine = try await Self.addPasskey(1, phone, browser, csrf)
                _ = try await Self.addPasskey(2, phone, browser, csrf)
                func slot(_ name: String) throws -> KeySlot {
                    try #require(try phone.vault.slots().first { $0.name == name })
                }
                let path = "/passkeys/\(try slot("Key 1").id)/remove"
                func remove(_ members: [String: JSONValue]) async throws -> Int {
                    let json = JSONValue.object(members.merging(["passphrase": .string(Self.passphrase)]) { $1 })
                    return try await browser.post(path, json, csrf: csrf).status
                }
                let form = ["csrf": csrf, "passphrase": Self.passphrase]
                #expect(try await browser.post(path, form: form).status != 303, "the form of an earlier version")
                #expect(try await remove([:]) == 403)
                #expect(try await remove(["code": "AAAA-BBBB-CCCC-DDDD"]) == 403)
                #expect(try await remove(["code": .string(try await phone.passkeyCode())]) == 403, "a code that adds")
                // A passkey's consent counts for the slot that it was asked about.
                let other = try await browser.post(
                    "/passkeys/\(try slot("Key 2").id)/remove/begin", [:], csrf: csrf
                ).json
                #expect(try await remove(["confirmation": try mine.answer(other)]) == 403)
                #expect(try phone.vault.slots().count == 3)

                let store = try PhoneDatabase(phone.home)
                let code = try await store.makeTerminalCode(for: .removePasskey, lifetime: 60).text.revealed()
                #expect(try await remove(["code": .string(code)]) == 200)
                #expect(try phone.vault.slots().map(\.name).contains("Key 1") == false)
                let audit = try await store.audit.records(AuditFilter(type: "passkey"))
                #expect(audit.last { $0.event.type == "passkey.removed" }?.event.severity == .warning)
                #expect(audit.contains { $0.event.type == "passkey.failed" })

                let third = try await Self.addPasskey(3, phone, browser, csrf)
                let last = "/passkeys/\(try slot("Key 2").id)/remove"
                let asked = try await browser.post(last + "/begin", [:], csrf: csrf).json
                let consent: JSONValue = ["confirmation": try third.answer(asked)]
                #expect(try await browser.post(last, consent, csrf: csrf).status == 200)
                #expect(try phone.vault.slots().count == 2)
            }
        }
    }
}
