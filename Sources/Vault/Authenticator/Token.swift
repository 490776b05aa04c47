import Clocks
import Crypto
import Encodings
import Foundation
import Secrets

/// An account's second factor: the secret shared with the service, and how to make codes from it.
///
/// Only the two names can change after creation. The secret, digits, period and algorithm are agreed with the service:
/// a token with different ones is another token.
public struct Token: Sendable, Identifiable {
    /// The allowed number of characters in an issuer.
    package static let issuerLength = 1...100
    /// The allowed number of characters in an account.
    package static let accountLength = 1...200
    /// The allowed number of Base32 characters in a secret.
    package static let secretLength = 16...1024
    public static let defaultDigits = 6
    public static let defaultPeriod = 30

    public let id: UUID
    /// The service, such as a bank's name; trimmed.
    package let issuer: String
    /// The account at the service, such as an e-mail address; trimmed.
    package let account: String
    /// Base32 in upper case, without padding.
    package let secret: Secret
    /// The number of digits in a code: 6 or 8.
    package let digits: Int
    /// The time for which a code is valid, in seconds.
    package let period: Int
    package let algorithm: TOTPAlgorithm
    /// In whole milliseconds, like ``updatedAt``.
    package let createdAt: Date
    package let updatedAt: Date

    let password: OneTimePassword

    /// - Parameters:
    ///   - secret: Base32 in upper or lower case; spaces, hyphens and padding are removed.
    ///   - updatedAt: the same as `createdAt` when nil.
    /// - Throws: ``TokenError`` for the first invalid field.
    public init(
        id: UUID = UUID(), issuer: String, account: String, secret: Secret, digits: Int = Self.defaultDigits,
        period: Int = Self.defaultPeriod, algorithm: TOTPAlgorithm = .sha1, createdAt: Date = Date(),
        updatedAt: Date? = nil
    ) throws(TokenError) {
        self.id = id
        self.issuer = try Self.name(issuer, "issuer", atMost: Self.issuerLength.upperBound, whenEmpty: .emptyIssuer)
        self.account = try Self.name(
            account, "account", atMost: Self.accountLength.upperBound, whenEmpty: .emptyAccount)
        guard let normalised = Base32.normalised(secret) else {
            throw TokenError(.invalidSecret, "the secret is not Base32; use the letters A to Z and the digits 2 to 7")
        }
        guard Self.secretLength.contains(normalised.count) else {
            throw TokenError(
                .invalidSecret,
                "the secret has \(normalised.count) characters; "
                    + "\(Self.secretLength.lowerBound) to \(Self.secretLength.upperBound) are allowed")
        }
        self.secret = normalised
        guard digits == 6 || digits == 8 else {
            throw TokenError(.invalidDigits, "a code must have 6 or 8 digits, not \(digits)")
        }
        self.digits = digits
        guard (1...(1 << 53)).contains(period) else {
            throw TokenError(.invalidPeriod, "the period must be a positive number of seconds, not \(period)")
        }
        self.period = period
        self.algorithm = algorithm
        self.createdAt = createdAt.inMilliseconds
        self.updatedAt = (updatedAt ?? createdAt).inMilliseconds
        password = OneTimePassword(
            key: Base32.decoded(normalised).withUnsafeBytes { SymmetricKey(data: $0) }, algorithm: algorithm)
    }

    /// Returns the token with other names. `updatedAt` increases even if the clock does not, so that an edit always
    /// wins over the version it edited.
    package func renamed(
        issuer: String? = nil, account: String? = nil, at now: Date = Date()
    ) throws(TokenError) -> Token {
        try Token(
            id: id, issuer: issuer ?? self.issuer, account: account ?? self.account, secret: secret, digits: digits,
            period: period, algorithm: algorithm, createdAt: createdAt, updatedAt: now.after(updatedAt))
    }

    var underAnotherID: Token { Token(copying: self, id: UUID()) }

    private init(copying other: Token, id: UUID) {
        self.id = id
        issuer = other.issuer
        account = other.account
        secret = other.secret
        digits = other.digits
        period = other.period
        algorithm = other.algorithm
        createdAt = other.createdAt
        updatedAt = other.updatedAt
        password = other.password
    }

    private static func name(
        _ text: String, _ field: String, atMost limit: Int, whenEmpty code: TokenError.Code
    ) throws(TokenError) -> String {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !trimmed.isEmpty else { throw TokenError(code, "the \(field) is empty; give a name") }
        guard trimmed.count <= limit, trimmed.utf8.count <= limit * 16 else {
            throw TokenError(
                .textTooLong, "the \(field) has \(trimmed.count) characters; at most \(limit) are allowed")
        }
        let breaks: [Unicode.GeneralCategory] = [.control, .lineSeparator, .paragraphSeparator]
        guard !trimmed.unicodeScalars.contains(where: { breaks.contains($0.properties.generalCategory) }) else {
            throw TokenError(.textUnprintable, "the \(field) contains a line break or a control character; remove it")
        }
        return trimmed
    }
}

/// The hash function of a token's HMAC (RFC 6238, section 1.2), named as in `otpauth://` URIs.
public enum TOTPAlgorithm: String, Sendable, Hashable, Codable, CaseIterable {
    case sha1 = "SHA1"
    case sha256 = "SHA256"
    case sha512 = "SHA512"

    /// Reads the names in use: any case, with a hyphen (`sha-256`), or Java's name of the MAC (`HmacSHA1`).
    package init?(named name: String) {
        var plain = name.uppercased().replacing("-", with: "")
        if plain.hasPrefix("HMAC") { plain.removeFirst(4) }
        self.init(rawValue: plain)
    }
}

extension Token: Equatable {
    public static func == (left: Token, right: Token) -> Bool {
        left.id == right.id && left.issuer == right.issuer && left.account == right.account
            && left.digits == right.digits && left.period == right.period && left.algorithm == right.algorithm
            && left.createdAt == right.createdAt && left.updatedAt == right.updatedAt
            && left.secret.isEqual(to: right.secret)
    }
}

extension Date {
    /// The date truncated to whole milliseconds, the precision of the vault's JSON.
    var inMilliseconds: Date {
        Date(timeIntervalSince1970: (timeIntervalSince1970 * 1000).rounded(.down) / 1000)
    }

    /// Whole milliseconds since 1970.
    var milliseconds: Int { Int((timeIntervalSince1970 * 1000).rounded()) }

    /// Returns this moment, or a millisecond after `other` if that is later.
    func after(_ other: Date) -> Date {
        max(inMilliseconds, Date(timeIntervalSince1970: Double(other.milliseconds + 1) / 1000))
    }
}
