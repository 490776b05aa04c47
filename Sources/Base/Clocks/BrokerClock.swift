import Foundation

/// The broker's two clocks: wall time, which messages use, and a monotonic clock.
///
/// A deadline ends when either clock reaches it, so that setting the wall clock back extends nothing.
package struct BrokerClock: Sendable {
    private let readWall: @Sendable () -> Date
    private let readElapsed: @Sendable () -> Duration
    /// The boot that ``elapsed`` counts from. Elapsed times are comparable only within one boot.
    package let boot: String

    /// Uses the system's clocks by default. Tests pass their own.
    package init(
        wall: @escaping @Sendable () -> Date = { Date() },
        elapsed: @escaping @Sendable () -> Duration = BrokerClock.sinceBoot,
        boot: String = BrokerClock.currentBoot
    ) {
        readWall = wall
        readElapsed = elapsed
        self.boot = boot
    }

    package var now: Date { readWall() }

    /// The time since the machine started, including sleep.
    package var elapsed: Duration { readElapsed() }

    package var elapsedMilliseconds: Int64 { Int64(elapsed.milliseconds) }

    package static let sinceBoot: @Sendable () -> Duration = { .seconds(SystemBootClock().uptime) }

    /// The current boot. If the system does not identify it, each run counts as a boot.
    package static let currentBoot = SystemBootClock().boot ?? UUID().uuidString
}
