import Notifications
import Synchronization

/// A channel that keeps what it is told, and fails as often as it is asked to.
package final class KeptChannel: OwnerChannel {
    package struct State: Sendable {
        package var sent: [OwnerMessage] = []
        package var texts: [String: String] = [:]
        package var failures: [any Error] = []
        package var hangs = false
    }

    private let state: Mutex<State>
    package let announcementsPerHour: Int
    package let pauses: OwnerChannelPauses

    package init(
        failing failures: [any Error] = [], hangs: Bool = false, perHour: Int = 12, digestLook: Duration = .seconds(60)
    ) {
        var pauses = OwnerChannelPauses()
        pauses.digestLook = digestLook
        self.pauses = pauses
        state = Mutex(State(failures: failures, hangs: hangs))
        announcementsPerHour = perHour
    }

    package var seen: State { state.withLock { $0 } }

    /// Returns the number of messages of a kind that it has sent.
    package func count(_ kind: OwnerMessage.Kind) -> Int { seen.sent.count { $0.kind == kind } }

    package func send(_ message: OwnerMessage) async throws -> String? {
        if seen.hangs { return await withUnsafeContinuation { (_: UnsafeContinuation<String?, Never>) in } }
        return try state.withLock { state in
            if !state.failures.isEmpty { throw state.failures.removeFirst() }
            state.sent.append(message)
            let id = "message-\(state.sent.count)"
            state.texts[id] = message.text
            return id
        }
    }

    package func replace(_ id: String, with message: OwnerMessage) async throws {
        state.withLock { $0.texts[id] = message.text }
    }

    package func check() async throws -> String { "it is there" }
}
