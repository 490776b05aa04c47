import AssistantProcesses
import AssistantStore
import Encodings
import Foundation
import Messages
import Notifications
import Testing

@testable import Assistant

/// The jobs of statements beside the API, with a mock of Google and a broker that a test steps.
@Suite("From a bank's mail to the statement", .timeLimit(.minutes(3))) struct StatementRoadTests {
    @Test("a statement is asked for after the user's word alone, once, and its arrival is told and in the brief")
    func statement() async throws {
        try await BriefRoad.run { road, stage, token in
            let account = road.connected.google.account
            for number in 1...2 {
                await account.deliver(
                    "s\(number)", from: "Meridian Savings <no-reply@m.example>",
                    "Your December 2026 statement is ready", at: stage.now)
            }
            await account.deliver("s3", from: "Power Company <p@p.example>", "Your statement is ready", at: stage.now)
            try await road.work(minutes: 5)
            #expect(road.notices.list.map(\.kind) == [.confirmation])
            #expect(road.broker.asked.isEmpty, "nothing is asked for without the user's word")
            let items = try await stage.send("GET", "/v1/confirmations", token: token).json["items"]?.arrayValue ?? []
            #expect(items.map { $0["title"] } == ["Ask for the statement of 2026-12 from Meridian Savings"])
            let id = try #require(items.first?["id"]?.stringValue)
            #expect(road.notices.list.first?.id == id)
            let path = "/v1/confirmations/\(id)"
            #expect(try await stage.send("POST", path, token: token, ["approve": true]).status == 200)
            try await road.work(minutes: 5)
            #expect(road.broker.asked == ["2026-12 meridian assistant-\(id)"])
            #expect(try await road.connected.events("STATEMENT_REQUESTED", token).count == 1)

            road.broker.finish(.completed)
            try await road.work(minutes: 5)
            #expect(road.notices.list.map(\.kind) == [.confirmation, .statement])
            #expect(road.notices.list.last?.title == "A statement has arrived")
            #expect(try await stage.send("GET", "/v1/confirmations", token: token).json == ["items": []])
            _ = try await stage.send("PUT", "/v1/preferences", token: token, BriefRoad.preferences(stage))
            try await road.work(minutes: 15)
            let brief = try #require(road.notices.list.last { $0.kind == .morningBrief })
            let statements = try await stage.send("GET", "/v1/briefs/\(brief.id)", token: token).json["statements"]
            #expect(statements?.arrayValue?.map { $0["status"] } == ["ARRIVED"])
            #expect(statements?.arrayValue?.first?["bank"] == "Meridian Savings")
            #expect(road.broker.asked.count == 1)
        }
    }

    @Test("a denied statement is not asked for, a mail's offer waits in any case, and a refusal is told once")
    func denied() async throws {
        try await BriefRoad.run { road, stage, token in
            let account = road.connected.google.account
            await account.deliver(
                "s1", from: "Meridian Savings", "Your November 2026 statement is ready", at: stage.now)
            try await road.work(minutes: 5)
            let id = try #require(road.notices.list.first?.id)
            _ = try await stage.send("POST", "/v1/confirmations/\(id)", token: token, ["approve": false])
            try await road.work(minutes: 5)
            #expect(road.broker.asked.isEmpty)

            _ = try await stage.send(
                "PUT", "/v1/preferences", token: token, BriefRoad.preferences(stage, confirm: false))
            await account.deliver(
                "s2", from: "Meridian Savings", "Your October 2026 statement is ready", at: stage.now)
            try await road.work(minutes: 6)
            #expect(road.broker.asked.isEmpty, "anyone can write a mail")
            let items = try await stage.send("GET", "/v1/confirmations", token: token).json["items"]?.arrayValue ?? []
            let second = try #require(items.first?["id"]?.stringValue)
            road.broker.fail(2)
            _ = try await stage.send("POST", "/v1/confirmations/\(second)", token: token, ["approve": true])
            try await road.work(minutes: 6)
            #expect(road.broker.asked.map { $0.prefix(18) } == ["2026-10 meridian a"])
            road.broker.finish(.denied)
            try await road.work(minutes: 4)
            let told = road.notices.list.filter { $0.kind == .statement }
            #expect(told.map(\.title) == ["A statement did not arrive"])
        }
    }
}
