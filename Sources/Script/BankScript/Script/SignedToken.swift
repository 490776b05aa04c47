import Encodings

/// A JSON Web Token (RFC 7519) that a private key of the person signs, for an interface that knows the public key. The key stays on
/// the phone; the token leaves.
///
///     capture: { bearer: { sign: { RS256: $app_key, claims: { iss: me, aud: api.bank.example }, life: 10 min } } }
public struct SignedToken: Sendable, Hashable {
    /// The signatures that interfaces ask for (RFC 7518, section 3.1; RFC 8037, section 3.1).
    public enum Algorithm: String, Sendable, Hashable, CaseIterable {
        case rs256 = "RS256"
        case es256 = "ES256"
        case eddsa = "EdDSA"
    }

    public var algorithm: Algorithm
    /// The name of the credential that is the private key, in PEM.
    public var key: String
    /// The members of the header besides `alg` and `typ`, such as `kid`.
    public var header: [String: JSONBody<Value>]
    /// The claims besides `iat` and `exp`.
    public var claims: [String: JSONBody<Value>]
    /// The time from now to `exp`.
    public var life: Duration
    /// The time from `iat` to now, for a server whose clock is behind.
    public var skew: Duration

    /// The values that ``life`` and ``skew`` may have.
    package static let lives: ClosedRange<Duration> = .seconds(1) ... .seconds(86_400)
    package static let skews: ClosedRange<Duration> = .zero ... .seconds(300)
    /// Thirty seconds.
    public static let usualSkew: Duration = .seconds(30)

    /// The names that are set when the token is signed.
    package static let ownHeader = ["alg", "typ"]
    package static let ownClaims = ["iat", "exp"]

    public init(
        _ algorithm: Algorithm, key: String, header: [String: JSONBody<Value>] = [:],
        claims: [String: JSONBody<Value>], life: Duration, skew: Duration = Self.usualSkew
    ) {
        self.algorithm = algorithm
        self.key = key
        self.header = header
        self.claims = claims
        self.life = life
        self.skew = skew
    }

    /// The values in the header and the claims.
    package var values: [Value] { (Array(header.values) + Array(claims.values)).flatMap(\.leaves) }
}
