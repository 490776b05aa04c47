import WebURL

/// The origins that a session may contact: those that its script names, over https. This is the only place that decides
/// it; every hop of every request is checked before a byte leaves.
public struct EgressPolicy: Sendable, Hashable {
    public let origins: [Origin]
    /// Allows plain http to this machine, for tests and the mock bank. The origin must still be among ``origins``.
    public let allowsLoopbackHTTP: Bool

    public init(origins: [Origin], allowsLoopbackHTTP: Bool = false) {
        self.origins = origins
        self.allowsLoopbackHTTP = allowsLoopbackHTTP
    }

    public func check(_ url: URLRecord) throws(EgressError) {
        guard let asked = Origin(of: url) else { throw error(.scheme, url) }
        switch url.scheme {
        case "https": break
        case "http" where asked.host.isLoopback:
            guard allowsLoopbackHTTP else { throw error(.loopbackHTTP, url) }
        case "http": throw error(.plainHTTP, url)
        default: throw error(.scheme, url)
        }
        guard !url.hasCredentials else { throw error(.userinfo, url) }
        guard origins.contains(asked) else { throw error(.origin, url) }
    }

    private func error(_ code: EgressError.Code, _ url: URLRecord) -> EgressError {
        EgressError(code: code, asked: Origin(of: url)?.description ?? url.scheme + ":", allowed: origins)
    }
}
