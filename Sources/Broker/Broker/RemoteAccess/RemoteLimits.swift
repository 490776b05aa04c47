import Messages
import Synchronization
import WebServing

/// The rates of the server for programs elsewhere. Its strangers have limits of their own, so that they keep no allowed
/// program out, and each program has its own.
final class RemoteLimits: Sendable {
    enum Party: Hashable {
        /// Calls with a token that this server does not know, or with none.
        case stranger
        /// Questions. Registrations have a bucket of their own, because a program that is known does not register again.
        case asking
        case registering
        /// Calls of the token endpoint with a code or a token that this server does not know, or with none.
        case tokens
        case agent(AgentName)

        /// The most calls at once, and those a second after them.
        var rate: (burst: Double, perSecond: Double) {
            switch self {
            case .stranger, .tokens: (60, 5)
            case .asking, .registering: (30, 0.5)
            case .agent: (60, 20)
            }
        }

        fileprivate var bucket: TokenBucket { TokenBucket(capacity: rate.burst, perSecond: rate.perSecond) }
    }

    /// The most messages of one program that are answered at a time, streams included.
    private static let mostAtOnce = 16

    private let state = Mutex((buckets: [Party: TokenBucket](), open: [AgentName: Int]()))

    /// - Returns: nil for a call that may go on; otherwise the seconds to wait.
    func take(_ party: Party) -> Int? {
        state.withLock { state in
            let whole = party.bucket
            return state.buckets[party, default: whole].take()
        }
    }

    /// - Returns: false when too many messages of this program are being answered.
    fileprivate func enter(_ agent: AgentName) -> Bool {
        state.withLock { state in
            guard state.open[agent, default: 0] < Self.mostAtOnce else { return false }
            state.open[agent, default: 0] += 1
            return true
        }
    }

    fileprivate func leave(_ agent: AgentName) {
        state.withLock { state in
            let left = state.open[agent, default: 1] - 1
            state.open[agent] = left > 0 ? left : nil
        }
    }
}

/// A program's place among the messages that are answered at a time, until nothing needs it any more: a program may also go
/// away before its answer begins.
final class RemotePlace: Sendable {
    private let agent: AgentName
    private let limits: RemoteLimits

    /// - Returns: nil when too many messages of this program are being answered.
    init?(of agent: AgentName, among limits: RemoteLimits) {
        guard limits.enter(agent) else { return nil }
        (self.agent, self.limits) = (agent, limits)
    }

    deinit { limits.leave(agent) }
}
