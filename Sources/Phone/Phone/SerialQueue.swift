/// A queue that runs one operation at a time, in the order in which they arrive.
///
/// An actor alone would not do: an actor starts the next operation while the first one is suspended.
package actor SerialQueue {
    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    package init() {}

    var isIdle: Bool { !isBusy }

    /// Runs `body` when every operation before it has ended.
    package func run<Success: Sendable>(_ body: @Sendable () async throws -> Success) async rethrows -> Success {
        if isBusy {
            await withCheckedContinuation { waiting.append($0) }
        }
        isBusy = true
        defer {
            // The queue stays busy for the next operation, so that a new one cannot slip in before it starts.
            if waiting.isEmpty { isBusy = false } else { waiting.removeFirst().resume() }
        }
        return try await body()
    }
}
