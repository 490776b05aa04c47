/// A rate limit: so many at once, and so many a second after that.
struct TokenBucket {
    private let capacity: Double
    private let perSecond: Double
    private var tokens: Double
    private var last = ContinuousClock.now

    init(capacity: Double, perSecond: Double) {
        self.capacity = capacity
        self.perSecond = perSecond
        tokens = capacity
    }

    /// - Returns: nil when there was a token, else the whole seconds until there is one.
    mutating func take(at now: ContinuousClock.Instant = .now) -> Int? {
        tokens = min(capacity, tokens + (now - last).inSeconds * perSecond)
        last = now
        guard tokens < 1 else {
            tokens -= 1
            return nil
        }
        return max(1, Int(((1 - tokens) / perSecond).rounded(.up)))
    }
}

/// The broker's limits (specification, section 15): per token, for all together, and tighter for wrong tokens.
actor RateLimits {
    enum Party: Hashable {
        case agent
        /// One device, by its name.
        case phone(String)

        var name: String { self == .agent ? "agent" : "phone" }
    }

    private let metrics: BrokerMetrics
    private var all: TokenBucket
    private let one: TokenBucket
    private var parties: [Party: TokenBucket] = [:]
    private var strangers: TokenBucket
    private var pairing: TokenBucket

    init(_ rates: BrokerLimits.Rates, metrics: BrokerMetrics) {
        self.metrics = metrics
        all = TokenBucket(capacity: 2 * rates.perSecond, perSecond: rates.perSecond)
        one = TokenBucket(capacity: 2 * rates.perTokenAndSecond, perSecond: rates.perTokenAndSecond)
        strangers = TokenBucket(
            capacity: max(1, rates.wrongTokensPerMinute / 3), perSecond: rates.wrongTokensPerMinute / 60)
        pairing = TokenBucket(capacity: rates.pairingBurst, perSecond: rates.pairingPerSecond)
    }

    func admit(_ party: Party) throws(APIError) {
        // First its own: what one token is refused takes nothing from the other.
        try take(&parties[party, default: one], party.name)
        try take(&all, "all")
    }

    /// Who pairs has no token yet, and has a limit apart, so that nobody who tries keeps the paired ones out.
    func admitPairing() throws(APIError) { try take(&pairing, "pairing") }

    func refuseStranger() throws(APIError) -> Never {
        try take(&strangers, "stranger")
        throw APIError.unauthorized
    }

    private func take(_ bucket: inout TokenBucket, _ name: String) throws(APIError) {
        guard let wait = bucket.take() else { return }
        metrics.limited(name)
        throw .rateLimited(wait)
    }
}

extension Duration {
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
