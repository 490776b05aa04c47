import Automation
import Clocks
import Foundation
import Synchronization

/// The clock of a run in a matrix: pauses are shortened, and a long limit ends only when ``fly()`` skips it.
///
/// Scripts poll every few seconds and give a person minutes to answer. A matrix must not wait that long.
final class MatrixClock: RunClock {
    /// A longer duration is a limit, not a pause.
    private static let longestPause: Duration = .seconds(8)
    private static let haste = 20

    private let skipped = Mutex<TimeInterval>(0)

    var now: Date { Date().addingTimeInterval(skipped.withLock { $0 }) }

    func sleep(for duration: Duration) async throws {
        guard duration > Self.longestPause else { return try await Task.sleep(for: duration / Self.haste) }
        let end = now.addingTimeInterval(duration.seconds)
        while now < end { try await Task.sleep(for: .milliseconds(20)) }
    }

    /// Advances time, a minute in a third of a second, until the task is cancelled.
    func fly() async throws -> Never {
        while true {
            skipped.withLock { $0 += 2 }
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}
