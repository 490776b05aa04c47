/// A rate limit: a burst of `capacity` requests, then `perSecond` requests a second.
package struct TokenBucket {
    private let capacity: Double
    private let perSecond: Double
    private var tokens: Double
    private var last = ContinuousClock.now

    package init(capacity: Double, perSecond: Double) {
        self.capacity = capacity
        self.perSecond = perSecond
        tokens = capacity
    }

    /// Takes a token.
    ///
    /// - Returns: nil on success; otherwise the whole seconds until a token is available.
    package mutating func take(at now: ContinuousClock.Instant = .now) -> Int? {
        tokens = min(capacity, tokens + Self.seconds(now - last) * perSecond)
        last = now
        guard tokens < 1 else {
            tokens -= 1
            return nil
        }
        return max(1, Int(((1 - tokens) / perSecond).rounded(.up)))
    }

    /// True when no request has been made for so long that the whole burst is there again.
    package func isFull(at now: ContinuousClock.Instant = .now) -> Bool {
        tokens + Self.seconds(now - last) * perSecond >= capacity
    }

    /// True when a token is there, which stays.
    package func hasToken(at now: ContinuousClock.Instant = .now) -> Bool {
        tokens + Self.seconds(now - last) * perSecond >= 1
    }

    private static func seconds(_ duration: Duration) -> Double { duration / .seconds(1) }
}
