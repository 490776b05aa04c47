import Broker
import Foundation
import TestParties
import Testing

@Suite("Deadlines", .timeLimit(.minutes(3)))
struct DeadlineTests {
    @Test("setting the wall clock back does not extend an approval", arguments: [false, true])
    func backwards(isRestarted: Bool) async throws {
        let stage = try BrokerStage()
        let id = RequestBox()
        @Sendable func late(_ stage: BrokerStage) async throws {
            let id = try #require(id.value)
            #expect(try await stage.decide(id, "APPROVE").status == 408)
            #expect(try await stage.status(id) == "EXPIRED")
        }
        try await stage.run { stage in
            let asked = try await stage.request()
            id.value = asked
            stage.clock.advance(by: 200)
            stage.clock.setWall(by: -3600)
            #expect(try await stage.status(asked) == "PENDING_APPROVAL")
            guard !isRestarted else { return }
            stage.clock.advance(by: 101)
            try await late(stage)
        }
        guard isRestarted else { return }
        stage.clock.advance(by: 101)
        try await stage.run { stage in try await late(stage) }
    }

    @Test("setting the wall clock back does not extend an execution")
    func execution() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let id = try await stage.request()
            _ = try await stage.decide(id, "APPROVE")
            stage.clock.setWall(by: -86_400)
            stage.clock.advance(by: 601)
            #expect(try await stage.send("GET", "/request/\(id)").json["error_code"] == "EXECUTION_TIMEOUT")
        }
    }

    @Test("after a reboot with the clock set back, the remaining time counts from the last mark")
    func reboot() async throws {
        let stage = try BrokerStage()
        let first = RequestBox()
        let second = RequestBox()
        try await stage.run { stage in
            first.value = try await stage.request()
            stage.clock.advance(by: 280)
            // A second request marks the clock.
            second.value = try await stage.request(month: 2)
        }
        stage.clock.setWall(by: -280)
        stage.clock.reboot()
        try await stage.run { stage in
            let early = try #require(first.value)
            let late = try #require(second.value)
            #expect(try await stage.status(early) == "PENDING_APPROVAL")
            stage.clock.advance(by: 21)
            #expect(try await stage.status(early) == "EXPIRED", "by the wall clock, 279 s were left")
            #expect(try await stage.status(late) == "PENDING_APPROVAL")
        }
    }

    @Test("a long poll returns when the request's time is over")
    func announced() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let id = try await stage.request()
            async let answer = BrokerStage.wait(for: id, on: stage)
            try await Task.sleep(for: .milliseconds(100))
            stage.clock.advance(by: 301)
            _ = try await stage.send("GET", "/requests")
            #expect(try await answer == "EXPIRED")
        }
    }
}
