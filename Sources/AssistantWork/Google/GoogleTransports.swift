import CurlClient

/// The HTTP sessions for calls to Google. Their number limits the calls that this process makes at a time, and each keeps
/// its connections open for the next call.
package actor GoogleTransports {
    private let limit: Int
    private let make: @Sendable () -> any HTTPTransport
    private var idle: [any HTTPTransport] = []
    private var count = 0
    private var waiting: [(number: Int, continuation: CheckedContinuation<any HTTPTransport, any Error>)] = []
    private var lastNumber = 0

    /// - Parameter limit: the most calls at a time.
    package init(limit: Int = 32, _ make: @escaping @Sendable () -> any HTTPTransport) {
        self.limit = limit
        self.make = make
    }

    /// Waits for a session.
    ///
    /// - Throws: `CancellationError`, at once when the task is cancelled.
    func take() async throws -> any HTTPTransport {
        if let transport = idle.popLast() { return transport }
        if count < limit {
            count += 1
            return make()
        }
        lastNumber += 1
        let number = lastNumber
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
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

    func giveBack(_ transport: any HTTPTransport) {
        if waiting.isEmpty {
            idle.append(transport)
        } else {
            waiting.removeFirst().continuation.resume(returning: transport)
        }
    }

    /// Closes the idle sessions.
    package func close() async {
        for transport in idle { await transport.close() }
        idle = []
    }
}
