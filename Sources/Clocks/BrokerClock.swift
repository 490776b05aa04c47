import Foundation

/// The broker's clocks: the wall's, which everybody's messages are about, and one that only goes forward.
///
/// A deadline holds by whichever of the two reaches it first, so that setting the wall clock back extends nothing.
public struct BrokerClock: Sendable {
    private let readWall: @Sendable () -> Date
    private let readElapsed: @Sendable () -> Duration
    /// Names the time since which ``elapsed`` counts: it is comparable within one boot.
    public let boot: String

    /// The system's clocks unless told otherwise; tests bring their own.
    public init(
        wall: @escaping @Sendable () -> Date = { Date() },
        elapsed: @escaping @Sendable () -> Duration = BrokerClock.sinceBoot,
        boot: String = BrokerClock.currentBoot
    ) {
        readWall = wall
        readElapsed = elapsed
        self.boot = boot
    }

    public var now: Date { readWall() }

    /// Since the machine was started, the time it slept included.
    public var elapsed: Duration { readElapsed() }

    package var elapsedMilliseconds: Int64 { Int64(elapsed.milliseconds) }

    public static let sinceBoot: @Sendable () -> Duration = { .seconds(SystemBootClock().uptime) }

    /// Where the system does not say, no two runs are taken for the same boot.
    public static let currentBoot = SystemBootClock().boot ?? UUID().uuidString
}
