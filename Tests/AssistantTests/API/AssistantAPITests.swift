import AssistantJobs
import AssistantProcesses
import AssistantStore
import Encodings
import Foundation
import TestServers
import TestSupport
import Testing

@testable import Assistant

@Suite("The assistant's API") struct AssistantAPITests {
    private static let five: [String: JSONValue] = [
        "meeting_reminder_minutes": 10, "morning_brief_local_time": "07:30", "quiet_hours_start": "23:00",
        "quiet_hours_end": "06:30", "high_risk_requires_confirm": false,
    ]

    @Test("preferences begin with the specification's and are replaced", arguments: AssistantStage.Store.all)
    func preferences(_ store: AssistantStage.Store) async throws {
        try await AssistantStage(store).run { stage in
            let token = try await stage.accessToken()
            let first = try await stage.send("GET", "/v1/preferences", token: token)
            #expect(
                first.json == [
                    "meeting_reminder_minutes": 15, "morning_brief_local_time": "08:00", "quiet_hours_start": "22:00",
                    "quiet_hours_end": "07:00", "high_risk_requires_confirm": true, "time_zone": "UTC",
                ])
            #expect(
                try await stage.send("PUT", "/v1/preferences", token: token, .object(Self.five)).json == ["ok": true])
            var wanted = Self.five
            wanted["time_zone"] = "America/Argentina/Buenos_Aires"
            #expect(try await stage.send("PUT", "/v1/preferences", token: token, .object(wanted)).status == 200)
            #expect(try await stage.send("PUT", "/v1/preferences", token: token, .object(Self.five)).status == 200)
            #expect(try await stage.send("GET", "/v1/preferences", token: token).json == .object(wanted))
        }
    }

    static let wrongPreferences: [(String, JSONValue?, String)] = [
        ("meeting_reminder_minutes", nil, "MISSING_FIELD"), ("meeting_reminder_minutes", -1, "INVALID_FIELD"),
        ("meeting_reminder_minutes", 1441, "INVALID_FIELD"),
        ("meeting_reminder_minutes", .number(1.5), "INVALID_FIELD"),
        ("meeting_reminder_minutes", "15", "INVALID_FIELD"), ("morning_brief_local_time", "24:00", "INVALID_FIELD"),
        ("morning_brief_local_time", "8:00", "INVALID_FIELD"), ("quiet_hours_start", "12:60", "INVALID_FIELD"),
        ("quiet_hours_end", nil, "MISSING_FIELD"), ("quiet_hours_end", .null, "MISSING_FIELD"),
        ("high_risk_requires_confirm", "true", "INVALID_FIELD"), ("time_zone", "Mars/Phobos", "INVALID_FIELD"),
        ("time_zone", "GMT+3", "INVALID_FIELD"), ("time_zone", "../etc/passwd", "INVALID_FIELD"),
        ("time_zone", 5, "INVALID_FIELD"),
    ]

    @Test("a wrong preference is refused by name, and nothing changes", arguments: wrongPreferences)
    func wrong(_ field: String, _ value: JSONValue?, _ code: String) async throws {
        try await AssistantStage().run { stage in
            let token = try await stage.accessToken()
            var body = Self.five
            body[field] = value
            let answer = try await stage.send("PUT", "/v1/preferences", token: token, .object(body))
            #expect(answer.status == 400)
            #expect(answer.code == code)
            #expect(try answer.text("error_message").contains(field))
            #expect(try await stage.send("GET", "/v1/preferences", token: token).json["quiet_hours_start"] == "22:00")
        }
    }

    @Test(
        "devices are registered, listed and removed; another user's are not found",
        arguments: AssistantStage.Store.all)
    func devices(_ store: AssistantStage.Store) async throws {
        try await AssistantStage(store).run { stage in
            let token = try await stage.accessToken()
            let other = try await stage.accessToken("other")
            let push = String(repeating: "0A", count: 32)
            func register(_ changes: [String: JSONValue]) async throws -> AssistantStage.Answer {
                let right: [String: JSONValue] = [
                    "device_id": "phone/1 é", "apns_token": .string(push), "environment": "sandbox",
                ]
                return try await stage.send(
                    "POST", "/v1/devices/apns", token: token, .object(right.merging(changes) { $1 }))
            }
            #expect(try await register([:]).json == ["ok": true])
            #expect(try await register(["environment": "production"]).status == 200)
            for wrong: [String: JSONValue] in [
                ["environment": "test"], ["apns_token": "abc"], ["apns_token": .string(push + "z")], ["device_id": ""],
                ["device_id": .string(String(repeating: "x", count: 129))], ["device_id": "a\u{0}b"],
            ] { #expect(try await register(wrong).code == "INVALID_FIELD") }

            let items = try await stage.send("GET", "/v1/devices", token: token).json["items"]?.arrayValue ?? []
            #expect(items.count == 1)
            #expect(items[0]["environment"] == "production" && items[0]["channel"] == "apns")
            #expect(items[0].objectValue?.keys.contains("apns_token") == false)
            let path = "/v1/devices/phone%2F1%20%C3%A9"
            #expect(try await stage.send("DELETE", path, token: other).code == "DEVICE_NOT_FOUND")
            #expect(try await stage.send("DELETE", path, token: token).json == ["ok": true])
            #expect(try await stage.send("DELETE", path, token: token).status == 404)
        }
    }

    @Test("a push token is sealed, for its user and device only")
    func sealed() async throws {
        try await AssistantStage().run { stage in
            let token = try await stage.accessToken()
            let user = try #require(UUID(uuidString: try SignInTests.claim("sub", of: token)))
            let push = String(repeating: "ab", count: 32)
            _ = try await stage.send(
                "POST", "/v1/devices/apns", token: token,
                ["device_id": "phone", "apns_token": .string(push), "environment": "sandbox"])
            let sealed = try #require(try await stage.openDatabase().devices.devices(of: user).first?.sealedToken)
            let keys = try StateKeys(in: stage.configuration.state)
            #expect(try keys.open(sealed, as: PushAddress.binding(user, "phone")).revealed() == push)
            #expect(throws: (any Error).self) { try keys.open(sealed, as: PushAddress.binding(user, "tablet")) }
            #expect(throws: (any Error).self) { try keys.open(sealed, as: PushAddress.binding(UUID(), "phone")) }
        }
    }

    @Test("pages of audit events are stable under new events, and a foreign cursor is refused")
    func pages() async throws {
        try await AssistantStage().run { stage in
            let token = try await stage.accessToken()
            for _ in 0..<4 { _ = try await stage.send("PUT", "/v1/preferences", token: token, .object(Self.five)) }
            let first = try await stage.send("GET", "/v1/audit-events?limit=2", token: token)
            let cursor = try first.text("next_cursor")
            _ = try await stage.send("PUT", "/v1/preferences", token: token, .object(Self.five))
            let second = try await stage.send("GET", "/v1/audit-events?limit=2&cursor=\(cursor)", token: token)
            let third = try await stage.send(
                "GET", "/v1/audit-events?limit=2&cursor=\(try second.text("next_cursor"))", token: token)
            let items = [first, second, third].flatMap { $0.json["items"]?.arrayValue ?? [] }
            #expect(items.count == 5)
            #expect(Set(items.compactMap { $0["id"]?.stringValue }).count == 5)
            #expect(items.last?["event_type"] == "SIGN_IN")
            #expect(items.allSatisfy { $0["id"]?.stringValue?.hasPrefix("ae_") == true })
            #expect(third.json["next_cursor"] == .null)

            let stranger = try await stage.accessToken("other")
            #expect(
                try await stage.send("GET", "/v1/audit-events?cursor=\(cursor)", token: stranger).code
                    == "INVALID_CURSOR")
            for wrong in ["x", "", "AAAAAAAAAAAAAAAAAAAAAA", cursor + "A"] {
                let answer = try await stage.send("GET", "/v1/audit-events?cursor=\(wrong)", token: token)
                #expect(answer.status == 400 && answer.code == "INVALID_CURSOR")
            }
            for wrong in ["limit=0", "limit=201", "limit=x", "limit=1&limit=2"] {
                #expect(try await stage.send("GET", "/v1/audit-events?\(wrong)", token: token).code == "INVALID_FIELD")
            }
        }
    }

    @Test(
        "a request to delete everything ends the session, and its id alone tells how far it is",
        arguments: AssistantStage.Store.all)
    func privacy(_ store: AssistantStage.Store) async throws {
        try await AssistantStage(store).run { stage in
            let token = try await stage.accessToken()
            let answer = try await stage.send("POST", "/v1/privacy/delete-all", token: token)
            #expect(answer.status == 202)
            #expect(answer.json["status"] == "QUEUED")
            let id = try answer.text("request_id")
            #expect(id.wholeMatch(of: /del_[0-9a-f]{32}/) != nil)
            #expect(try await stage.send("GET", "/v1/privacy/requests/\(id)").json["request_id"] == .string(id))
            #expect(try await stage.send("GET", "/v1/preferences", token: token).status == 401)
            for wrong in ["del_" + String(repeating: "0", count: 32), "del_x", "x"] {
                #expect(try await stage.send("GET", "/v1/privacy/requests/\(wrong)").code == "REQUEST_NOT_FOUND")
            }
        }
    }

    @Test("errors have one form")
    func errors() async throws {
        try await AssistantStage().run { stage in
            let token = try await stage.accessToken()
            func code(_ method: String, _ path: String, _ raw: String? = nil) async throws -> String {
                let answer = try await stage.send(method, path, token: token, raw: raw.map { Array($0.utf8) })
                #expect(answer.json.objectValue?.keys.sorted() == ["error_code", "error_message"])
                return "\(answer.status) \(answer.code)"
            }
            #expect(try await code("GET", "/v1/nothing") == "404 NOT_FOUND")
            #expect(try await code("PATCH", "/v1/preferences", "{}") == "405 METHOD_NOT_ALLOWED")
            #expect(try await code("PUT", "/v1/preferences", "{") == "400 INVALID_JSON")
            #expect(try await code("PUT", "/v1/preferences", "[]") == "400 INVALID_JSON")
            #expect(try await code("PUT", "/v1/preferences", #"{"a":1,"a":2}"#) == "400 INVALID_JSON")
            let large = "{\"a\":\"\(String(repeating: "x", count: 256 << 10))\"}"
            #expect(try await code("PUT", "/v1/preferences", large) == "413 PAYLOAD_TOO_LARGE")
            #expect(try await code("POST", "/v1/auth/refresh", "{}") == "400 MISSING_FIELD")
        }
    }

    @Test("the OpenAPI document describes exactly the routes and error codes")
    func document() async throws {
        try await AssistantStage().run { stage in
            let answer = try await stage.send("GET", "/openapi.json")
            let paths = try #require(answer.json["paths"]?.objectValue)
            let described = Set(
                paths.flatMap { path, item in (item.objectValue ?? [:]).keys.map { "\($0.uppercased()) \(path)" } })
            let database = try await stage.openDatabase()
            let server = AssistantServer(
                configuration: stage.configuration, database: database,
                keys: try StateKeys(in: stage.configuration.state),
                apple: nil, google: nil, enclave: EnclaveClient(stage.configuration.places),
                keyService: KeyServiceClient(stage.configuration.places),
                deletions: PrivacyWorker(
                    database: database, enclave: EnclaveClient(stage.configuration.places), clock: .init(),
                    logger: .init(label: "routes")), clock: .init(), logger: .init(label: "routes"))
            let routes = try server.routes().map { route in
                "\(route.method) /"
                    + route.path.map { $0.hasPrefix(":") ? "{\($0.dropFirst())}" : $0 }.joined(separator: "/")
            }
            #expect(Set(routes) == described)
            let text = answer.json.compactText()
            let silent: Set = ["NOT_FOUND", "METHOD_NOT_ALLOWED", "BAD_REQUEST", "INTERNAL_ERROR"]
            for code in AssistantError.Code.allCases where !silent.contains(code.rawValue) {
                #expect(text.contains(code.rawValue), "\(code.rawValue)")
            }
            let health = try await stage.send("GET", "/healthz")
            #expect(
                health.json == [
                    "status": "ok", "worker": "unavailable", "enclave": "unavailable", "key_service": "unavailable",
                    "provider": "software", "protection": "evidence made by software: not a TEE",
                ])
        }
    }

    @Test(
        "a dump of the database and the log show no token, no code and no identity",
        arguments: AssistantStage.Store.all)
    func canaries(_ store: AssistantStage.Store) async throws {
        let stage = try await AssistantStage(store) { $0.signup = .invite }
        try await stage.run { stage in
            let code = try await AssistantAdministration(stage.configuration).invite(days: 7, at: stage.now)
            let subject = "subject-canary.apple"
            let push = String(repeating: "c0ffee00", count: 8)
            let apple = try stage.apple.token(AppleAuthority.claims(subject: subject, at: stage.now))
            let session = try await stage.send(
                "POST", "/v1/auth/ios/session",
                ["apple_identity_token": .string(apple), "device_id": "phone", "invite_code": .string(code)])
            let access = try session.text("access_token")
            let refresh = try session.text("refresh_token")
            _ = try await stage.send(
                "POST", "/v1/devices/apns", token: access,
                ["device_id": "phone", "apns_token": .string(push), "environment": "sandbox"])
            _ = try await stage.send("POST", "/v1/devices/apns", token: access, ["apns_token": .string(push)])
            _ = try await stage.send("POST", "/v1/auth/refresh", ["refresh_token": "unknown-refresh-canary"])
            _ = try await stage.send("GET", "/v1/nothing?token=query-canary")

            var seen = Data(stage.logged.withLock { $0.joined(separator: "\n") }.utf8)
            switch store {
            case .postgres: seen.append(try await LoopbackPostgres.dump(stage.configuration.databaseURL))
            case .sqlite:
                let file = String(stage.configuration.databaseURL.dropFirst("sqlite:".count))
                for path in [file, file + "-wal"] { seen.append(try Data(contentsOf: URL(filePath: path))) }
            }
            #expect(seen.count > 1000)
            let canaries = [
                subject, push, push.uppercased(), code, access, refresh, apple, "unknown-refresh-canary",
                "query-canary",
            ]
            for canary in canaries {
                let forms = [
                    canary, Data(canary.utf8).base64EncodedString(),
                    Data(canary.utf8).map { String(format: "%02x", $0) }.joined(),
                ]
                for form in forms { #expect(seen.range(of: Data(form.utf8)) == nil, "\(canary)") }
            }
            // The same search finds what the database does hold.
            #expect(seen.range(of: Data("SIGN_IN".utf8)) != nil)
        }
    }

    @Test(
        "without its database the API answers 503, and goes on when it is back",
        .enabled(if: LoopbackPostgres.programs != nil, "PostgreSQL is not installed"))
    func databaseDown() async throws {
        let server = try await LoopbackPostgres()
        let url = try await server.makeDatabase()
        try await AssistantStage { $0.databaseURL = url }.run { stage in
            let token = try await stage.accessToken()
            try await server.stop()
            for path in ["/v1/preferences", "/healthz"] {
                let answer = try await stage.send("GET", path, token: token)
                #expect(answer.status == 503 && answer.code == "UNAVAILABLE")
            }
            try await server.start()
            #expect(try await stage.send("GET", "/v1/preferences", token: token).status == 200)
        }
    }
}
