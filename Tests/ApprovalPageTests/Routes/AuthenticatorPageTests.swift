import Authenticator
import CurlClient
import Encodings
import Foundation
import Phone
import PhoneStore
import QRCode
import Secrets
import TestParties
import Testing

@testable import ApprovalPage

@Suite("The authenticator on the approval page", .timeLimit(.minutes(3)))
struct AuthenticatorPageTests {
    /// RFC 6238's own secret, in Base32.
    private static let uri =
        "otpauth://totp/Meridian%20Savings:ada.lovelace?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Meridian%20Savings"

    private static func form(_ csrf: String) -> [String: String] {
        ["csrf": csrf, "passphrase": TestPhone.passphrase.revealed()]
    }

    private static func add(_ parts: [String: JSONValue]) -> JSONValue {
        .object(parts.merging(["passphrase": .string(TestPhone.passphrase.revealed())]) { $1 })
    }

    @Test("a token comes by its address or by a picture, and its code is shown with its time")
    func adds() async throws {
        try await TestPhone.with { phone in
            try await phone.serving { browser, server in
                let csrf = try await browser.signIn()
                #expect(try await browser.page("/authenticator").contains("Show the codes"))
                let added = try await browser.post(
                    "/authenticator/tokens", Self.add(["uri": .string(Self.uri)]), csrf: csrf)
                #expect(added.status == 200 && added.json["added"]?.arrayValue?.count == 1, "\(added)")
                let page = try await browser.page("/authenticator")
                let token = try OTPAuthURI(Secret(Self.uri)).token()
                let shown = try #require(page.firstMatch(of: /<output>([0-9]{3} [0-9]{3})<\/output>/)).1
                let now = Date()
                let possible = [0, -30].map { token.code(at: now.addingTimeInterval($0)).grouped.revealed() }
                #expect(possible.contains(String(shown)), "\(shown)")
                #expect(page.contains("ada.lovelace") && page.contains("data-renews"))
                #expect(!page.contains("GEZDGNBVGY3TQOJQ"))

                let other = Self.uri.replacing("ada.lovelace", with: "charles.babbage").replacing("GEZD", with: "MFRA")
                let picture = Base64URL.encode(try QRSymbol(Secret(other)).png())
                let seen = try await browser.post(
                    "/authenticator/tokens", Self.add(["uri": "", "picture": .string(picture)]), csrf: csrf)
                #expect(seen.json["added"] == ["Meridian Savings, charles.babbage"], "\(seen)")
                let again = try await browser.post(
                    "/authenticator/tokens", Self.add(["uri": .string(other)]), csrf: csrf)
                #expect(again.json["added"] == [])
                #expect(try await browser.page("/authenticator").matches(of: /<output>/).count == 2)
                #expect(try await browser.page("/audit").contains("The token of Meridian Savings was added"))
            }
        }
    }

    @Test("codes are for the browser that verified, and for two minutes")
    func hidden() async throws {
        try await TestPhone.with { phone in
            try await phone.serving { browser, server in
                let csrf = try await browser.signIn()
                let added = try await browser.post(
                    "/authenticator/tokens", Self.add(["uri": .string(Self.uri)]), csrf: csrf)
                #expect(added.status == 200)
                let other = try await phone.anotherBrowser(browser.origin)
                let token = try await other.signIn()
                #expect(try await !other.page("/authenticator").contains("<output>"))
                let refused = try await other.post(
                    "/authenticator", form: ["csrf": token, "passphrase": "not this one"])
                #expect(refused.status == 403)
                #expect(try await other.post("/authenticator", form: Self.form(token)).status == 303)
                #expect(try await other.page("/authenticator").contains("<output>"))
                #expect(try await !browser.page("/authenticator").contains("<output>"), "one browser at a time")
                let shown = try #require(await server.state.shownTokens)
                let session = try #require(await server.state.browsers.first { $0.id == shown.session })
                let (before, after) = (shown.until.addingTimeInterval(-1), shown.until)
                #expect(await server.state.tokens(shownTo: session, at: before) != nil)
                #expect(await server.state.tokens(shownTo: session, at: after) == nil)
                #expect(try await other.post("/sign-out", form: ["csrf": token]).status == 303)
                #expect(await server.state.shownTokens == nil, "nothing stays in memory")
                _ = try await other.signIn()
                #expect(try await !other.page("/authenticator").contains("<output>"), "another sign-in sees nothing")
            }
        }
    }

