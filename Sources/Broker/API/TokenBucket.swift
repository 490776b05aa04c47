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
        let passed = (now - last).components
        tokens = min(capacity, tokens + (Double(passed.seconds) + Double(passed.attoseconds) / 1e18) * perSecond)
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
        case agent, phone
    }

    private var all = TokenBucket(capacity: 400, perSecond: 200)
    private var parties: [Party: TokenBucket] = [
        .agent: TokenBucket(capacity: 200, perSecond: 100), .phone: TokenBucket(capacity: 200, perSecond: 100),
    ]
    private var strangers = TokenBucket(capacity: 20, perSecond: 1)

    func admit(_ party: Party) throws {
        try Self.take(&all)
        try Self.take(&parties[party]!)
    }

    func refuseStranger() throws -> Never {
        try Self.take(&strangers)
        throw APIError.unauthorized
    }

    private static func take(_ bucket: inout TokenBucket) throws {
        if let wait = bucket.take() {
            throw APIError(.tooManyRequests, "RATE_LIMITED", "too many requests; wait \(wait) s", retryAfter: wait)
        }
    }
}
