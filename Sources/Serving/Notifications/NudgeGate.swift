import Foundation
import Synchronization

/// A ``NudgeLimit`` for each party, such as an agent or a phone, that many ask at once. A party that fills its hour holds back
/// nothing of another's.
package final class NudgeGate: Sendable {
    private let perHour: Int
    private let mostParties: Int
    private let limits = Mutex<[String: NudgeLimit]>([:])

    /// - Parameter mostParties: the parties of an hour that have a limit each; the others share one more. So someone who can make up
    ///   names, as a lying broker can for agents, gets that many limits and one, and no more.
    package init(perHour: Int, mostParties: Int = .max) {
        self.perHour = perHour
        self.mostParties = mostParties
    }

    func admit(from party: String, at now: Date) -> Bool {
        limits.withLock { $0[place(of: party, in: $0), default: NudgeLimit(perHour: perHour)].admit(at: now) }
    }

    package func admitWithoutDigest(from party: String, at now: Date) -> Bool {
        forgetSilent(at: now)
        return limits.withLock { limits in
            limits[place(of: party, in: limits), default: NudgeLimit(perHour: perHour)].admitWithoutDigest(at: now)
        }
    }

    /// Returns whether ``admitWithoutDigest(from:at:)`` would admit the party, and counts nothing.
    package func hasRoom(for party: String, at now: Date) -> Bool {
        forgetSilent(at: now)
        var limit = limits.withLock { $0[place(of: party, in: $0)] } ?? NudgeLimit(perHour: perHour)
        return limit.admitWithoutDigest(at: now)
    }

    /// The shared limit has a name that no agent or phone can have.
    private func place(of party: String, in limits: [String: NudgeLimit]) -> String {
        let shared = "\0"
        let own = limits.count - (limits[shared] == nil ? 0 : 1)
        return limits[party] != nil || own < mostParties ? party : shared
    }

    /// Returns the number of all parties that was held back in hours that are over; nil when nothing was.
    func digest(at now: Date) -> Int? {
        defer { forgetSilent(at: now) }
        let count = limits.withLock { limits in
            var count = 0
            for party in limits.keys { count += limits[party]?.digest(at: now) ?? 0 }
            return count
        }
        return count > 0 ? count : nil
    }

    /// Forgets the parties whose last hour is over.
    func forgetSilent(at now: Date) { limits.withLock { $0 = $0.filter { !$0.value.isOver(at: now) } } }

    /// The parties that are counted now.
    var parties: Set<String> { limits.withLock { Set($0.keys) } }
}
