import AssistantJobs
import AssistantStore
import Clocks
import Encodings
import Foundation
import Secrets
import Testing

@testable import Assistant

@Suite("Briefs, alerts, confirmations and export over the API") struct BriefAPITests {
    private static func user(_ token: String) throws -> UUID {
        try #require(UUID(uuidString: try SignInTests.claim("sub", of: token)))
    }

    private static func path(_ kind: String, _ id: UUID) -> String { "/v1/\(kind)/\(id.uuidString.lowercased())" }

    @Test("a brief is read once, by its user, within the hour", arguments: AssistantStage.Store.all)
    func brief(_ store: AssistantStage.Store) async throws {
        try await AssistantStage(store).run { stage in
            let token = try await stage.accessToken()
            let other = try await stage.accessToken("other")
            let user = try Self.user(token)
            let keys = try StateKeys(in: stage.configuration.state)
            let database = try await stage.openDatabase()
            let brief: JSONValue = ["meetings": [], "free": [], "urgent_mail": [], "statements": []]
            func keep() async throws -> UUID {
                let id = UUID()
                let sealed = try keys.seal(Secret(brief.compactText()), as: "brief \(id.uuidString)")
                try await database.briefs.keep(
                    id, of: user, sealed: sealed, expires: stage.now.addingTimeInterval(1800))
                return id
            }
            let id = try await keep()
            #expect(try await stage.send("GET", Self.path("briefs", id)).status == 401)
            let stranger = try await stage.send("GET", Self.path("briefs", id), token: other)
            #expect(stranger.status == 404 && stranger.code == "BRIEF_NOT_FOUND")
            let first = try await stage.send("GET", Self.path("briefs", id), token: token)
            #expect(first.status == 200 && first.json == brief)
            #expect(first.head.header("cache-control") == "no-store")
            let second = try await stage.send("GET", Self.path("briefs", id), token: token)
            #expect(second.status == 404 && second.code == "BRIEF_NOT_FOUND")

            let late = try await keep()
            stage.wait(1800)
            #expect(try await stage.send("GET", Self.path("briefs", late), token: token).status == 404)
            #expect(try await stage.send("GET", "/v1/briefs/nonsense", token: token).code == "BRIEF_NOT_FOUND")
            await database.close()
        }
    }

