import Encodings
import Messages
import TestParties
import Testing

@testable import Broker

@Suite("What a phone hears of changes", .timeLimit(.minutes(4)))
struct PhoneChangesTests {
    /// Longer than any machine needs for the wait that a change ends.
    private static let long: Duration = .seconds(60)

    /// Returns the mark of the list that the default device gets.
    private static func mark(_ stage: BrokerStage) async throws -> String {
        let answer = try await stage.send("GET", "/phone/requests/pending", as: .phone)
        #expect(answer.status == 200)
        return try #require(answer.json["mark"]?.stringValue)
    }

    @Test("a change before, in and after the wait ends it, and gives another mark")
    func marks() async {
        let changes = PhoneChanges()
        let start = ContinuousClock.now
        let first = changes.mark(for: "default")
        changes.announce()
        #expect(await changes.change(after: first, atMost: Self.long))
        let second = changes.mark(for: "default")
        #expect(first != second)
        async let waited = changes.change(after: second, atMost: Self.long)
        while changes.kept.waits == 0 { await Task.yield() }
        changes.announce()
        #expect(await waited)
        #expect(ContinuousClock.now - start < .seconds(30))
        #expect(changes.kept.waits == 0)
    }

    @Test("without a change the mark stays, after the whole wait")
    func nothing() async {
        let changes = PhoneChanges()
        let mark = changes.mark(for: "default")
        let start = ContinuousClock.now
        #expect(await !changes.change(after: mark, atMost: .milliseconds(100)))
        #expect(ContinuousClock.now - start >= .milliseconds(100))
        #expect(changes.mark(for: "default") == mark)
    }

    @Test("a mark is its device's for two minutes, and no other broker knows it")
    func owners() throws {
        let changes = PhoneChanges()
        let now = ContinuousClock.now
        let mark = changes.mark(for: "ada", at: now)
        #expect(changes.mark(for: "bob", at: now) != mark)
        #expect(changes.device(of: mark, at: now + .seconds(119)) == "ada")
        #expect(changes.device(of: mark, at: now + .seconds(120)) == nil)
        #expect(PhoneChanges().device(of: mark, at: now) == nil)
        #expect(changes.device(of: try #require(ChangeMark("x")), at: now) == nil)
        // A list that comes a minute later has another ticket, so that each ticket is good for a minute at least.
        #expect(changes.mark(for: "ada", at: now + .seconds(59)) == mark)
        let later = changes.mark(for: "ada", at: now + .seconds(60))
        #expect(later != mark && changes.device(of: later, at: now + .seconds(179)) == "ada")
        #expect(changes.kept.tickets == 3)
        _ = changes.mark(for: "ada", at: now + .seconds(200))
        #expect(changes.kept.tickets == 1, "tickets that are too old are not kept")
    }

    @Test("the end of the broker ends every wait, also one that begins later")
    func end() async {
        let changes = PhoneChanges()
        let start = ContinuousClock.now
        let mark = changes.mark(for: "default")
        async let waited = changes.change(after: mark, atMost: Self.long)
        while changes.kept.waits == 0 { await Task.yield() }
        changes.end()
        #expect(await !waited)
        #expect(await !changes.change(after: mark, atMost: Self.long))
        #expect(ContinuousClock.now - start < .seconds(30))
    }

