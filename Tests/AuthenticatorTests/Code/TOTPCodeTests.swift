import Crypto
import Encodings
import Foundation
import Secrets
import Testing

@testable import Authenticator

@Suite("Codes")
struct TOTPCodeTests {
    @Test("computes the HOTP values of RFC 4226, appendix D")
    func counterBased() {
        let password = OneTimePassword(
            key: SymmetricKey(data: Data("12345678901234567890".utf8)), algorithm: .sha1)
        let values: [UInt32] = [755224, 287082, 359152, 969429, 338314, 254676, 287922, 162583, 399871, 520489]
        for (counter, value) in values.enumerated() {
            #expect(password.value(counter: UInt64(counter), digits: 6) == value)
        }
    }

    /// The seeds of the reference implementation: the ASCII digits repeated to the hash's size.
    private static func seed(_ algorithm: TOTPAlgorithm) -> Secret {
        let sizes: [TOTPAlgorithm: Int] = [.sha1: 20, .sha256: 32, .sha512: 64]
        let digits = Array("1234567890".utf8)
        return Base32.encoded(Secret(bytes: (0..<sizes[algorithm]!).map { digits[$0 % 10] }))
    }

    @Test(
        "computes the TOTP values of RFC 6238, appendix B",
        arguments: [
            (59, ["94287082", "46119246", "90693936"]),
            (1_111_111_109, ["07081804", "68084774", "25091201"]),
            (1_111_111_111, ["14050471", "67062674", "99943326"]),
            (1_234_567_890, ["89005924", "91819424", "93441116"]),
            (2_000_000_000, ["69279037", "90698825", "38618901"]),
            (20_000_000_000, ["65353130", "77737706", "47863826"]),
        ])
    func timeBased(_ time: Double, _ codes: [String]) throws {
        for (algorithm, code) in zip(TOTPAlgorithm.allCases, codes) {
            let token = try Token(
                issuer: "RFC", account: "6238", secret: Self.seed(algorithm), digits: 8, algorithm: algorithm)
            let made = token.code(at: Date(timeIntervalSince1970: time))
            #expect(made.digits.revealed() == code)
            #expect(made.grouped.revealed() == code.prefix(4) + " " + code.suffix(4))
        }
    }

    @Test("is grouped and says when it expires")
    func holds() throws {
        let code = try aToken(period: 30).code(at: Date(timeIntervalSince1970: 1_000_000_007.5))
        #expect(code.grouped.revealed().wholeMatch(of: /[0-9]{3} [0-9]{3}/) != nil)
        #expect(code.begins == Date(timeIntervalSince1970: 999_999_990))
        #expect(code.ends == Date(timeIntervalSince1970: 1_000_000_020))
        #expect(code.timeLeft(at: Date(timeIntervalSince1970: 1_000_000_007.5)) == 12.5)
        #expect(code.timeLeft(at: Date(timeIntervalSince1970: 1_000_000_099)) == 0)
    }

    @Test("accepts any positive period", arguments: [1, 7, 30, 60, 86_400, 1 << 53])
    func periods(_ period: Int) throws {
        let token = try aToken(period: period)
        #expect(token.step(at: someMoment) == UInt64(someMoment.timeIntervalSince1970) / UInt64(period))
        #expect(token.code(at: Date(timeIntervalSince1970: -1)).step == 0)
        #expect(token.code(at: someMoment).digits.count == 6)
    }
}
