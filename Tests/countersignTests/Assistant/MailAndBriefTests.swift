import AssistantStore
import Encodings
import Foundation
import MockGoogle
import TestSupport
import Testing

/// Urgent mail, a brief and the export, by the real processes that `serve` starts.
@Suite("The assistant's mail and briefs", .timeLimit(.minutes(5))) struct MailAndBriefTests {
    @Test("an urgent message is found, a brief comes at its minute and is read once, and deletion takes both")
    func road() async throws {
        var configuration = MockGoogleConfiguration()
        configuration.redirectURIs = [RunningAssistant.redirect]
        let google = try await MockGoogleServer.start(configuration)
        let assistant = try RunningAssistant(google: google, more: ["ASSISTANT_MAIL_SYNC_SECONDS": "1"])
        do {
            try await Self.body(google, assistant)
        } catch {
            _ = try? await assistant.end(SIGKILL)
            await google.stop()
            throw error
        }
        await google.stop()
    }

    private static func body(_ google: MockGoogleServer, _ assistant: RunningAssistant) async throws {
        try await assistant.start()
        try await assistant.waitForProcesses()
        let (token, user) = try await assistant.register()
        let consent = try #require(try await assistant.consent(token))
        let connected = try await assistant.send(
            "POST", "/v1/connectors/google/callback", token: token,
            ["code": .string(consent.code), "state": .string(consent.state)])
        #expect(connected?.status == 200)
        let database = try await AssistantDatabase.open("sqlite:\(assistant.database.path)")

        // The first look makes the place from which mail counts as new.
        try await wait("the first look at the mailbox") {
            await google.account.calls.contains { $0.contains("/profile") || $0.contains("/history") }
        }
        try await wait("the place of the first look") { try await row("mail_places", of: user, database) != nil }
        await google.account.deliver(
            "m1", from: "Ann <ann@x.example>", "URGENT: the canary of real processes", body: "a body", at: Date())
        var alert: JSONValue?
        try await wait("an alert") {
            let export = try await assistant.send("GET", "/v1/privacy/export", token: token)
            alert = export?.json["alerts"]?.arrayValue?.first
            return alert != nil
        }
        #expect(alert?["subject"] == "URGENT: the canary of real processes" && alert?["rules"] == ["deadlines"])
        let name = try #require(alert?["id"]?.stringValue)
        let judged = try await assistant.send(
            "POST", "/v1/alerts/\(name)/feedback", token: token, ["urgent": true])
        #expect(judged?.json == ["ok": true])

        let start = Date().addingTimeInterval(3 * 3600)
        await google.account.put(event: "e1", "The dentist of real processes", from: start, to: start + 1800)
        // The next full minute, or the one after when that is too near.
        let minute = Int((Date().timeIntervalSince1970 + 5) / 60) + 1
        let time = String(format: "%02d:%02d", minute / 60 % 24, minute % 60)
        let wanted: JSONValue = [
            "meeting_reminder_minutes": 15, "morning_brief_local_time": .string(time), "quiet_hours_start": "00:00",
            "quiet_hours_end": "00:00", "high_risk_requires_confirm": true, "time_zone": "UTC",
        ]
        let stored = try await assistant.send("PUT", "/v1/preferences", token: token, wanted)
        #expect(stored?.status == 200)
        try await wait("a brief") { try await row("briefs", of: user, database) != nil }
        let id = try #require(try await row("briefs", of: user, database)?.uuid("id")).uuidString.lowercased()
        let brief = try await assistant.send("GET", "/v1/briefs/\(id)", token: token)
        #expect(brief?.status == 200)
        #expect(
            Set(brief?.json.objectValue?.keys.map { $0 } ?? []) == ["meetings", "free", "urgent_mail", "statements"])
        #expect(brief?.json["urgent_mail"]?.arrayValue?.map { $0["from"] } == ["Ann <ann@x.example>"])
        // Late in the evening the meeting is tomorrow's.
        let isToday = Int(start.timeIntervalSince1970) / 86_400 == minute / 1440
        #expect(brief?.json["meetings"]?.arrayValue?.count == (isToday ? 1 : 0))
        let again = try await assistant.send("GET", "/v1/briefs/\(id)", token: token)
        #expect(again?.status == 404 && again?.json["error_code"] == "BRIEF_NOT_FOUND")

        let asked = try await assistant.send("POST", "/v1/privacy/delete-all", token: token)
        let request = try #require(asked?.json["request_id"]?.stringValue)
        try await wait("the deletion") {
            try await assistant.send("GET", "/v1/privacy/requests/\(request)")?.json["status"] == "DONE"
        }
        for table in ["alerts", "briefs", "mail_places", "mail_acquaintances", "confirmations", "jobs"] {
            #expect(try await row(table, of: user, database) == nil, "\(table)")
        }
        await database.close()
        #expect(try await assistant.end(SIGTERM) == 0)
        let log = assistant.log
        for canary in ["canary of real processes", "dentist of real processes", "ann@x.example"] {
            #expect(!log.contains(canary))
            #expect(try Data(contentsOf: assistant.database).range(of: Data(canary.utf8)) == nil)
        }
    }

    private static func row(_ table: String, of user: UUID, _ database: AssistantDatabase) async throws -> SQLRow? {
        try await database.driver.transaction(.reading) { session in
            try session.row("SELECT * FROM \(table) WHERE user_id = $1", [.uuid(user)])
        }
    }

    private static func wait(_ what: String, for condition: () async throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(200)
        while ContinuousClock.now < end {
            if try await condition() { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw AssistantStoreError(.other, "\(what) did not come")
    }
}
