import CLibCurl
import Foundation

/// An HTTP client with its own cookie jar and connection pool, which end with it.
///
/// It makes one exchange at a time, except those that may run beside others, and follows no redirect: each hop is the caller's decision. libcurl runs on the
/// session's own thread, and tasks that use the session may run there too (``executor``). Cancelling a task ends its
/// exchange at once.
public final class CurlSession: Sendable {
    public let configuration: CurlConfiguration
    private let worker: SessionThread

    public init(_ configuration: CurlConfiguration = CurlConfiguration()) {
        self.configuration = configuration
        worker = SessionThread(configuration)
    }

    deinit { worker.stop() }

    /// The session's thread. A task that prefers it saves two thread switches for each exchange. After ``close()``,
    /// such a task continues elsewhere.
    public var executor: (any TaskExecutor)? { worker }

    /// Makes one exchange and keeps the body in memory.
    ///
    /// - Throws: ``CurlError``.
    public func send(_ request: HTTPRequest) async throws(CurlError) -> HTTPResponse {
        let outcome = try await perform(request, to: .memory, limits: configuration.limits)
        return HTTPResponse(head: outcome.head, body: outcome.body)
    }

    /// Makes one exchange and streams the body into a new file of mode 0600, which appears once it is complete or not
    /// at all. The file is not synchronised to disk: a caller who keeps it does that.
    ///
    /// - Parameter limit: the largest body in bytes; the session's limit when nil.
    /// - Throws: ``CurlError``.
    public func download(
        _ request: HTTPRequest, to file: URL, limit: Int? = nil
    ) async throws(CurlError) -> HTTPDownload {
        var limits = configuration.limits
        if let limit { limits.downloadSize = limit }
        let outcome = try await perform(request, to: .file(file), limits: limits)
        return HTTPDownload(
            head: outcome.head, file: file, bytes: outcome.bytes, sha256: outcome.sha256, firstBytes: outcome.body,
            lastBytes: outcome.end)
    }

    /// The session's cookies.
    public func cookies() async -> [HTTPCookie] {
        await worker.cookies()
    }

    /// Puts cookies among those of the session. One with a character that no cookie has is left out.
    public func put(_ cookies: [HTTPCookie]) async {
        await worker.put(cookies.filter(\.isWhole))
    }

    /// Ends the current exchange, closes every connection and forgets the cookies.
    public func close() async {
        worker.stop()
    }

    private func perform(
        _ request: HTTPRequest, to destination: Transfer.Destination, limits: HTTPLimits
    ) async throws(CurlError) -> Transfer.Outcome {
        let worker = worker
        let cancellation = Cancellation()
        do {
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    worker.add(
                        Transfer(
                            request, to: destination, limits: limits, cancellation: cancellation,
                            continuation: continuation))
                }
            } onCancel: {
                cancellation.request()
                worker.wake()
            }
        } catch let error as CurlError {
            throw error
        } catch {
            throw CurlError(.other, "\(error)")
        }
    }
}
