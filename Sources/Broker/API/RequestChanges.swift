import Foundation
import Messages

/// Wakes long polls when their request changes.
actor RequestChanges {
    private var listeners: [RequestID: [UUID: AsyncStream<Void>.Continuation]] = [:]
    private var isOver = false

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

    func announce(_ id: RequestID) {
        for continuation in listeners[id]?.values ?? [:].values { continuation.yield() }
    }

    /// Ends all waits because the broker stops: pending long polls get the current state.
    func end() {
        isOver = true
        for continuation in listeners.values.flatMap(\.values) { continuation.finish() }
    }
}
