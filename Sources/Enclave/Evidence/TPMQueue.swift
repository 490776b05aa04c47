/// Lets one call at a time use the TPM. A few more wait in the order in which they came, and the next one is refused.
actor TPMQueue {
    /// The most calls that wait. A TPM makes a quote in about half a second, so the last of them waits some seconds.
    static let most = 16

    private let limit: Int
    private var isTaken = false
    private var waiting: [(number: Int, continuation: CheckedContinuation<Void, any Error>)] = []
    private var lastNumber = 0

    init(limit: Int = TPMQueue.most) {
        self.limit = limit
    }

    /// The calls that wait.
    var length: Int { waiting.count }

    /// Runs `body` when its turn comes.
    ///
    /// - Throws: ``EnclaveBusy`` at once when too many wait; `CancellationError` when the task is cancelled while it waits.
    func run<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        try await take()
        defer { giveBack() }
        return try await body()
    }

    private func take() async throws {
        guard isTaken else {
            isTaken = true
            return
        }
        guard waiting.count < limit else { throw EnclaveBusy(waiting: limit) }
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

    private func giveUp(_ number: Int) {
        guard let index = waiting.firstIndex(where: { $0.number == number }) else { return }
        waiting.remove(at: index).continuation.resume(throwing: CancellationError())
    }

    private func giveBack() {
        // The TPM stays taken for the next call, so that a new one cannot come before it.
        if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().continuation.resume() }
    }
}

/// The enclave has as many calls as it can answer in a short time. Try again in a few seconds.
struct EnclaveBusy: Error, Sendable, Hashable, CustomStringConvertible {
    /// The calls that wait already.
    let waiting: Int

    var description: String {
        "the TPM is busy: \(waiting) calls wait for it already. Try again in a few seconds"
    }
}
