import Encodings
import Foundation
import Secrets
import Testing

@testable import Authenticator

@Suite struct TokenTests {
    @Test("trims its names and normalises its secret")
    func normalises() throws {
        let token = try aToken("  Meridian \n", account: "\trobin ", secret: "jbsw y3dp ehpk 3pxp")
        #expect((token.issuer, token.account) == ("Meridian", "robin"))
        #expect(token.secret.revealed() == "JBSWY3DPEHPK3PXP")
    }

    @Test("has the defaults of the data model")
    func defaults() throws {
        let token = try Token(issuer: "a", account: "b", secret: Secret(sampleSecret))
        #expect((token.digits, token.period, token.algorithm) == (6, 30, .sha1))
        #expect(token.createdAt == token.updatedAt)
    }

    private static let refusals: [(field: String, TokenError.Code, @Sendable () throws -> Token)] = [
        ("empty issuer", .emptyIssuer, { try aToken(" \n ") }),
        ("empty account", .emptyAccount, { try aToken(account: "") }),
        ("issuer of 101", .textTooLong, { try aToken(String(repeating: "x", count: 101)) }),
        ("account of 201", .textTooLong, { try aToken(account: String(repeating: "x", count: 201)) }),
        (
            "one character of a megabyte", .textTooLong,
            { try aToken("e" + String(repeating: "\u{301}", count: 500_000)) }
        ),
        ("line break", .textUnprintable, { try aToken("a\nb") }),
        ("escape", .textUnprintable, { try aToken(account: "a\u{1B}[2Jb") }),
        ("no Base32", .invalidSecret, { try aToken(secret: "0123456789ABCDEF") }),
        ("15 characters", .invalidSecret, { try aToken(secret: "JBSWY3DPEHPK3PX") }),
        ("1,032 characters", .invalidSecret, { try aToken(secret: String(repeating: "A", count: 1032)) }),
        ("7 digits", .invalidDigits, { try aToken(digits: 7) }),
        ("no digits", .invalidDigits, { try aToken(digits: 0) }),
        ("period 0", .invalidPeriod, { try aToken(period: 0) }),
        ("period -30", .invalidPeriod, { try aToken(period: -30) }),
    ]

    @Test("refuses each invalid field without revealing the secret", arguments: refusals.indices)
    func refuses(_ index: Int) throws {
        let (_, code, make) = Self.refusals[index]
        let error = try #require(throws: TokenError.self) { _ = try make() }
        #expect(error.code == code)
        #expect(!error.message.contains("JBSWY") && !error.message.contains("0123456789ABCDEF"))
    }

    @Test("accepts values just within the bounds")
    func bounds() throws {
        let token = try aToken(
            String(repeating: "x", count: 100), account: String(repeating: "ü", count: 200),
            secret: String(repeating: "A", count: 1024), digits: 8, period: 1, algorithm: .sha512)
        #expect((token.issuer.count, token.account.count, token.secret.count) == (100, 200, 1024))
    }

    @Test("changes only its names, and gets a later date even if the clock stands still")
    func renamed() throws {
        let token = try aToken()
        let later = try token.renamed(issuer: "Other", at: someMoment.addingTimeInterval(-3600))
        #expect((later.issuer, later.account) == ("Other", "robin"))
        #expect(later.updatedAt > token.updatedAt)
        #expect(later.secret.isEqual(to: token.secret) && later.createdAt == token.createdAt && later.id == token.id)
    }

    @Test(
        "reads the usual spellings of an algorithm",
        arguments: [("sha1", TOTPAlgorithm.sha1), ("SHA-256", .sha256), ("HmacSHA512", .sha512), ("sha512", .sha512)])
    func algorithms(_ text: String, _ algorithm: TOTPAlgorithm) {
        #expect(TOTPAlgorithm(named: text) == algorithm)
    }

    @Test("knows no other algorithm", arguments: ["MD5", "SHA3-256", "SHA224", "SHA384", "CUSTOM", ""])
    func unknownAlgorithms(_ text: String) {
        #expect(TOTPAlgorithm(named: text) == nil)
    }

    @Test("does not show its secret when it is printed")
    func prints() throws {
        let token = try aToken()
        #expect(!"\(token)".contains(sampleSecret) && !String(reflecting: token).contains(sampleSecret))
        #expect(!"\(token.code())".contains(token.code().digits.revealed()))
    }
}
