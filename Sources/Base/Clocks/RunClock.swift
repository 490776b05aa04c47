import Foundation

/// A clock that tells the time and waits.
public protocol RunClock: Sendable {
    var now: Date { get }
    func sleep(for duration: Duration) async throws
}

/// The system's clock.
public struct SystemClock: RunClock {
    public init() {}

    public var now: Date { Date() }

    public func sleep(for duration: Duration) async throws {
        guard duration > .zero else { return try await Task.sleep(for: duration) }
        try await AlarmClock.shared.sleep(until: .now + duration)
    }
}
