import Encodings
import Foundation
import Secrets
import TestSupport
import Testing

@testable import Authenticator

@Suite("otpauth URIs")
struct OTPAuthURITests {
    private enum Verdict {
        case token(issuer: String, account: String)
        case refused(OTPAuthError.Code)
        case refusedToken(TokenError.Code)
    }

    /// The expected result for each URI of the corpus, in its order.
    private static let verdicts: [Verdict] = [
        .token(issuer: "Léon", account: "Léon"),
        .refused(.unsupportedType),  // counter-based
        .refused(.notOTPAuth),
        .refused(.unsupportedType),
        .refused(.invalidParameter),  // no secret
        .refused(.invalidParameter),  // period 0
        .refused(.unsupportedType),
        .refused(.invalidParameter),  // RC4
        .refused(.invalidParameter),  // 2 digits
        .token(issuer: "Example", account: "alice@google.com"),
        .token(issuer: "ACME Co", account: "john.doe@email.com"),
        .token(issuer: "Provider1", account: "Alice Smith"),
        .token(issuer: "Big Corporation", account: "alice@bigco.com"),  // %3A separates, as in the format's grammar
        .refused(.notOTPAuth),
        .refused(.invalidParameter),
        .refused(.unsupportedType),
        .refused(.invalidParameter),
        .refused(.invalidParameter),
        .refused(.invalidParameter),
        .refused(.missingLabel),  // the same value twice is accepted, but the label is missing
        .refused(.missingLabel),
        .refused(.conflictingParameter),  // two algorithms
        .refused(.conflictingParameter),
        .refused(.unsupportedType),
        .refused(.missingLabel),
        .token(issuer: "Text: More Text", account: "Secret"),
        .refusedToken(.invalidSecret),  // a:b; the secret has 8 characters
        .refusedToken(.invalidSecret),
        .refused(.unsupportedType),  // Steam
        .token(issuer: "Deno", account: "Mason"),
        .refused(.invalidParameter),  // 7 digits: the data model allows 6 or 8
        .token(issuer: "Airbnb", account: "Elijah"),
        .refused(.unsupportedType),
        .refused(.unsupportedType),
        .refused(.unsupportedType),
        .refused(.unsupportedType),
        .refusedToken(.invalidSecret),  // of 2 characters
        .refused(.invalidParameter),  // empty
        .refused(.unsupportedType),
        .refused(.invalidParameter),
        .token(issuer: "john.doe@email.com", account: "john.doe@email.com"),  // the label's prefix is a space
    ]

    @Test(
        "reads or refuses the 41 cases of the policy corpus as intended",
        .needsVectors)
    func corpus() throws {
        let cases = try #require(Vectors.json("otp/otpauth-uri-corpus.json").arrayValue)
        #expect(cases.count == 41 && Self.verdicts.count == 41)
        for (index, (test, verdict)) in zip(cases, Self.verdicts).enumerated() {
            let result = Result { try OTPAuthURI(Secret(test["uri"]!.stringValue!)).token() }
            switch (result, verdict) {
            case (.success(let token), .token(let issuer, let account)):
                #expect((token.issuer, token.account) == (issuer, account), "case \(index)")
                let expected = test["expect"] ?? .null
                #expect(expected["digits"]?.intValue ?? 6 == token.digits, "case \(index)")
                #expect(expected["period"]?.intValue ?? 30 == token.period, "case \(index)")
                #expect(expected["algorithm"]?.stringValue ?? "SHA1" == token.algorithm.rawValue, "case \(index)")
                if let hex = expected["secretHex"]?.stringValue {
                    #expect(Base32.decoded(token.secret).isEqual(to: Secret(bytes: Vectors.bytes(hex: hex))))
                }
            case (.failure(let error as OTPAuthError), .refused(let code)):
                #expect(error.code == code, "case \(index): \(error)")
            case (.failure(let error as TokenError), .refusedToken(let code)):
                #expect(error.code == code, "case \(index): \(error)")
            default: Issue.record("case \(index): \(result)")
            }
        }
    }