    @Test(
        "a text or picture without a token is refused with words, and nothing is stored",
        arguments: [
            ["uri": "https://bank.example"], ["uri": "otpauth://totp/Bank?secret=short"], ["picture": "AAAA"], [:],
        ] as [[String: JSONValue]])
    func refused(_ parts: [String: JSONValue]) async throws {
        try await TestPhone.with { phone in
            try await phone.serving { browser, _ in
                let csrf = try await browser.signIn()
                let answer = try await browser.post("/authenticator/tokens", Self.add(parts), csrf: csrf)
                #expect(
                    answer.status >= 400 && answer.json["error_message"]?.stringValue?.isEmpty == false, "\(answer)")
                _ = try await browser.post("/authenticator", form: Self.form(csrf))
                #expect(try await browser.page("/authenticator").contains("The vault makes no codes yet"))
            }
        }
    }

    @Test(
        "a refused text or picture is told in the page's language, and in English only where its fault has many forms",
        arguments: [
            (["uri": "https://bank.example"], "Das ist nicht der Text eines Codes für eine Authenticator-App", false),
            (["uri": "otpauth://hotp/Bank?secret=GEZDGNBVGY3TQOJQ"], "Codes dieser Art", false),
            (["picture": "AAAA"], "Das Bild lässt sich nicht lesen.", false),
            (["uri": "otpauth://totp/Bank?secret=short"], "Der Text des Codes ist beschädigt", true),
        ] as [([String: JSONValue], String, Bool)])
    func refusedInGerman(parts: [String: JSONValue], words: String, isQuoted: Bool) async throws {
        try await TestPhone.with { phone in
            try await phone.serving { browser, server in
                let csrf = try await browser.signIn()
                try await server.state.choose(language: "de")
                let answer = try await browser.post("/authenticator/tokens", Self.add(parts), csrf: csrf)
                let said = try #require(answer.json["error_message"]?.stringValue)
                #expect(answer.status == 409 && said.hasPrefix(words), "\(said)")
                #expect(said.contains("Auf Englisch: ") == isQuoted, "\(said)")
            }
        }
    }

    @Test("a passkey shows the codes, with an answer to this question only")
    func passkey() async throws {
        try await TestPhone.with { phone in
            try await phone.serving { browser, _ in
                let csrf = try await browser.signIn()
                let passkey = SoftPasskey()
                passkey.origin = browser.origin
                let options = try await browser.post("/passkeys/begin", [:], csrf: csrf).json
                let registration = try passkey.registration(
                    options, named: "Soft", passphrase: TestPhone.passphrase.revealed(), code: await phone.passkeyCode()
                )
                #expect(try await browser.post("/passkeys", registration, csrf: csrf).status == 200)
                let added = try await browser.post(
                    "/authenticator/tokens", Self.add(["uri": .string(Self.uri)]), csrf: csrf)
                #expect(added.status == 200)
                let wrong = try await browser.post("/authenticator/tokens/begin", [:], csrf: csrf).json
                let misused = try await browser.post(
                    "/authenticator/passkey", ["assertion": try passkey.answer(wrong)], csrf: csrf)
                #expect(misused.status == 403)
                let right = try await browser.post("/authenticator/begin", [:], csrf: csrf).json
                let shown = try await browser.post(
                    "/authenticator/passkey", ["assertion": try passkey.answer(right)], csrf: csrf)
                #expect(shown.status == 200, "\(shown)")
                #expect(try await browser.page("/authenticator").contains("<output>"))
            }
        }
    }
}
