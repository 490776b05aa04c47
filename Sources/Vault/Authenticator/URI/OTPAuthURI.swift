import Foundation
import Secrets

/// A token's URI in Google's Key URI format, `otpauth://totp/Issuer:account?secret=…`, as in QR codes.
///
/// Implementations differ in some points. This one follows these rules:
/// - Scheme, type and parameter names may be in any case. Unknown parameters are ignored.
/// - `hotp`, `steam` and `encoder=steam` are refused: their codes would be wrong.
/// - The label is split at its first `:`, or at its first `%3A` if it has no `:`, as in the format's grammar.
/// - The `issuer` parameter wins over the label's prefix. Without either, the account is also the issuer.
/// - A parameter that occurs twice is refused unless both values are the same.
/// - A `+` is a space in a parameter and a plus in the label.
/// - A token needs 6 or 8 digits, a positive period, SHA-1, SHA-256 or SHA-512, and a secret of at least 16 Base32
///   characters.
package struct OTPAuthURI: Sendable {
    /// The maximum length of a URI, in bytes.
    package static let longest = 8192

    package let issuer: String?
    package let account: String?
    /// The secret as in the URI, not yet checked for Base32.
    package let secret: Secret
    package let digits: Int
    package let period: Int
    package let algorithm: TOTPAlgorithm

    /// - Throws: ``OTPAuthError``.
    package init(_ uri: Secret) throws(OTPAuthError) {
        guard uri.count <= Self.longest else {
            throw OTPAuthError(.tooLong, "the URI has \(uri.count) bytes; at most \(Self.longest) are allowed")
        }
        let text = uri.revealed().trimmingCharacters(in: .whitespacesAndNewlines)
        let scheme = "otpauth://"
        guard text.lowercased().hasPrefix(scheme) else {
            throw OTPAuthError(
                .notOTPAuth, "this is not the text of a code for an authenticator app, which begins with otpauth://")
        }
        let rest = text.dropFirst(scheme.count).prefix { $0 != "#" }
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts[0].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let type = path[0].lowercased()
        guard type == "totp" else {
            let known = ["hotp": "is counter-based", "steam": "makes Steam codes"][type]
            throw OTPAuthError(.unsupportedType, "the token \(known ?? "has an unknown type"); only totp is supported")
        }
        let parameters = try Self.parameters(parts.count > 1 ? parts[1] : "")
        if let encoder = parameters["encoder"], !encoder.isEmpty {
            throw OTPAuthError(.unsupportedType, "the token has its own kind of codes; only totp is supported")
        }
        let label = try Self.label(path.count > 1 ? path[1] : "")
        issuer = Self.name(parameters["issuer"]) ?? label.issuer
        account = label.account
        guard let secret = parameters["secret"], !secret.isEmpty else {
            throw OTPAuthError(.invalidParameter, "the URI has no secret")
        }
        self.secret = Secret(secret)
        guard let algorithm = TOTPAlgorithm(named: parameters["algorithm"] ?? TOTPAlgorithm.sha1.rawValue) else {
            throw OTPAuthError(.invalidParameter, "the algorithm is not SHA1, SHA256 or SHA512")
        }
        self.algorithm = algorithm
        digits = try Self.number(parameters, "digits") { $0 == 6 || $0 == 8 } ?? Token.defaultDigits
        period = try Self.number(parameters, "period") { $0 > 0 } ?? Token.defaultPeriod
    }

    /// Makes the token that the URI describes.
    ///
    /// - Parameters:
    ///   - issuer: used instead of the URI's issuer if given.
    ///   - account: used instead of the URI's account if given.
    /// - Throws: ``OTPAuthError`` `missingLabel`, or ``TokenError``.
    package func token(issuer: String? = nil, account: String? = nil, at now: Date = Date()) throws -> Token {
        guard let name = issuer ?? self.issuer ?? account ?? self.account else {
            throw OTPAuthError(.missingLabel, "the URI names neither issuer nor account; give one")
        }
        return try Token(
            issuer: name, account: account ?? self.account ?? name, secret: secret, digits: digits, period: period,
            algorithm: algorithm, createdAt: now)
    }
}

extension Token {
    /// The URI for other authenticators. It contains the secret.
    package var uri: Secret {
        let label = "\(Self.escaped(issuer)):\(Self.escaped(account))"
        return secret.map { secret in
            "otpauth://totp/\(label)?secret=\(secret)&issuer=\(Self.escaped(issuer))&algorithm=\(algorithm.rawValue)"
                + "&digits=\(digits)&period=\(period)"
        }
    }

    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

    private static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }
}
