/// Scheme, host and port: what a script may speak to, and what cookies, referrers and secrets are kept apart by (HTML
/// Standard, section 7.1.1).
public struct Origin: Sendable, Hashable, CustomStringConvertible {
    public let scheme: String
    public let host: Host
    /// The scheme's own port where none is written.
    public let port: UInt16

    /// nil for a URL that has no origin of its own: `data:`, `javascript:`, `file:` and the like.
    public init?(of url: URLRecord) {
        guard url.scheme != "file", let host = url.host, host != .empty, let port = url.effectivePort else {
            return nil
        }
        self.scheme = url.scheme
        self.host = host
        self.port = port
    }

    /// Parses `https://bank.example` or `https://bank.example:8443`; a path, a query or userinfo is refused, since an
    /// origin has none and whoever wrote one expects more than an origin can say.
    public init(parsing text: String) throws(OriginError) {
        guard let url = try? URLRecord(parsing: text), let origin = Origin(of: url) else {
            throw OriginError(text: text)
        }
        guard !url.hasCredentials, url.query == nil, url.fragment == nil, url.path == "/" || url.path.isEmpty else {
            throw OriginError(text: text)
        }
        self = origin
    }

    /// The serialised origin, the port left out where it is the scheme's own.
    public var description: String {
        URLRecord.defaultPort(of: scheme) == port ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
    }
}

/// A text that is not an origin.
public struct OriginError: Error, Sendable, Hashable, CustomStringConvertible {
    public let text: String

    public var description: String {
        "\"\(text.prefix(200))\" is not an origin; write scheme and host and nothing more, as in https://bank.example"
    }
}
