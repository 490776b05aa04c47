import Foundation
import Testing

@testable import Notifications

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

    @Test("each party has a limit of its own, the digest counts what all of them lost, and silent ones are forgotten")
    func parties() {
        let gate = NudgeGate(perHour: 2)
        let admitted = (0..<5).map { _ in gate.admit(from: "flood", at: start) }
        #expect(admitted == [true, true, false, false, false])
        #expect(gate.admit(from: "books", at: start) && gate.admit(from: "books", at: start))
        #expect(!gate.admit(from: "books", at: start))
        #expect(gate.digest(at: start.addingTimeInterval(60)) == nil)
        #expect(gate.digest(at: start.addingTimeInterval(3601)) == 4)
        #expect(gate.parties == ["flood", "books"], "the digest is the first message of their next hour")
        #expect(gate.digest(at: start.addingTimeInterval(7300)) == nil)
        #expect(gate.parties.isEmpty)
    }

    @Test("what a gate without a digest held back is forgotten with its hour")
    func partiesWithoutDigest() {
        let gate = NudgeGate(perHour: 1)
        let admitted = [0, 1, 3601, 3602].map { gate.admitWithoutDigest(from: "a", at: start.addingTimeInterval($0)) }
        #expect(admitted == [true, false, true, false])
        gate.forgetSilent(at: start.addingTimeInterval(3700))
        #expect(gate.parties == ["a"])
        gate.forgetSilent(at: start.addingTimeInterval(7300))
        #expect(gate.parties.isEmpty)
    }

    @Test("made-up names beyond the most parties share one limit")
    func madeUpNames() {
        let gate = NudgeGate(perHour: 2, mostParties: 3)
        let admitted = (0..<100).filter { gate.admitWithoutDigest(from: "agent-\($0)", at: start) }
        #expect(admitted == [0, 1, 2, 3, 4])
        #expect(!gate.hasRoom(for: "agent-100", at: start))
        #expect(gate.hasRoom(for: "agent-1", at: start) && gate.admitWithoutDigest(from: "agent-1", at: start))
        #expect(!gate.admitWithoutDigest(from: "agent-1", at: start))
    }
}
