import Foundation
import Secrets

@testable import Authenticator

/// A secret of 160 bits, the usual size.
let sampleSecret = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"

let someMoment = Date(timeIntervalSince1970: 1_790_000_000)

func aToken(
    _ issuer: String = "Meridian Savings", account: String = "robin", secret: String = sampleSecret, digits: Int = 6,
    period: Int = 30, algorithm: TOTPAlgorithm = .sha1, id: UUID = UUID(), at now: Date = someMoment
) throws -> Token {
    try Token(
        id: id, issuer: issuer, account: account, secret: Secret(secret), digits: digits, period: period,
        algorithm: algorithm, createdAt: now)
}

func aVault(_ tokens: Token...) throws -> TokenVault {
    var vault = TokenVault(at: someMoment)
    for token in tokens { try vault.add(token, at: someMoment) }
    return vault
}