    @Test(
        "computes the codes of hectorm's 92 URIs, or refuses other types and algorithms",
        .needsVectors)
    func codes() throws {
        var counts = (codes: 0, digits: 0, algorithms: 0, hotp: 0)
        for test in try #require(Vectors.json("otp/hectorm-otpauth-cases.json").arrayValue) {
            let timestamp = try #require(test["totp"]?["generate"]?["input"]?["timestamp"]?.numberValue)
            let expected = test["totp"]?["generate"]?["output"]?.stringValue
            for uri in test["totp"]?["uris"]?.arrayValue ?? [] {
                do {
                    let token = try OTPAuthURI(Secret(uri.stringValue!)).token()
                    #expect(token.code(at: Date(timeIntervalSince1970: timestamp / 1000)).digits.revealed() == expected)
                    counts.codes += 1
                } catch let error as OTPAuthError where error.message.contains("digits") {
                    // The data model has no codes of 7 digits, but the computation is still correct.
                    let key = Base32.decoded(
                        Base32.encoded(Secret(bytes: Vectors.bytes(hex: test["secretHex"]!.stringValue!))))
                    let value = key.withUnsafeBytes {
                        OneTimePassword(key: .init(data: $0), algorithm: .sha1)
                            .value(counter: UInt64(timestamp / 1000) / 30, digits: 7)
                    }
                    #expect(OneTimePassword.digits(of: value, count: 7).revealed() == expected)
                    counts.digits += 1
                } catch let error as OTPAuthError {
                    #expect(error.code == .invalidParameter && error.message.contains("algorithm"))
                    counts.algorithms += 1
                }
            }
            for uri in test["hotp"]?["uris"]?.arrayValue ?? [] {
                let error = #expect(throws: OTPAuthError.self) { try OTPAuthURI(Secret(uri.stringValue!)) }
                #expect(error?.code == .unsupportedType)
                counts.hotp += 1
            }
        }
        #expect(counts.codes + counts.digits + counts.algorithms + counts.hotp == 92)
        #expect(counts == (codes: 31, digits: 7, algorithms: 8, hotp: 46))
    }

    @Test(
        "reads back a token from the URI written for it",
        arguments: [
            ("Meridian Savings", "robin"), ("A:B", "c:d"), ("100 %", "a+b@c.example"), ("Ümläut & Söhne", "x/y?z#w=1&"),
            ("\u{1F3E6}", "日本"),
        ])
    func roundTrip(_ issuer: String, _ account: String) throws {
        let token = try aToken(issuer, account: account, digits: 8, period: 45, algorithm: .sha256)
        let read = try OTPAuthURI(token.uri).token()
        #expect((read.issuer, read.account) == (issuer, account))
        #expect((read.digits, read.period, read.algorithm) == (8, 45, .sha256))
        #expect(read.secret.isEqual(to: token.secret))
    }

    @Test("prefers the parameter to the label's prefix, and a given name to both")
    func issuers() throws {
        let uri = try OTPAuthURI(Secret("otpauth://totp/Old:me?secret=\(sampleSecret)&issuer=New"))
        #expect(try uri.token().issuer == "New")
        #expect(try uri.token(issuer: "Mine", account: "you").issuer == "Mine")
    }

    @Test(
        "quotes the secret in no error",
        arguments: ["&digits=9", "&period=x", "&algorithm=MD5", "&secret=OTHER", "%ZZ"])
    func quiet(_ end: String) throws {
        let error = try #require(throws: OTPAuthError.self) {
            _ = try OTPAuthURI(Secret("otpauth://totp/a:b?secret=\(sampleSecret)\(end)"))
        }
        #expect(!error.message.contains("JBSW") && !error.message.contains("OTHER"))
    }

    @Test("refuses a URI that is too long")
    func tooLong() {
        let uri = Secret("otpauth://totp/a:b?secret=\(sampleSecret)&image=" + String(repeating: "x", count: 9000))
        #expect(throws: OTPAuthError.self) { try OTPAuthURI(uri) }
    }
}
