import Synchronization

/// A place where a plug-in hangs without heeding its cancellation, until a test lets it go on.
final class Hang: Sendable {
    private struct State {
        var isReached = false
        var isReleased = false
        var hanging: [UnsafeContinuation<Void, Never>] = []
        var watching: [UnsafeContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    var isReached: Bool { state.withLock { $0.isReached } }

    func wait() async {
        await withUnsafeContinuation { continuation in
            let (passes, watching) = state.withLock { state in
                state.isReached = true
                if !state.isReleased { state.hanging.append(continuation) }
                defer { state.watching = [] }
                return (state.isReleased, state.watching)
            }
            for watcher in watching { watcher.resume() }
            if passes { continuation.resume() }
        }
    }

    /// Returns once the plug-in hangs.
    func reached() async {
        await withUnsafeContinuation { continuation in
            let isReached = state.withLock { state in
                if !state.isReached { state.watching.append(continuation) }
                return state.isReached
            }
            if isReached { continuation.resume() }
        }
    }

    func release() {
        let hanging = state.withLock { state in
            state.isReleased = true
            defer { state.hanging = [] }
            return state.hanging
        }
        for continuation in hanging { continuation.resume() }
    }
}
