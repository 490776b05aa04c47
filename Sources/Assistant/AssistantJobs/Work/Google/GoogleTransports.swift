import AssistantProcesses
import CurlClient

/// The HTTP sessions for calls to Google. Their number limits the calls that this process makes at a time, and each keeps
/// its connections open for the next call.
package actor GoogleTransports {
    private let turns: Turns
    private let make: @Sendable () -> any HTTPTransport
    private var idle: [any HTTPTransport] = []

    /// - Parameter limit: the most calls at a time.
    package init(limit: Int = 32, _ make: @escaping @Sendable () -> any HTTPTransport) {
        turns = Turns(limit)
        self.make = make
    }

    /// Waits for a session.
    ///
    /// - Throws: `CancellationError`, at once when the task is cancelled.
    func take() async throws -> any HTTPTransport {
        try await turns.take()
        return idle.popLast() ?? make()
    }

    func giveBack(_ transport: any HTTPTransport) async {
        // Before the turn, so that the call which gets it finds the session.
        idle.append(transport)
        await turns.giveBack()
    }

    /// Closes the idle sessions.
    package func close() async {
        for transport in idle { await transport.close() }
        idle = []
    }
}
