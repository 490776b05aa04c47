/// Lets some calls at a time go on. The others wait, in the order in which they came.
package actor Turns {
    /// Too many calls wait.
    package struct Full: Error, Sendable, Hashable {
        /// The calls that wait already.
        package let waiting: Int
    }

    private let limit: Int
    private let mostWaiting: Int
    private var taken = 0
    private var waiting: [(number: Int, continuation: CheckedContinuation<Void, any Error>)] = []
    private var lastNumber = 0

    /// - Parameters:
    ///   - limit: the most calls that go on at a time.
    ///   - mostWaiting: the most calls that wait.
    package init(_ limit: Int, mostWaiting: Int = .max) {
        self.limit = limit
        self.mostWaiting = mostWaiting
    }

    /// The calls that wait.
    package var length: Int { waiting.count }

    /// Runs `body` when its turn comes.
    ///
    /// - Throws: what ``take()`` throws, and the error of `body`.
    package func run<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        try await take()
        defer { giveBack() }
        return try await body()
    }

    /// Waits for a turn, which has to be given back.
    ///
    /// - Throws: ``Full`` at once when too many wait; `CancellationError` when the task is cancelled while it waits.
    package func take() async throws {
        guard taken == limit else {
            taken += 1
            return
        }
        guard waiting.count < mostWaiting else { throw Full(waiting: mostWaiting) }
        lastNumber += 1
        let number = lastNumber
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                if Task.isCancelled {
                    continuation.resume(throwing: CancellationError())
                } else {
                    waiting.append((number, continuation))
                }
            }
        } onCancel: {
            Task { await giveUp(number) }
        }
    }

    package func giveBack() {
        // The turn passes to the next call, so that a new one cannot come before it.
        if waiting.isEmpty { taken -= 1 } else { waiting.removeFirst().continuation.resume() }
    }

    private func giveUp(_ number: Int) {
        guard let index = waiting.firstIndex(where: { $0.number == number }) else { return }
        waiting.remove(at: index).continuation.resume(throwing: CancellationError())
    }
}
