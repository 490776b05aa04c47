import Encodings
import Foundation
import Secrets
import TestSupport
import Testing

@testable import Authenticator

@Suite("Google Authenticator export")
struct MigrationURITests {
    @Test(
        "reads the 7 samples", .needsVectors)
    func samples() throws {
        let cases = try #require(Vectors.json("otp/otpauth-migration.json")["cases"]?.arrayValue)
        #expect(cases.count == 7)
        for test in cases {
            let uri = Secret(test["uri"]!.stringValue!)
            guard test["reject"] != true else {
                #expect(throws: OTPAuthError.self) { try MigrationURI.tokens(in: uri, at: someMoment) }
                continue
            }
            let found = try MigrationURI.tokens(in: uri, at: someMoment)
            guard let expected = test["otps"]?.arrayValue else {
                #expect(found.tokens.count == 4 && found.refusals.isEmpty)
                #expect(Set(found.tokens.map(\.issuer)) == ["SerenityLabs"])
                #expect(found.tokens[0].account == "test1@serenitylabs.co.uk")
                continue
            }
            let totp = expected.filter { $0["type"] == "totp" }
            #expect(found.refusals.count == expected.count - totp.count)
            #expect(found.tokens.map { $0.secret.revealed() } == totp.compactMap { $0["secret"]?.stringValue })
            for (token, other) in zip(found.tokens, totp) {
                let name = other["name"]!.stringValue!
                #expect(name.hasSuffix(token.account))
                if let issuer = other["issuer"]?.stringValue, !issuer.isEmpty { #expect(token.issuer == issuer) }
            }
        }
    }

    @Test("is refused if it is cut short at any length")
    func truncated() throws {
        // One token: a secret of ten bytes, names "a" and "b", SHA-1, six digits, TOTP.
        let parameters: [UInt8] =
            [0x0A, 10] + Array(0..<10) + [0x12, 1, 0x61, 0x1A, 1, 0x62, 0x20, 1, 0x28, 1, 0x30, 2]
        let whole = [0x0A, UInt8(parameters.count)] + parameters
        func uri(_ bytes: some Collection<UInt8>) -> Secret {
            Secret("otpauth-migration://offline?data=" + Data(bytes).base64EncodedString())
        }
        let found = try MigrationURI.tokens(in: uri(whole), at: someMoment)
        #expect(found.tokens.map(\.issuer) == ["b"] && found.tokens.map(\.account) == ["a"])
        for length in 0..<whole.count {
            #expect(throws: OTPAuthError.self) {
                try MigrationURI.tokens(in: uri(whole.prefix(length)), at: someMoment)
            }
        }
    }
}
