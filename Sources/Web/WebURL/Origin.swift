/// Scheme, host and port (HTML Standard, section 7.1.1). A script names the origins it may contact; cookies, referrers
/// and secrets are kept apart by origin.
public struct Origin: Sendable, Hashable, CustomStringConvertible {
    public let scheme: String
    public let host: Host
    /// The port, explicit or the scheme's default.
    public let port: UInt16

    /// Returns nil for a URL without an origin of its own, such as a `data:`, `javascript:` or `file:` URL.
    public init?(of url: URLRecord) {
        guard url.scheme != "file", let host = url.host, host != .empty, let port = url.effectivePort else {
            return nil
        }
        self.scheme = url.scheme
        self.host = host
        self.port = port
    }

    /// Parses `https://bank.example` or `https://bank.example:8443`.
    ///
    /// - Throws: ``OriginError``, also for a path, a query or userinfo: an origin cannot express them.
    public init(parsing text: String) throws(OriginError) {
        guard let url = try? URLRecord(parsing: text), let origin = Origin(of: url) else {
            throw OriginError(text: text)
        }
        guard !url.hasCredentials, url.query == nil, url.fragment == nil, url.path == "/" || url.path.isEmpty else {
            throw OriginError(text: text)
        }
        self = origin
    }

    /// The serialized origin, without the scheme's default port.
    public var description: String {
        URLRecord.defaultPort(of: scheme) == port ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
    }
}

/// A text that is not an origin.
public struct OriginError: Error, Sendable, Hashable, CustomStringConvertible {
    public let text: String

    public var description: String {
        "“\(text.prefix(200))” is not an origin; write only scheme and host, as in https://bank.example"
    }
}
