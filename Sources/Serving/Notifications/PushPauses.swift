import Foundation
import Synchronization

/// The times until which push services, or single devices at them, have to be left alone.
final class PushPauses: Sendable {
    /// The most pauses that are remembered.
    private static let most = 10_000

    private let ends = Mutex<[String: Date]>([:])

    /// Returns the seconds that one of the places still has to be left alone; nil when none has.
    func wait(for places: String..., at now: Date) -> Int? {
        ends.withLock { ends in
            guard let end = places.compactMap({ ends[$0] }).max(), end > now else { return nil }
            return Int(end.timeIntervalSince(now).rounded(.up))
        }
    }

    func add(_ place: String, seconds: Int, at now: Date) {
        let end = now.addingTimeInterval(TimeInterval(seconds))
        ends.withLock { ends in
            if ends.count >= Self.most { ends = ends.filter { $0.value > now } }
            if ends.count >= Self.most { ends = [:] }
            ends[place] = max(end, ends[place] ?? end)
        }
    }
}
