import Foundation
import Secrets

/// A token's URI in Google's Key URI format, `otpauth://totp/Issuer:account?secret=…`, which is what the QR codes hold.
///
/// Where implementations differ, this one does as follows:
/// - Scheme, type and parameter names are read in any case; parameters that are not known are left alone.
/// - `hotp`, `steam` and `encoder=steam` are refused: their codes would be wrong.
/// - The label is split at its first `:`, or, when there is none, at its first `%3A`, as the format's grammar has it.
/// - The `issuer` parameter wins over the label's prefix. Without either the account stands for the issuer.
/// - A parameter that is there twice is refused unless both values are the same.
/// - `+` in a parameter is a space, in the label a plus.
/// - 6 or 8 digits, a positive period, SHA-1, SHA-256 or SHA-512, a secret of 16 Base32 characters at least.
public struct OTPAuthURI: Sendable {
    /// Longest URI that is read, in bytes.
    public static let longest = 8192

    public let issuer: String?
    public let account: String?
    /// As it stands in the URI, not yet known to be Base32.
    public let secret: Secret
    public let digits: Int
    public let period: Int
    public let algorithm: TOTPAlgorithm

    /// - Throws: ``OTPAuthError``.
    public init(_ uri: Secret) throws(OTPAuthError) {
        guard uri.count <= Self.longest else {
            throw OTPAuthError(.tooLong, "the URI has \(uri.count) bytes; at most \(Self.longest) are read")
        }
        let text = uri.revealed().trimmingCharacters(in: .whitespacesAndNewlines)
        let scheme = "otpauth://"
        guard text.lowercased().hasPrefix(scheme) else {
            throw OTPAuthError(.notOTPAuth, "the text is no otpauth:// URI")
        }
        let rest = text.dropFirst(scheme.count).prefix { $0 != "#" }
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts[0].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let type = path[0].lowercased()
        guard type == "totp" else {
            let known = ["hotp": "counts instead of telling the time", "steam": "makes Steam’s own codes"][type]
            throw OTPAuthError(.unsupportedType, "the token \(known ?? "is of no known type"); only totp is supported")
        }
        let parameters = try Self.parameters(parts.count > 1 ? parts[1] : "")
        if let encoder = parameters["encoder"], !encoder.isEmpty {
            throw OTPAuthError(.unsupportedType, "the token makes codes in a way of its own; only totp is supported")
        }
        let label = try Self.label(path.count > 1 ? path[1] : "")
        issuer = Self.name(parameters["issuer"]) ?? label.issuer
        account = label.account
        guard let secret = parameters["secret"], !secret.isEmpty else {
            throw OTPAuthError(.invalidParameter, "the URI has no secret")
        }
        self.secret = Secret(secret)
        guard let algorithm = TOTPAlgorithm(named: parameters["algorithm"] ?? TOTPAlgorithm.sha1.rawValue) else {
            throw OTPAuthError(.invalidParameter, "the algorithm is none of SHA1, SHA256 and SHA512")
        }
        self.algorithm = algorithm
        digits = try Self.number(parameters, "digits") { $0 == 6 || $0 == 8 } ?? Token.defaultDigits
        period = try Self.number(parameters, "period") { $0 > 0 } ?? Token.defaultPeriod
    }

    /// The token that the URI describes.
    ///
    /// - Parameters:
    ///   - issuer: instead of the URI's.
    ///   - account: instead of the URI's.
    /// - Throws: ``OTPAuthError`` `missingLabel`, or ``TokenError``.
    public func token(issuer: String? = nil, account: String? = nil, at now: Date = Date()) throws -> Token {
        guard let name = issuer ?? self.issuer ?? account ?? self.account else {
            throw OTPAuthError(.missingLabel, "the URI names neither issuer nor account; give them")
        }
        return try Token(
            issuer: name, account: account ?? self.account ?? name, secret: secret, digits: digits, period: period,
            algorithm: algorithm, createdAt: now)
    }
}

extension Token {
    /// The URI that other authenticators read. It holds the secret.
    public var uri: Secret {
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
