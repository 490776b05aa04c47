import Messages
import Synchronization
import WebServing

/// The rates of the server for programs elsewhere. Its strangers have limits of their own, so that they keep no allowed
/// program out, and each address has its own, so that it keeps no other person from allowing one. Each program has its own.
final class RemoteLimits: Sendable {
    /// The calls that need no known token.
    enum StrangersCall: Hashable {
        /// Messages with a token that this server does not know, or with none.
        case message
        /// Questions. Registrations have a bucket of their own, because a program that is known does not register again.
        case asking
        case registering
        /// Calls of the token endpoint with a code or a token that this server does not know, or with none.
        case tokens
    }

    enum Party: Hashable {
        /// - Parameter origin: what counts as one address, as `OpenConnections` has it.
        case stranger(StrangersCall, from: String)
        case agent(AgentName)

        /// The most calls at once, and those a second after them.
        var rate: (burst: Double, perSecond: Double) {
            switch self {
            case .stranger(.message, from: _), .stranger(.tokens, from: _): (60, 5)
            case .stranger(.asking, from: _), .stranger(.registering, from: _): (30, 0.5)
            case .agent: (60, 20)
            }
        }

        fileprivate func bucket(times factor: Double = 1) -> TokenBucket {
            TokenBucket(capacity: factor * rate.burst, perSecond: factor * rate.perSecond)
        }
    }

    /// All addresses together may call so many times as often as one.
    static let addressesTogether = 20
    /// Addresses and programs that are remembered at a time.
    private static let mostRemembered = 10_000
    /// The most messages of one program that are answered at a time, streams included.
    private static let mostAtOnce = 16

    private struct State {
        var buckets: [Party: TokenBucket] = [:]
        var together: [StrangersCall: TokenBucket] = [:]
        var open: [AgentName: Int] = [:]
    }

    private let state = Mutex(State())

    /// - Returns: nil for a call that may go on; otherwise the seconds to wait.
    func take(_ party: Party) -> Int? {
        state.withLock { state in
            if state.buckets.count >= Self.mostRemembered {
                state.buckets = state.buckets.filter { !$0.value.isFull() }
                if state.buckets.count >= Self.mostRemembered { state.buckets = [:] }
            }
            let own = party.bucket()
            // Its own first: a call that is refused must not use up what all have together.
            if let wait = state.buckets[party, default: own].take() { return wait }
            guard case .stranger(let call, _) = party else { return nil }
            let all = party.bucket(times: Double(Self.addressesTogether))
            return state.together[call, default: all].take()
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
