import Foundation
import Notifications
import Testing

@Suite("The limit of announcements")
struct NudgeLimitTests {
    private let start = Date(timeIntervalSince1970: 1_800_000_000)

    @Test("a channel without a digest announces again in the next hour")
    func withoutDigest() {
        var limit = NudgeLimit(perHour: 2)
        let admitted = [0, 0, 0, 3599, 3601].map { limit.admitWithoutDigest(at: start.addingTimeInterval($0)) }
        #expect(admitted == [true, true, false, false, true])
    }

    @Test("a channel with a digest begins the next hour with it")
    func withDigest() {
        var limit = NudgeLimit(perHour: 2)
        let admitted = (0..<4).map { _ in limit.admit(at: start) }
        #expect(admitted == [true, true, false, false])
        let digests = [10, 3601].map { limit.digest(at: start.addingTimeInterval($0)) }
        #expect(digests == [nil, 2])
        let later = [3602, 3603].map { limit.admit(at: start.addingTimeInterval($0)) }
        #expect(later == [true, false])
    }
}
