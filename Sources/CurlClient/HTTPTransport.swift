import Foundation

/// Makes one exchange at a time: over the network, or from a recording.
///
/// ``CurlSession`` is the first implementation. Whoever uses a transport has checked the request against the egress
/// policy before; a transport follows no redirect by itself.
public protocol HTTPTransport: Sendable {
    /// Where tasks that use the transport are best run; nil for anywhere.
    var executor: (any TaskExecutor)? { get }

    /// Makes one exchange; the body is kept in memory.
    func send(_ request: HTTPRequest) async throws -> HTTPResponse

    /// Makes one exchange; the body goes into a new file.
    ///
    /// - Parameter limit: the most bytes that are accepted, the transport's own limit when nil.
    func download(_ request: HTTPRequest, to file: URL, limit: Int?) async throws -> HTTPDownload

    func cookies() async -> [HTTPCookie]

    /// Ends what is on its way and forgets everything.
    func close() async
}

extension HTTPTransport {
    public var executor: (any TaskExecutor)? { nil }
}

extension CurlSession: HTTPTransport {}
