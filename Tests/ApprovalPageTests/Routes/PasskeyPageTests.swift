import DeviceTrust
import Encodings
import Foundation
import KeyVault
import Messages
import Phone
import PhoneStore
import Secrets
import TestParties
import Testing

@testable import ApprovalPage

@Suite("Passkeys on the page", .timeLimit(.minutes(3))) struct PasskeyPageTests {
    /// Runs `body` with a signed-in browser, a passkey and a waiting request.
    private static func with(
        _ body:
            @escaping @Sendable (TestPhone, PageBrowser, PageServer, SoftPasskey, String, Messages.RequestID)
            async throws
            ->
            Void
    ) async throws {
        try await TestPhone.with { phone in
            let id = Messages.RequestID()
            await phone.broker.offer([try phone.envelope(id: id), try phone.envelope(month: 2)])
            try await phone.serving { browser, server in
                let csrf = try await browser.signIn()
                let passkey = try await VaultPasskey.add(named: "My telephone", to: phone, browser, csrf)
                try await phone.until(server) { try await browser.page().contains(id.short) }
                try await body(phone, browser, server, passkey, csrf, id)
            }
        }
    }

    @Test("an added passkey signs in and approves, and each answer counts once")
    func approves() async throws {
        try await Self.with { phone, browser, server, passkey, csrf, id in
            #expect(try await browser.page("/passkeys").contains("My telephone"))
            #expect(try await browser.page().contains("with Face ID or passkey"))
            let script: JSONValue = .string(TestPhone.script.digest.hex)
            let path = "/requests/\(id)/approve/passkey"
            let options = try await browser.post(path + "/begin", ["script": script], csrf: csrf).json
            #expect(options["userVerification"] == "required")
            let answer = try passkey.answer(options)
            #expect(try await browser.post(path, ["assertion": answer, "script": script], csrf: csrf).status == 200)
            try await phone.until(server) { try await server.state.store.request(id)?.status == .completed }
            #expect(try await browser.post(path, ["assertion": answer, "script": script], csrf: csrf).status == 409)

            let another = try await phone.anotherBrowser(browser.origin)
            let token = try await another.token()
            let signIn = try passkey.answer(try await another.post("/sign-in/passkey/begin", [:], csrf: token).json)
            let third = try await phone.anotherBrowser(browser.origin)
            let stolen = try await third.post("/sign-in/passkey", ["assertion": signIn], csrf: third.token())
            #expect(stolen.status == 403, "the answer belongs to another browser")
            let begun = try await another.post("/sign-in/passkey/begin", [:], csrf: token).json
            let again = try passkey.answer(begun)
            #expect(try await another.post("/sign-in/passkey", ["assertion": again], csrf: token).status == 200)
            #expect(try await !another.csrf().isEmpty)
            let twice = try await another.post("/sign-in/passkey", ["assertion": again], csrf: another.token())
            #expect(twice.status == 403)
        }
    }

    @Test("a request that needs passkey and passphrase says why, and only both together approve it")
    func both() async throws {
        try await Self.with { phone, browser, server, passkey, csrf, id in
            let needs = Requirement(factors: [.passphrase, .passkey], devices: 1, reasons: ["the <b>old</b> ones"])
            await phone.broker.pairing { $0.requirement = needs.json(approvals: 0) }
            try await phone.until(server) { try await browser.page().contains("<span>with both</span>") }
            let page = try await browser.page()
            #expect(page.contains("the &lt;b&gt;old&lt;/b&gt; ones") && page.contains("a passkey, the passphrase"))
            #expect(!page.contains("Approve with the passphrase") && !page.contains("with Face ID"))

            let script = TestPhone.script.digest.hex
            let form = ["csrf": csrf, "script": script, "passphrase": TestPhone.passphrase.revealed()]
            let alone = try await browser.post("/requests/\(id)/approve", form: form)
            #expect(alone.status == 409)
            #expect(String(decoding: alone.body, as: UTF8.self).contains("also needs a passkey"))
            let path = "/requests/\(id)/approve/passkey"
            func post(passphrase: String) async throws -> Int {
                let options = try await browser.post(path + "/begin", ["script": .string(script)], csrf: csrf).json
                return try await browser.post(
                    path,
                    [
                        "assertion": try passkey.answer(options), "script": .string(script),
                        "passphrase": .string(passphrase),
                    ], csrf: csrf
                ).status
            }
            #expect(try await post(passphrase: "") == 409)
            #expect(try await post(passphrase: "not the passphrase") == 403)
            #expect(await phone.broker.posts.isEmpty)
            #expect(try await post(passphrase: TestPhone.passphrase.revealed()) == 200)
            try await phone.until(server) { try await server.state.store.request(id)?.status == .completed }
        }
    }

    @Test("a request for two devices that is approved here says that it waits for the other")
    func twoDevices() async throws {
        try await Self.with { phone, browser, server, _, csrf, id in
            let needs = Requirement(factors: [], devices: 2, reasons: ["two see more"])
            await phone.broker.pairing {
                $0.requirement = needs.json(approvals: 1)
                $0.isApproved = true
            }
            try await phone.until(server) { try await browser.page().contains("1 of 2 approvals") }
            let page = try await browser.page()
            #expect(page.contains("waiting for another device") && page.contains("two see more"))
            #expect(!page.contains("/requests/\(id)/approve") && page.contains("/requests/\(id)/deny"))
        }
    }

    @Test("a renamed passkey answers as before")
    func renames() async throws {
        try await Self.with { phone, browser, server, passkey, csrf, id in
            let slot = try #require(try phone.vault.slots().last)
            let form = ["csrf": csrf, "name": "  <b>Work</b> phone "]
            #expect(try await browser.post("/passkeys/\(slot.id)/rename", form: form).status == 303)
            let page = try await browser.page("/passkeys")
            #expect(page.contains("&lt;b&gt;Work&lt;/b&gt; phone") && !page.contains("<h2>My telephone<"))
            for (target, name) in [(slot.id, " "), ("unknown", "Name"), (slot.id, "")] {
                let status = try await browser.post("/passkeys/\(target)/rename", form: ["csrf": csrf, "name": name])
                    .status
                #expect([400, 404].contains(status))
            }
            #expect(
                try await browser.post("/passkeys/\(slot.id)/rename", form: ["csrf": "x", "name": "N"]).status == 403)
            let another = try await phone.anotherBrowser(browser.origin)
            let token = try await another.token()
            let signIn = try passkey.answer(try await another.post("/sign-in/passkey/begin", [:], csrf: token).json)
            #expect(try await another.post("/sign-in/passkey", ["assertion": signIn], csrf: token).status == 200)
        }
    }

    @Test("an answer for one purpose does not count for another")
    func purposes() async throws {
        try await Self.with { phone, browser, server, passkey, csrf, id in
            let script: JSONValue = .string(TestPhone.script.digest.hex)
            let other = try #require(try await server.state.unlocked().pending().first { $0.id != id })
            let signIn = try passkey.answer(
                try await browser.post("/sign-in/passkey/begin", [:], csrf: csrf).json)
            let forOther = try passkey.answer(
                try await browser.post("/requests/\(other.id)/approve/passkey/begin", ["script": script], csrf: csrf)
                    .json)
            // The thief has the session and the challenge, but not the passkey.
            let thief = SoftPasskey()
            thief.origin = browser.origin
            let stolen = try thief.answer(
                try await browser.post("/requests/\(id)/approve/passkey/begin", ["script": script], csrf: csrf).json)
            for answer in [signIn, forOther, stolen, [:], .null] {
                let (status, _) = try await browser.post(
                    "/requests/\(id)/approve/passkey", ["assertion": answer, "script": script], csrf: csrf)
                #expect(status == 403)
            }
            #expect(try await browser.post("/requests/\(id)/approve", form: ["csrf": csrf]).status == 409)
            let guess = ["csrf": csrf, "script": TestPhone.script.digest.hex, "passphrase": ""]
            #expect(try await browser.post("/requests/\(id)/approve", form: guess).status == 403)
            #expect(try await server.state.store.request(id)?.status == .pendingApproval)
            #expect(await phone.broker.posts.isEmpty)
        }
    }

    @Test(
        "an answer with any changed part is refused",
        arguments: ["id", "clientDataJSON", "authenticatorData", "signature", "prf"])
    func changed(_ part: String) async throws {
        try await Self.with { phone, browser, server, passkey, csrf, id in
            let script: JSONValue = .string(TestPhone.script.digest.hex)
            let path = "/requests/\(id)/approve/passkey"
            let length = try passkey.answer([], input: [])[part].flatMap { Base64URL.decode($0) }?.count ?? 0
            for bit in stride(from: 0, to: length * 8, by: max(1, length * 8 / 25)) {
                let options = try await browser.post(path + "/begin", ["script": script], csrf: csrf).json
                var answer = try passkey.answer(options).objectValue ?? [:]
                var bytes = try #require(Base64URL.decode(answer[part]))
                // A signature's length varies by a byte or two.
                bytes[bit / 8 % bytes.count] ^= 1 << (bit % 8)
                answer[part] = .string(Base64URL.encode(bytes))
                let (status, _) = try await browser.post(
                    path, ["assertion": .object(answer), "script": script], csrf: csrf)
                #expect(status == 403, "\(part), bit \(bit)")
            }
            #expect(try await server.state.store.request(id)?.status == .pendingApproval)
            #expect(await phone.broker.posts.isEmpty)
        }
    }

    @Test("a passkey cannot be added without the extension or without the passphrase")
    func adds() async throws {
        try await Self.with { phone, browser, server, _, csrf, _ in
            let passkey = SoftPasskey()
            passkey.credentialID = [9, 9, 9]
            passkey.origin = browser.origin
            let passphrase = TestPhone.passphrase.revealed()
            func post(_ passphrase: String, _ bend: (inout [String: JSONValue]) -> Void = { _ in }) async throws -> Int
            {
                let options = try await browser.post("/passkeys/begin", [:], csrf: csrf).json
                let code = try await phone.passkeyCode()
                var json =
                    try passkey.registration(options, named: "Second", passphrase: passphrase, code: code).objectValue
                    ?? [:]
                bend(&json)
                return try await browser.post("/passkeys", .object(json), csrf: csrf).status
            }
            #expect(try await post("wrong passphrase") == 403)
            #expect(
                try await post(passphrase) {
                    var proof = $0["proof"]?.objectValue ?? [:]
                    proof["prf"] = ""
                    $0["proof"] = .object(proof)
                } == 403)
            #expect(try await post(passphrase) { $0["proof"] = nil } == 403)
            #expect(try await post(passphrase) { $0["registration"] = nil } == 403)
            #expect(try await post(passphrase) { $0["name"] = "  " } == 400)
            #expect(try phone.vault.slots().count == 2)
            #expect(try await post(passphrase) == 200)
            #expect(try await post(passphrase) == 403)
            let slot = try #require(try phone.vault.slots().last)
            func remove(_ id: String) async throws -> Int {
                let code = try await PhoneDatabase(phone.home).makeTerminalCode(for: .removePasskey, lifetime: 60).text
                let json: JSONValue = ["passphrase": .string(passphrase), "code": .string(code.revealed())]
                return try await browser.post("/passkeys/\(id)/remove", json, csrf: csrf).status
            }
            #expect(try await !browser.page("/passkeys?removed=\(slot.id)").contains("was removed"))
            #expect(try await remove(slot.id) == 200)
            #expect(try phone.vault.slots().count == 2)
            let after = try await browser.page("/passkeys?removed=\(slot.id)")
            #expect(after.contains("“Second” was removed, and does not open the vault any more."))
            let only = try #require(try phone.vault.slots().first)
            #expect(try await remove(only.id) == 409)
            #expect(try phone.vault.slots().count == 2)
            for consent: JSONValue in [
                ["passphrase": "wrong passphrase", "code": .string(try await phone.passkeyCode())],
                ["passphrase": .string(passphrase), "code": "ABCD-EFGH-IJKL-MNOP"],
            ] {
                let begun = try await browser.post("/passkeys/begin", consent, csrf: csrf)
                #expect(begun.status == 403 && begun.json["challenge"] == nil, "nothing is made: \(begun.json)")
            }
            withExtendedLifetime(server) {}
        }
    }
}
