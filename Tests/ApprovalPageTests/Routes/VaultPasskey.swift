import Encodings
import TestParties
import Testing

/// Ways to give the vault of a page's phone a passkey.
enum VaultPasskey {
    private static let passphrase = TestPhone.passphrase.revealed()

    /// Adds a passkey with a code from the terminal.
    ///
    /// - Parameters:
    ///   - needsBoth: has the vault need the passkey and the passphrase together from then on.
    ///   - id: each byte of the credential's id; nil for the passkey's usual one.
    static func add(
        named name: String = "Telephone", id: UInt8? = nil, needsBoth: Bool = false, to phone: TestPhone,
        _ browser: PageBrowser, _ csrf: String
    ) async throws -> SoftPasskey {
        let passkey = SoftPasskey()
        if let id { passkey.credentialID = [id, id, id] }
        passkey.origin = browser.origin
        let options = try await browser.post("/passkeys/begin", [:], csrf: csrf).json
        let registration = try passkey.registration(
            options, named: name, passphrase: passphrase, code: try await phone.passkeyCode())
        let (status, answer) = try await browser.post("/passkeys", registration, csrf: csrf)
        #expect(status == 200, "\(answer)")
        if needsBoth { try await needBoth(passkey, browser, csrf) }
        return passkey
    }

    /// Has the vault need a passkey and the passphrase together.
    static func needBoth(
        _ passkey: SoftPasskey, _ browser: PageBrowser, _ csrf: String
    ) async throws {
        let options = try await browser.post("/passkeys/both/begin", [:], csrf: csrf).json
        let both: JSONValue = ["assertion": try passkey.answer(options), "passphrase": .string(passphrase)]
        #expect(try await browser.post("/passkeys/both", both, csrf: csrf).status == 200)
    }
}
