import CurlClient

/// The HTTP sessions for calls to Google. Their number limits the calls that this process makes at a time, and each keeps
/// its connections open for the next call.
package actor GoogleTransports {
    private let limit: Int
    private let make: @Sendable () -> any HTTPTransport
    private var idle: [any HTTPTransport] = []
    private var count = 0
    private var waiting: [CheckedContinuation<any HTTPTransport, Never>] = []

    /// - Parameter limit: the most calls at a time.
    package init(limit: Int = 32, _ make: @escaping @Sendable () -> any HTTPTransport) {
        self.limit = limit
        self.make = make
    }

    func take() async -> any HTTPTransport {
        if let transport = idle.popLast() { return transport }
        if count < limit {
            count += 1
            return make()
        }
        return await withCheckedContinuation { waiting.append($0) }
    }

    func giveBack(_ transport: any HTTPTransport) {
        if waiting.isEmpty {
            idle.append(transport)
        } else {
            waiting.removeFirst().resume(returning: transport)
        }
    }

    /// Closes the idle sessions.
    package func close() async {
        for transport in idle { await transport.close() }
        idle = []
    }
}
