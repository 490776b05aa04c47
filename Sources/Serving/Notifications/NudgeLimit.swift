import Foundation

/// Limits the announcements of requests: so many in an hour, then one digest of the others at the hour's end. An agent that
/// asks again and again cannot make the person's phone ring all day.
package struct NudgeLimit: Sendable {
    private static let hour: TimeInterval = 3600

    private let perHour: Int
    /// The beginning of the present hour; nil before the first nudge.
    private var start: Date?
    private var sent = 0
    private var heldBack = 0

    package init(perHour: Int) {
        self.perHour = perHour
    }

    /// Counts a request.
    ///
    /// - Returns: whether it may be announced by itself.
    package mutating func admit(at now: Date) -> Bool {
        if isOver(at: now), heldBack == 0 {
            start = now
            sent = 0
        }
        guard sent < perHour else {
            heldBack += 1
            return false
        }
        sent += 1
        return true
    }

    /// Works like ``admit(at:)`` for a channel that sends no digest: what was held back is forgotten when its hour is over.
    package mutating func admitWithoutDigest(at now: Date) -> Bool {
        if isOver(at: now) { heldBack = 0 }
        return admit(at: now)
    }

    /// Returns the number of requests that were not announced, once their hour is over, and begins the next hour with the
    /// digest as its first message.
    package mutating func digest(at now: Date) -> Int? {
        guard heldBack > 0, isOver(at: now) else { return nil }
        defer { heldBack = 0 }
        start = now
        sent = 1
        return heldBack
    }

    /// Returns true when the last hour in which something was counted is over. A clock that was set back begins a new hour too.
    func isOver(at now: Date) -> Bool { start.map { !($0...$0.addingTimeInterval(Self.hour)).contains(now) } ?? true }
}