    @Test("a request, a decision, and an offer that is made, dismissed or withdrawn each give another mark")
    func causes() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let bank: JSONValue = [
                "bank_id": "default", "name": "Meridian Savings", "documents": true, "kinds": ["pdf"],
            ]
            #expect(try await stage.send("PUT", "/phone/banks", as: .phone, ["banks": [bank]]).status == 200)
            var seen = [try await Self.mark(stage)]
            func expectAnother(_ cause: String) async throws {
                seen.append(try await Self.mark(stage))
                #expect(Set(seen).count == seen.count, "\(cause)")
            }
            func offer(_ month: String) async throws -> String {
                let body: JSONValue = ["from": .string(month), "to": .string(month), "kinds": ["pdf"]]
                let id = try await stage.send("POST", "/offers", body).json["offer_id"]?.stringValue
                return try #require(id)
            }
            let id = try await stage.request()
            try await expectAnother("a request")
            #expect(try await stage.decide(id, "DENY").status == 200)
            try await expectAnother("a decision")
            let dismissed = try await offer("2026-01")
            try await expectAnother("an offer")
            #expect(
                try await stage.send("POST", "/phone/offers/\(dismissed)/dismiss", as: .phone, body: []).status == 200)
            try await expectAnother("an offer dismissed")
            let withdrawn = try await offer("2026-02")
            try await expectAnother("another offer")
            #expect(try await stage.send("DELETE", "/offers/\(withdrawn)").status == 200)
            try await expectAnother("an offer withdrawn")
            let before = seen.last?.split(separator: "-").last
            _ = try await stage.send("GET", "/requests")
            #expect(try await Self.mark(stage).split(separator: "-").last == before, "a look changes nothing")
        }
    }

    @Test("a poll waits for the request that an agent makes, and is answered in time for it")
    func polled() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let seen = try await Self.mark(stage)
            let start = ContinuousClock.now
            async let answer = stage.waiting("/phone/changes?wait=60&after=\(seen)", as: .nobody)
            let id = try await stage.request()
            #expect(try await answer == ["changed": true])
            #expect(ContinuousClock.now - start < .seconds(30))
            let list = try await stage.send("GET", "/phone/requests/pending", as: .phone).json["requests"]?.arrayValue
            #expect(list?.first?["envelope"]?["request_id"]?.stringValue == id.description)
        }
    }

    @Test(
        "what is not a mark of this broker's opens nothing, with or without a token",
        arguments: [
            ("", 400), ("wait=60", 400), ("after=a&after=a", 400), ("after=", 404), ("after=a%20b", 404),
            ("after=%C3%A4", 404), ("after=00000000000000000000000000000000-0", 404),
        ])
    func strange(query: String, status: Int) async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            for party in [BrokerStage.Party.nobody, .phone] {
                let answer = try await stage.send("GET", "/phone/changes?\(query)", as: party)
                #expect(answer.status == status, "\(answer.json)")
                #expect(answer.json["changed"] == nil)
            }
        }
    }

    @Test("guesses of a mark are as rare as guesses of a token,")
    func guesses() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            var statuses: [Int] = []
            for number in 0..<40 {
                statuses.append(try await stage.send("GET", "/phone/changes?after=x-\(number)", as: .nobody).status)
            }
            #expect(statuses.first == 404 && statuses.last == 429, "\(statuses)")
        }
    }

    @Test("a device that was removed gets no answer with its mark")
    func removed() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let seen = try await Self.mark(stage)
            let path = "/phone/changes?after=\(seen)"
            #expect(try await stage.send("GET", path, as: .nobody).status == 200)
            try await stage.administration().devices.switchDefaultDevice(on: false)
            #expect(try await stage.send("GET", path, as: .nobody).status == 404)
        }
    }

    @Test("what is not a time is refused", arguments: ["61", "-1", "x", "1&wait=2"])
    func malformed(wait: String) async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let path = "/phone/changes?after=\(try await Self.mark(stage))&wait=\(wait)"
            let answer = try await stage.send("GET", path, as: .nobody)
            #expect(answer.status == 400 && answer.json["error_code"] == "INVALID_FIELD", "\(answer.json)")
        }
    }

    @Test("the fifth poll of one device that waits is refused, and a look that does not wait is answered")
    func limit() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let path = "/phone/changes?after=\(try await Self.mark(stage))&wait="
            let refused = try await withThrowingTaskGroup(of: JSONValue.self) { group in
                for _ in 0..<5 { group.addTask { try await stage.waiting(path + "60", as: .nobody) } }
                let first = try await group.next()
                #expect(try await stage.send("GET", path + "0", as: .nobody).json == ["changed": false])
                _ = try await stage.request()
                for try await answer in group { #expect(answer == ["changed": true]) }
                return first
            }
            #expect(refused?["error_code"] == "RATE_LIMITED", "\(refused ?? .null)")
        }
    }
}
