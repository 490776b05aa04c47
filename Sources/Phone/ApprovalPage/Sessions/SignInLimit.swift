/// A limit on the passphrases that one address may try before any of them costs the machine memory and time.
struct SignInLimit: Sendable {
    /// The tries at once, and the pause after which another is allowed.
    static let burst = 5.0
    static let pause: Duration = .seconds(10)
    /// The number of addresses to remember.
    private static let most = 1024

    private struct Tries {
        var left: Double
        var at: ContinuousClock.Instant
    }

    private var tries: [String: Tries] = [:]

    /// Takes one try.
    ///
    /// - Returns: nil on success; otherwise the time until the next.
    mutating func take(from address: String, at now: ContinuousClock.Instant = .now) -> Duration? {
        if tries.count >= Self.most { tries = tries.filter { $0.value.at + Self.pause * Int(Self.burst) > now } }
        var mine = tries[address] ?? Tries(left: Self.burst, at: now)
        mine.left = min(Self.burst, mine.left + (now - mine.at) / Self.pause)
        mine.at = now
        defer { tries[address] = mine }
        guard mine.left >= 1 else { return Self.pause * (1 - mine.left) }
        mine.left -= 1
        return nil
    }

    /// Forgets the tries of an address whose passphrase was right.
    mutating func forgive(_ address: String) { tries[address] = nil }
}
