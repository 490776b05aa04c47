import Foundation

/// A way to make exchanges: over the network, or from a recording. Exchanges run one at a time, except those that may run
/// beside others (``HTTPRequest/mayRunBesideOthers``).
///
/// ``CurlSession`` is the implementation for the network. The caller checks each request against the egress policy
/// first; a transport follows no redirect.
public protocol HTTPTransport: Sendable {
    /// The executor on which tasks that use the transport run best; nil for any. The default is nil.
    var executor: (any TaskExecutor)? { get }

    /// Makes one exchange and keeps the body in memory.
    func send(_ request: HTTPRequest) async throws -> HTTPResponse

    /// Makes one exchange and writes the body into a new file.
    ///
    /// - Parameter limit: the largest body in bytes; the transport's own limit when nil.
    func download(_ request: HTTPRequest, to file: URL, limit: Int?) async throws -> HTTPDownload

    func cookies() async -> [HTTPCookie]

    /// Puts cookies among those of the session. The default, for exchanges of a recording, needs none.
    func put(_ cookies: [HTTPCookie]) async

    /// Ends the current exchange and forgets everything.
    func close() async
}

extension HTTPTransport {
    public var executor: (any TaskExecutor)? { nil }

    public func put(_ cookies: [HTTPCookie]) async {}
}

extension CurlSession: HTTPTransport {}
