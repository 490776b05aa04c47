import ApprovalPage
import Encodings
import Foundation
import KeyVault
import Messages
import Phone
import Secrets
import TestParties
import Testing

@Suite("One factor where two are required", .timeLimit(.minutes(3)))
struct OneFactorForTwoTests {
    private static let policy = """
        version: 1
        rules:
          - bank: default
            require: [passkey, passphrase]
            reason: always both
        """

    /// Runs `body` with a signed-in browser, a passkey of the vault, and a request.
    private static func with(
        _ body:
            @escaping @Sendable (TestPhone, PageBrowser, SoftPasskey, String, Messages.RequestID) async throws -> Void
    ) async throws {
        try await TestPhone.with { phone in
            let id = Messages.RequestID()
            await phone.broker.offer([try phone.envelope(id: id)])
            try await phone.serving { browser, server in
                let csrf = try await browser.signIn()
                let passkey = SoftPasskey()
                passkey.origin = browser.origin
                let options = try await browser.post("/passkeys/begin", [:], csrf: csrf).json
                let registration = try passkey.registration(
                    options, named: "Mine", passphrase: TestPhone.passphrase.revealed(),
                    code: try await phone.passkeyCode())
                #expect(try await browser.post("/passkeys", registration, csrf: csrf).status == 200)
                try await phone.until(server) { try await browser.page().contains(id.short) }
                try await body(phone, browser, passkey, csrf, id)
            }
        }
    }

    private static func requireBoth(
        _ browser: PageBrowser, _ passkey: SoftPasskey, _ csrf: String, passphrase: String
    ) async throws -> Int {
        let options = try await browser.post("/passkeys/both/begin", [:], csrf: csrf).json
        return try await browser.post(
            "/passkeys/both", ["assertion": try passkey.answer(options), "passphrase": .string(passphrase)], csrf: csrf
        ).status
    }

    private static func approve(
        _ id: Messages.RequestID, _ browser: PageBrowser, _ passkey: SoftPasskey, _ csrf: String, passphrase: String
    ) async throws -> (status: Int, json: JSONValue) {
        let script: JSONValue = .string(TestPhone.script.digest.hex)
        let path = "/requests/\(id)/approve/passkey"
        let options = try await browser.post(path + "/begin", ["script": script], csrf: csrf).json
        return try await browser.post(
            path, ["assertion": try passkey.answer(options), "script": script, "passphrase": .string(passphrase)],
            csrf: csrf)
    }

    @Test("a vault that needs both opens with neither alone, and the file holds no other way in")
    func cryptography() async throws {
        try await Self.with { phone, browser, passkey, csrf, id in
            let passphrase = TestPhone.passphrase.revealed()
            let slot = try #require(try phone.vault.slots().compactMap(\.passkey).first)
            let output = Secret(bytes: passkey.output(slot.prfInput))
            #expect(try await Self.requireBoth(browser, passkey, csrf, passphrase: "a wrong passphrase") == 403)
            #expect(try phone.vault.slots().count == 2)
            #expect(try await Self.requireBoth(browser, passkey, csrf, passphrase: passphrase) == 200)
            #expect(try phone.vault.slots().map(\.needsBoth) == [true])
            await #expect(throws: VaultError.self) { try await phone.vault.open(passphrase: TestPhone.passphrase) }
            await #expect(throws: VaultError.self) {
                try await phone.vault.open(passkey: slot.credentialID, output: output)
            }
            for wrong in ["a wrong passphrase", ""] {
                await #expect(throws: VaultError.self) {
                    try await phone.vault.open(
                        passkey: slot.credentialID, output: output, passphrase: Secret(wrong), from: .page)
                }
            }
            let other = Secret(bytes: [UInt8](repeating: 1, count: 32))
            await #expect(throws: VaultError.self) {
                try await phone.vault.open(
                    passkey: slot.credentialID, output: other, passphrase: TestPhone.passphrase, from: .page)
            }
            #expect(try await browser.page().contains("<span>with both</span>"))
            #expect(try await Self.approve(id, browser, passkey, csrf, passphrase: "").status == 403)
            let approved = try await Self.approve(id, browser, passkey, csrf, passphrase: passphrase)
            #expect(approved.status == 200, "\(approved.json)")
        }
    }

    @Test("a policy that always asks for both is not met while either opens the vault alone")
    func policy() async throws {
        try await Self.with { phone, browser, passkey, csrf, id in
            let passphrase = TestPhone.passphrase.revealed()
            try Self.policy.write(to: phone.home.policyFile, atomically: true, encoding: .utf8)
            let secrets = try await phone.vault.open(passphrase: TestPhone.passphrase)
            try await VouchedFiles.vouch(for: phone.home, in: secrets)
            secrets.close()
            let refused = try await Self.approve(id, browser, passkey, csrf, passphrase: passphrase)
            #expect(refused.status == 409)
            #expect(refused.json["error_message"]?.stringValue?.contains("choose “Require both”") == true)
            #expect(await phone.broker.posts.isEmpty)
            #expect(try await Self.requireBoth(browser, passkey, csrf, passphrase: passphrase) == 200)
            #expect(try await Self.approve(id, browser, passkey, csrf, passphrase: passphrase).status == 200)
        }
    }

    @Test("a browser signs in with both, and a further passkey needs both")
    func further() async throws {
        try await Self.with { phone, browser, passkey, csrf, _ in
            let passphrase = TestPhone.passphrase.revealed()
            #expect(try await Self.requireBoth(browser, passkey, csrf, passphrase: passphrase) == 200)
            let another = try await phone.anotherBrowser(browser.origin)
            let token = try await another.token()
            #expect(try await another.page().contains("Unlock with both"))
            for (typed, expected) in [("", 403), (passphrase, 200)] {
                let options = try await another.post("/sign-in/passkey/begin", [:], csrf: token).json
                let answer: JSONValue = ["assertion": try passkey.answer(options), "passphrase": .string(typed)]
                #expect(try await another.post("/sign-in/passkey", answer, csrf: token).status == expected)
            }
            let second = SoftPasskey()
            second.credentialID = [2, 2, 2]
            second.origin = browser.origin
            for (typed, expected) in [("", 403), (passphrase, 200)] {
                let options = try await browser.post("/passkeys/begin", [:], csrf: csrf).json
                var json = try second.registration(options, named: "Second", passphrase: typed).objectValue ?? [:]
                json["confirmation"] = try passkey.answer(try #require(options["confirmation"]))
                #expect(try await browser.post("/passkeys", .object(json), csrf: csrf).status == expected)
            }
            #expect(try phone.vault.slots().map(\.needsBoth) == [true, true])
        }
    }
}
