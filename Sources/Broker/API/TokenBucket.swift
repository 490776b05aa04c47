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
    enum Party: String, Hashable, CaseIterable {
        case agent, phone
    }

    private let metrics: BrokerMetrics
    private var all: TokenBucket
    private var parties: [Party: TokenBucket]
    private var strangers: TokenBucket

    init(_ rates: BrokerLimits.Rates, metrics: BrokerMetrics) {
        self.metrics = metrics
        all = TokenBucket(capacity: 2 * rates.perSecond, perSecond: rates.perSecond)
        let one = TokenBucket(capacity: 2 * rates.perTokenAndSecond, perSecond: rates.perTokenAndSecond)
        parties = Dictionary(uniqueKeysWithValues: Party.allCases.map { ($0, one) })
        strangers = TokenBucket(
            capacity: max(1, rates.wrongTokensPerMinute / 3), perSecond: rates.wrongTokensPerMinute / 60)
    }

    func admit(_ party: Party) throws(APIError) {
        // First its own: what one token is refused takes nothing from the other.
        try take(&parties[party]!, party.rawValue)
        try take(&all, "all")
    }

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
