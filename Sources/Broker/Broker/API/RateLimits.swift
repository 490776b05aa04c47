import Messages
import Synchronization
import WebServing

/// The broker's rate limits (specification, section 15): for each token, for all together, and tighter ones for wrong
/// tokens. Calls without a right token are counted at each door apart, so that strangers of the network use up nothing of the
/// broker's own user.
final class RateLimits: Sendable {
    enum Party: Hashable {
        case agent(AgentName)
        /// A device, by its name.
        case phone(String)

        var name: String {
            switch self {
            case .agent: "agent"
            case .phone: "phone"
            }
        }
    }

    /// The way by which a call came.
    enum Door: Hashable {
        case network
        /// The broker's Unix socket, which only its own user can open.
        case socket
    }

    private let metrics: BrokerMetrics
    private let buckets: Mutex<Buckets>

    private struct Buckets {
        var all: TokenBucket
        let one: TokenBucket
        var parties: [Party: TokenBucket] = [:]
        let untried: Tokenless
        var tokenless: [Door: Tokenless] = [:]

        mutating func take(_ bucket: WritableKeyPath<Tokenless, TokenBucket>, at door: Door) -> Int? {
            let untried = untried
            return tokenless[door, default: untried][keyPath: bucket].take()
        }
    }

    /// The buckets of calls without a right token.
    private struct Tokenless {
        var strangers: TokenBucket
        var pairing: TokenBucket
        var malformedProofs: TokenBucket
    }

    init(_ rates: BrokerLimits.Rates, metrics: BrokerMetrics) {
        self.metrics = metrics
        buckets = Mutex(
            Buckets(
                all: TokenBucket(capacity: 2 * rates.perSecond, perSecond: rates.perSecond),
                one: TokenBucket(capacity: 2 * rates.perTokenAndSecond, perSecond: rates.perTokenAndSecond),
                untried: Tokenless(
                    strangers: TokenBucket(
                        capacity: max(1, rates.wrongTokensPerMinute / 3), perSecond: rates.wrongTokensPerMinute / 60),
                    pairing: TokenBucket(capacity: rates.pairingBurst, perSecond: rates.pairingPerSecond),
                    malformedProofs: TokenBucket(capacity: rates.proofBurst, perSecond: rates.proofsPerSecond))))
    }

    func admit(_ party: Party) throws(APIError) {
        // Check the own limit first: a refused token must not use up the common limit.
        try take(party.name) { buckets in
            let whole = buckets.one
            return buckets.parties[party, default: whole].take()
        }
        try take("all") { buckets in buckets.all.take() }
    }

    /// Admits a pairing request. Pairing has no token yet, so it has its own limit and cannot lock out paired devices.
    func admitPairing(at door: Door) throws(APIError) {
        try take("pairing") { $0.take(\.pairing, at: door) }
    }

    /// Counts a question for a proof that names no token. Questions that name a token of this broker are never counted:
    /// strangers ask for proofs too, and would otherwise keep its clients out.
    func countMalformedProof(at door: Door) throws(APIError) {
        try take("proof") { $0.take(\.malformedProofs, at: door) }
    }

    func refuseStranger(at door: Door) throws(APIError) -> Never {
        try countStranger(at: door)
        var error = APIError.unauthorized
        error.isForStranger = true
        throw error
    }

    /// Counts a call that shows nothing of this broker's.
    func countStranger(at door: Door) throws(APIError) {
        do throws(APIError) {
            try take("stranger") { $0.take(\.strangers, at: door) }
        } catch {
            var error = error
            error.isForStranger = true
            throw error
        }
    }

    private func take(_ name: String, _ take: (inout Buckets) -> Int?) throws(APIError) {
        guard let wait = buckets.withLock({ take(&$0) }) else { return }
        metrics.limited(name)
        throw .rateLimited(wait)
    }
}
