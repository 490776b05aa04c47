import Messages
import Synchronization

/// The limit on the polls that wait at a time for each agent.
///
/// A poll that waits occupies a connection that is never closed to make room. Without a limit, one agent's polls would
/// keep the phones of its machine from connecting.
final class WaitingPolls: Sendable {
    private let most: Int
    private let waiting = Mutex<[AgentName: Int]>([:])

    /// - Parameter most: the polls of one agent, at least 1.
    init(atMost most: Int) {
        self.most = most
    }

    /// Takes a place for a poll; ``leave(_:)`` gives it back.
    ///
    /// - Parameter seconds: the time that the poll wants to wait, after which another try makes sense.
    func enter(_ agent: AgentName, for seconds: Int) throws(APIError) {
        let isAdmitted = waiting.withLock { waiting in
            guard waiting[agent, default: 0] < most else { return false }
            waiting[agent, default: 0] += 1
            return true
        }
        guard isAdmitted else { throw .rateLimited(min(seconds, 5), "\(most) polls of this agent wait already") }
    }

    func leave(_ agent: AgentName) {
        waiting.withLock { waiting in
            let left = (waiting[agent] ?? 1) - 1
            waiting[agent] = left == 0 ? nil : left
        }
    }
}
