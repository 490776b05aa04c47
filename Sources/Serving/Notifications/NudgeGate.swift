import Foundation
import Synchronization

/// A ``NudgeLimit`` that many requests ask at once.
final class NudgeGate: Sendable {
    private let limit: Mutex<NudgeLimit>

    init(perHour: Int) { limit = Mutex(NudgeLimit(perHour: perHour)) }

    func admit(at now: Date) -> Bool { limit.withLock { $0.admit(at: now) } }
    func admitWithoutDigest(at now: Date) -> Bool { limit.withLock { $0.admitWithoutDigest(at: now) } }
    func digest(at now: Date) -> Int? { limit.withLock { $0.digest(at: now) } }
}
