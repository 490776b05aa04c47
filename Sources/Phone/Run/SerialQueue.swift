/// Lets one thing at a time through, in the order in which they came.
actor SerialQueue {
    private var isBusy = false
    var isIdle: Bool { !isBusy }
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func run<Success: Sendable>(_ body: @Sendable () async throws -> Success) async rethrows -> Success {
        if isBusy {
            await withCheckedContinuation { waiting.append($0) }
        }
        isBusy = true
        defer {
            // The next one takes over at once: between a resume and its start nobody else may slip in.
            if waiting.isEmpty { isBusy = false } else { waiting.removeFirst().resume() }
        }
        return try await body()
    }
}
