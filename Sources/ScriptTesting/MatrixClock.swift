import Automation
import Clocks
import Foundation
import Synchronization

/// A run's time in a matrix: pauses are short, and a limit is over when somebody says so.
///
/// A script looks again every few seconds and gives a person minutes; neither is what a matrix is for.
final class MatrixClock: RunClock {
    /// What lasts longer is a limit, not a pause.
    private static let longestPause: Duration = .seconds(5)
    private static let haste = 20

    private let skipped = Mutex<TimeInterval>(0)

    var now: Date { Date().addingTimeInterval(skipped.withLock { $0 }) }

    func sleep(for duration: Duration) async throws {
        guard duration > Self.longestPause else { return try await Task.sleep(for: duration / Self.haste) }
        let end = now.addingTimeInterval(duration.seconds)
        while now < end { try await Task.sleep(for: .milliseconds(20)) }
    }

    /// Lets time fly, a minute in a third of a second, until the task is cancelled.
    func fly() async throws -> Never {
        while true {
            skipped.withLock { $0 += 2 }
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}
