import Messages
import Synchronization
import WebServing

/// The broker's rate limits (specification, section 15): for each token, for all together, and tighter ones for wrong
/// tokens.
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

    private let metrics: BrokerMetrics
    private let buckets: Mutex<Buckets>

    private struct Buckets {
        var all: TokenBucket
        let one: TokenBucket
        var parties: [Party: TokenBucket] = [:]
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
                strangers: TokenBucket(
                    capacity: max(1, rates.wrongTokensPerMinute / 3), perSecond: rates.wrongTokensPerMinute / 60),
                pairing: TokenBucket(capacity: rates.pairingBurst, perSecond: rates.pairingPerSecond),
                malformedProofs: TokenBucket(capacity: rates.proofBurst, perSecond: rates.proofsPerSecond)))
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
    func admitPairing() throws(APIError) { try take("pairing") { $0.pairing.take() } }

    /// Counts a question for a proof that names no token. Questions that name a token of this broker are never counted:
    /// strangers ask for proofs too, and would otherwise keep its clients out.
    func countMalformedProof() throws(APIError) { try take("proof") { $0.malformedProofs.take() } }

    func refuseStranger() throws(APIError) -> Never {
        try countStranger()
        var error = APIError.unauthorized
        error.isForStranger = true
        throw error
    }

    /// Counts a call that shows nothing of this broker's.
    func countStranger() throws(APIError) {
        do throws(APIError) {
            try take("stranger") { $0.strangers.take() }
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
