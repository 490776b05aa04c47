import Synchronization

/// The streams that tell every open page that something has changed.
final class PageChanges: Sendable {
    private struct State {
        var next = 0
        var count = 0
        var all: [Int: AsyncStream<Void>.Continuation] = [:]
        var isFinished = false
    }

    private let listeners = Mutex(State())

    func stream() -> AsyncStream<Void> {
        // One pending change is enough: the page fetches the whole state.
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let key = listeners.withLock { state -> Int? in
                guard !state.isFinished else { return nil }
                state.next += 1
                state.all[state.next] = continuation
                return state.next
            }
            guard let key else {
                continuation.finish()
                return
            }
            continuation.onTermination = { [weak self] _ in
                _ = self?.listeners.withLock { $0.all.removeValue(forKey: key) }
            }
        }
    }

    /// The number of changes until now. A page that shows it has nothing to fetch.
    var count: Int { listeners.withLock { $0.count } }

    func send() {
        let all = listeners.withLock { state in
            state.count += 1
            return Array(state.all.values)
        }
        for listener in all { listener.yield() }
    }

    func finish() {
        let all = listeners.withLock { state in
            state.isFinished = true
            return Array(state.all.values)
        }
        for listener in all { listener.finish() }
    }
}
