import CLibCurl
import Foundation

/// An HTTP client with a jar of cookies and a pool of connections of its own, both gone with it.
///
/// Exchanges are made one after the other, as a person's are. No redirect is followed: each hop is the caller's to
/// decide. libcurl runs on a thread of the session's own, and so may the tasks that use it (``executor``); a cancelled
/// task ends its exchange at once.
public final class CurlSession: Sendable {
    public let configuration: CurlConfiguration
    private let worker: SessionThread

    public init(_ configuration: CurlConfiguration = CurlConfiguration()) {
        self.configuration = configuration
        worker = SessionThread(configuration)
    }

    deinit { worker.stop() }

    /// The session's thread. A task that prefers it need not wait for one thread to wake another, twice an exchange;
    /// after ``close()`` it goes on elsewhere.
    public var executor: (any TaskExecutor)? { worker }

    /// Makes one exchange; the body is kept in memory.
    ///
    /// - Throws: ``CurlError``.
    public func send(_ request: HTTPRequest) async throws(CurlError) -> HTTPResponse {
        let outcome = try await perform(request, to: .memory, limits: configuration.limits)
        return HTTPResponse(head: outcome.head, body: outcome.body)
    }

    /// Makes one exchange; the body is streamed into a new file of mode 0600, which appears when it is complete, or not at
    /// all. It is not brought to the disk: whoever keeps it for good does that with what becomes of it.
    ///
    /// - Parameter limit: the most bytes that are accepted, the session's limit when nil.
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

    /// Ends what is on its way, closes every connection, and forgets the cookies.
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