    @Test("an alert is shown to its user, who judges it", arguments: AssistantStage.Store.all)
    func alert(_ store: AssistantStage.Store) async throws {
        try await AssistantStage(store).run { stage in
            let token = try await stage.accessToken()
            let other = try await stage.accessToken("other")
            let keys = try StateKeys(in: stage.configuration.state)
            let database = try await stage.openDatabase()
            let id = UUID()
            let mail: JSONValue = [
                "message_id": "m1", "from": "Ann <ann@x.example>", "subject": "Due today",
                "received_at": "2027-01-15T08:00:00.000Z",
            ]
            _ = try await database.alerts.add(
                id, of: try Self.user(token), message: [1],
                sealedMail: try keys.seal(Secret(mail.compactText()), as: "mail of alert \(id.uuidString)"),
                rules: ["DEADLINE"], at: stage.now)
            let shown = try await stage.send("GET", Self.path("alerts", id), token: token)
            #expect(
                shown.json == [
                    "id": .string(id.uuidString.lowercased()), "from": "Ann <ann@x.example>", "subject": "Due today",
                    "received_at": "2027-01-15T08:00:00.000Z", "rules": ["DEADLINE"], "urgent": .null,
                ])
            #expect(try await stage.send("GET", Self.path("alerts", id), token: other).code == "ALERT_NOT_FOUND")
            let feedback = Self.path("alerts", id) + "/feedback"
            #expect(try await stage.send("POST", feedback, token: other, ["urgent": false]).code == "ALERT_NOT_FOUND")
            #expect(try await stage.send("POST", feedback, token: token, [:]).code == "MISSING_FIELD")
            #expect(try await stage.send("POST", feedback, token: token, ["urgent": "no"]).code == "INVALID_FIELD")
            for _ in 0..<2 {
                let answer = try await stage.send("POST", feedback, token: token, ["urgent": false])
                #expect(answer.status == 200 && answer.json == ["ok": true])
            }
            #expect(try await stage.send("GET", Self.path("alerts", id), token: token).json["urgent"] == false)
            let wrong = try await stage.send("POST", "/v1/alerts/1/feedback", token: token, ["urgent": true])
            #expect(wrong.status == 404)
            await database.close()
        }
    }

    @Test(
        "alerts are listed from the newest to the oldest, page by page, to their user alone",
        arguments: AssistantStage.Store.all)
    func alerts(_ store: AssistantStage.Store) async throws {
        try await AssistantStage(store).run { stage in
            let token = try await stage.accessToken()
            let other = try await stage.accessToken("other")
            let keys = try StateKeys(in: stage.configuration.state)
            let database = try await stage.openDatabase()
            let user = try Self.user(token)
            func add(_ number: UInt8, at time: Date) async throws {
                let id = UUID()
                let mail: JSONValue = [
                    "message_id": "m", "from": "ann@x.example", "subject": .string("Subject \(number)"),
                    "received_at": "2027-01-15T08:00:00.000Z",
                ]
                _ = try await database.alerts.add(
                    id, of: user, message: [number],
                    sealedMail: try keys.seal(Secret(mail.compactText()), as: "mail of alert \(id.uuidString)"),
                    rules: ["deadlines"], at: time)
            }
            // Two of them have the same moment.
            for number in 0..<5 as Range<UInt8> { try await add(number, at: stage.now + Double(number / 2)) }
            let whole = try await stage.send("GET", "/v1/alerts", token: token)
            let subjects = whole.json["items"]?.arrayValue?.compactMap { $0["subject"]?.stringValue } ?? []
            #expect(whole.status == 200 && whole.json["next_cursor"] == .null)
            #expect(subjects.first == "Subject 4" && Set(subjects.prefix(3)).contains("Subject 3"))
            #expect(Set(subjects).count == 5)

            let first = try await stage.send("GET", "/v1/alerts?limit=2", token: token)
            let cursor = try first.text("next_cursor")
            // One that comes meanwhile does not move the pages.
            try await add(9, at: stage.now + 9)
            let second = try await stage.send("GET", "/v1/alerts?limit=2&cursor=\(cursor)", token: token)
            let third = try await stage.send(
                "GET", "/v1/alerts?limit=2&cursor=\(try second.text("next_cursor"))", token: token)
            let paged = [first, second, third].flatMap { $0.json["items"]?.arrayValue ?? [] }
            #expect(paged.compactMap { $0["subject"]?.stringValue } == subjects)
            #expect(third.json["next_cursor"] == .null)

            #expect(try await stage.send("GET", "/v1/alerts", token: other).json["items"] == [])
            #expect(try await stage.send("GET", "/v1/alerts").status == 401)
            // Neither another user's cursor nor one of another list counts.
            for query in ["cursor=\(cursor)", "cursor=x", "cursor="] {
                #expect(try await stage.send("GET", "/v1/alerts?\(query)", token: other).code == "INVALID_CURSOR")
            }
            let foreign = try await stage.send("GET", "/v1/audit-events?cursor=\(cursor)", token: token)
            #expect(foreign.code == "INVALID_CURSOR")
            #expect(try await stage.send("GET", "/v1/alerts?limit=0", token: token).code == "INVALID_FIELD")
            await database.close()
        }
    }

    @Test("an act waits for the user's word, which counts once", arguments: AssistantStage.Store.all)
    func confirmation(_ store: AssistantStage.Store) async throws {
        try await AssistantStage(store).run { stage in
            let token = try await stage.accessToken()
            let other = try await stage.accessToken("other")
            let user = try Self.user(token)
            let keys = try StateKeys(in: stage.configuration.state)
            let database = try await stage.openDatabase()
            func add(_ subject: UInt8) async throws -> UUID {
                let id = UUID()
                let text: JSONValue = [
                    "subject": "a statement that is ready", "month": "2026-10", "bank": "Meridian Savings",
                    "bank_id": "default",
                ]
                _ = try await database.confirmations.add(
                    id, of: user, kind: "STATEMENT", subject: [subject],
                    sealedSubject: try keys.seal(Secret(text.compactText()), as: "subject of \(id.uuidString)"),
                    isApproved: false, job: "STATEMENT_DUE", expires: stage.now.addingTimeInterval(1000),
                    recording: NewAuditEvent("STATEMENT_OFFERED"), at: stage.now)
                return id
            }
            let (id, unwanted) = (try await add(1), try await add(2))
            let items = try await stage.send("GET", "/v1/confirmations", token: token).json["items"]?.arrayValue ?? []
            #expect(
                Set(items.compactMap { $0["id"]?.stringValue })
                    == Set([id, unwanted].map { $0.uuidString.lowercased() }))
            #expect(items.first?["title"] == "Ask for the statement of 2026-10 from Meridian Savings")
            #expect(items.first?["state"] == "PENDING" && items.first?["kind"] == "STATEMENT")
            #expect(try await stage.send("GET", "/v1/confirmations", token: other).json == ["items": []])

            let path = Self.path("confirmations", id)
            #expect(try await stage.send("POST", path, token: token, [:]).code == "MISSING_FIELD")
            let stranger = try await stage.send("POST", path, token: other, ["approve": true])
            #expect(stranger.status == 404 && stranger.code == "CONFIRMATION_NOT_FOUND")
            for _ in 0..<2 {
                #expect(try await stage.send("POST", path, token: token, ["approve": true]).json == ["ok": true])
            }
            let changed = try await stage.send("POST", path, token: token, ["approve": false])
            #expect(changed.status == 409 && changed.code == "ALREADY_DECIDED")
            let denied = try await stage.send(
                "POST", Self.path("confirmations", unwanted), token: token, ["approve": false])
            #expect(denied.status == 200)
            #expect(try await stage.send("GET", "/v1/confirmations", token: token).json == ["items": []])
            let audit = try await stage.send("GET", "/v1/audit-events", token: token).json["items"]?.arrayValue ?? []
            #expect(
                audit.filter { $0["event_type"] == "CONFIRMATION_DECIDED" }.map { $0["result"] } == [
                    "DENIED", "APPROVED",
                ])

            let late = try await add(3)
            stage.wait(1000)
            let over = try await stage.send("POST", Self.path("confirmations", late), token: token, ["approve": true])
            #expect(over.status == 404)
            await database.close()
        }
    }

    @Test("the export has everything of the user, and no token", arguments: AssistantStage.Store.all)
    func export(_ store: AssistantStage.Store) async throws {
        try await ConnectedStage.run(store) { connected in
            let stage = connected.stage
            let token = try await stage.accessToken()
            try await connected.connect(token)
            let push = String(repeating: "5e", count: 32)
            _ = try await stage.send(
                "POST", "/v1/devices/apns", token: token,
                ["device_id": "my phone", "apns_token": .string(push), "environment": "sandbox"])
            #expect(try await stage.send("GET", "/v1/privacy/export").status == 401)
            let export = try await stage.send("GET", "/v1/privacy/export", token: token)
            #expect(export.status == 200)
            #expect(
                Set(export.json.objectValue?.keys.map { $0 } ?? []) == [
                    "exported_at", "user", "preferences", "passkeys", "sessions", "devices", "connectors", "jobs",
                    "briefs", "notifications", "held_notices", "keeps_times_of_meetings", "unreadable_records",
                    "people_and_conversations_written_to", "alerts", "confirmations", "audit_events",
                ])
            #expect(export.json["user"]?["id"] == .string(try SignInTests.claim("sub", of: token)))
            #expect(export.json["devices"]?.arrayValue?.first?["device_id"] == "my phone")
            #expect(export.json["connectors"]?.arrayValue?.first?["status"] == "ACTIVE")
            let events = export.json["audit_events"]?.arrayValue?.compactMap { $0["event_type"]?.stringValue }
            #expect(events?.contains("SIGN_IN") == true)
            let text = export.json.compactText()
            let refresh = try #require(await connected.google.account.refreshTokens.first)
            for secret in [push, refresh, token] { #expect(!text.contains(secret)) }
            let audit = try await connected.events("DATA_EXPORTED", token)
            #expect(audit.count == 1)
        }
    }
}
