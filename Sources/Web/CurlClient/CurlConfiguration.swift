import Foundation
import Machine

/// Limits on one exchange. An error names the limit that was reached.
public struct HTTPLimits: Sendable {
    /// For name lookup, connection and TLS handshake together.
    public var connect: Duration = .seconds(15)
    /// From the start of the exchange to the first byte of the answer.
    public var firstByte: Duration = .seconds(60)
    public var whole: Duration = .seconds(300)
    /// The largest body in memory, in bytes after decompression.
    public var bodySize = 16 << 20
    /// The largest body in a file, in bytes after decompression.
    public var downloadSize = 64 << 20
    /// The largest size of an answer's header lines together, in bytes.
    public var headerSize = 256 << 10

    public init() {}
}

/// The use of HTTP/2.
public enum HTTP2Use: Sendable, Hashable {
    /// Over TLS when the server offers it (ALPN).
    case offered
    /// The same, and exchanges that run side by side share one connection (RFC 9113, section 5).
    case shared
    /// Shared, and over plain HTTP too, without asking (RFC 9113, section 3.3). Other servers are then not understood.
    case assumed
}

/// The settings of a session.
///
/// TLS 1.2 or later and certificate verification cannot be turned off; pinned certificates can take the place of the
/// chain. No proxy, `.netrc` or other setting comes from the environment.
public struct CurlConfiguration: Sendable {
    public var limits = HTTPLimits()
    /// A PEM file with certificate authorities to trust besides the system's.
    public var extraCAFile: URL?
    /// Pinned public keys by origin, such as `https://bank.example` or `https://bank.example:8443`: the base64 of the
    /// SHA-256 of each key (RFC 7469). One must match, in addition to the chain.
    public var pinnedPublicKeys: [String: [String]] = [:]
    /// The SHA-256 of certificates in DER, as 64 hex digits each. If there are any, the server must show one of them;
    /// its chain, dates and names do not matter then, and plain HTTP is refused.
    public var pinnedCertificates: [String] = []
    /// True if every handshake ends once the certificate has arrived.
    var acceptsNoCertificate = false
    public var http2 = HTTP2Use.offered
    /// True if the session keeps cookies, in memory only.
    public var keepsCookies = true
    public var userAgent = "Countersign/0.1"
    /// Entries `host:port:address` that connect to another address than the name's own.
    public var resolve: [String] = []

    /// Unix sockets of servers that are on this machine, by the server's base URL such as `http://127.0.0.1:8765`. Callers
    /// who want one name it in their requests (``HTTPRequest/socket``).
    package var sockets: [String: ServedSocket] = [:]

    public init() {}
}
