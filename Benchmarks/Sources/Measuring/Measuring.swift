import Foundation

/// Returns the median times of two ways to do the same, measured in alternating rounds, so that other load on the machine
/// affects both.
public func medians(
    rounds: Int, ours: () throws -> Void, theirs: () throws -> Void
) rethrows -> (ours: Duration, theirs: Duration) {
    let clock = ContinuousClock()
    return try medians(
        rounds: rounds, ours: { () throws -> Duration in try clock.measure(ours) },
        theirs: { () throws -> Duration in try clock.measure(theirs) })
}

/// The same for work that measures itself.
public func medians(
    rounds: Int, ours: () throws -> Duration, theirs: () throws -> Duration
) rethrows -> (ours: Duration, theirs: Duration) {
    var first: [Duration] = []
    var second: [Duration] = []
    for _ in 0..<rounds {
        first.append(try ours())
        second.append(try theirs())
    }
    return (median(first), median(second))
}

public func median(_ durations: [Duration]) -> Duration { durations.sorted()[durations.count / 2] }

extension Duration {
    /// “1.25 ms”, “830 µs”.
    public var short: String {
        let microseconds = Double(components.seconds) * 1e6 + Double(components.attoseconds) / 1e12
        return microseconds < 1000 ? "\(Int(microseconds.rounded())) µs" : "\((microseconds / 10).rounded() / 100) ms"
    }
}

/// “1.08”.
public func ratio(_ ours: Duration, _ theirs: Duration) -> String { String(format: "%.2f", ours / theirs) }
