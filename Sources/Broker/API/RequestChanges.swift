import Foundation
import Messages

/// Wakes long polls when their request changes, and tells a follower of every change.
actor RequestChanges {
    private var listeners: [RequestID: [UUID: AsyncStream<Void>.Continuation]] = [:]
    private var isOver = false
    private var follower: (@Sendable (RequestID) -> Void)?

    struct Listening: Sendable {
        fileprivate let stream: AsyncStream<Void>
        fileprivate let continuation: AsyncStream<Void>.Continuation

        /// Returns at the next change, or when the time is up.
        func wait(atMost limit: Duration) async {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { for await _ in stream { return } }
                group.addTask { try? await Task.sleep(for: limit) }
                await group.next()
                group.cancelAll()
            }
        }

        func cancel() { continuation.finish() }
    }

    func listen(to id: RequestID) -> Listening {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        guard !isOver else {
            continuation.finish()
            return Listening(stream: stream, continuation: continuation)
        }
        let key = UUID()
        listeners[id, default: [:]][key] = continuation
        continuation.onTermination = { _ in Task { await self.forget(key, of: id) } }
        return Listening(stream: stream, continuation: continuation)
    }

    private func forget(_ key: UUID, of id: RequestID) {
        listeners[id]?[key] = nil
        if listeners[id]?.isEmpty == true { listeners[id] = nil }
    }

    /// The numbers of requests that someone waits for, and of the waits for them.
    var waiting: (requests: Int, waits: Int) {
        (listeners.count, listeners.values.reduce(0) { $0 + $1.count })
    }

    /// Sets the function that is called with every request that changes. It must not wait.
    func follow(_ follower: @escaping @Sendable (RequestID) -> Void) { self.follower = follower }

    func announce(_ id: RequestID) {
        follower?(id)
        for continuation in listeners[id]?.values ?? [:].values { continuation.yield() }
    }

    /// Ends all waits because the broker stops: pending long polls get the current state.
    func end() {
        isOver = true
        for continuation in listeners.values.flatMap(\.values) { continuation.finish() }
    }
}
