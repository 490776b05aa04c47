/// One wait for a change, as a long poll needs it (RFC 6202, section 2). A change before the wait ends it at once.
struct ChangeWait: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    /// - Parameter onEnd: called once, when the wait is over or was cancelled.
    init(onEnd: @escaping @Sendable () -> Void = {}) {
        (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        continuation.onTermination = { _ in onEnd() }
    }

    /// Returns at the next change, or when the time is up.
    func wait(atMost limit: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in stream { return } }
            group.addTask { try? await Task.sleep(for: limit) }
            await group.next()
            group.cancelAll()
        }
    }

    /// Ends a wait that is under way, or the next one.
    func wake() { continuation.yield() }

    /// Ends every wait, also those that begin later.
    func cancel() { continuation.finish() }
}
