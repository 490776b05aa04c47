import Foundation

/// How much an exchange may take. Each is a limit of its own, named when it is reached.
public struct HTTPLimits: Sendable {
    /// Name lookup, connection and TLS handshake together.
    public var connect: Duration = .seconds(15)
    /// From the start to the first byte of the answer.
    public var firstByte: Duration = .seconds(60)
    public var whole: Duration = .seconds(300)
    /// Bytes of a body in memory, after decompression.
    public var bodySize = 16 << 20
    /// Bytes of a body in a file, after decompression.
    public var downloadSize = 64 << 20
    /// Bytes of all header lines of an answer.
    public var headerSize = 256 << 10

    public init() {}
}

/// What a session is made of.
///
/// TLS 1.2 or later and the certificate's verification are not a matter of configuration; pins can take the place of the
/// chain. No proxy, `.netrc` or other setting is taken from the environment.
public struct CurlConfiguration: Sendable {
    public var limits = HTTPLimits()
    /// A PEM file with certificate authorities besides the system's.
    public var extraCAFile: URL?
    /// By origin, as `https://bank.example` or `https://bank.example:8443`: the base64 of the SHA-256 of a public key, of
    /// which one has to fit (RFC 7469's pins) besides the chain.
    public var pinnedPublicKeys: [String: [String]] = [:]
    /// The SHA-256 of certificates in DER, as 64 hex digits. When there is one, the server has to show one of these, and
    /// neither its chain, its dates nor its names count; plain HTTP is refused.
    public var pinnedCertificates: [String] = []
    /// Ends every handshake when the certificate has been seen.
    var acceptsNoCertificate = false
    /// Cookies are kept in memory, for this session alone.
    public var keepsCookies = true
    public var userAgent = "Countersign/0.1"
    /// `host:port:address`, to reach a name somewhere else.
    public var resolve: [String] = []

    public init() {}
}
