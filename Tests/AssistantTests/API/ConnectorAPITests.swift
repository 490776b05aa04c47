import AssistantProcesses
import AssistantStore
import Encodings
import Foundation
import Machine
import MockGoogle
import Testing

@testable import Assistant

@Suite("Connections to Google", .timeLimit(.minutes(3))) struct ConnectorAPITests {
    private static let calendar = "https://www.googleapis.com/auth/calendar.readonly"

    @Test("a user connects, an access token is minted, and the connection ends", arguments: AssistantStage.Store.all)
    func road(_ store: AssistantStage.Store) async throws {
        try await ConnectedStage.run(store) { connected in
            let stage = connected.stage
            let token = try await stage.accessToken()
            let answer = try await connected.connect(token)
            #expect(answer.json["status"] == "ACTIVE")
            #expect(answer.json["granted_scopes"] == ["calendar.readonly", "gmail.readonly"])
            let (user, connector) = try connected.ids(token, answer)

            let access = try await connected.enclave.accessToken(of: connector, user: user)
            #expect(access.expiresIn == 3599 && access.scopes == ["calendar.readonly", "gmail.readonly"])
            #expect(access.runtime == "software" && access.measurement.count == 64)
            let health = try await stage.send("GET", "/healthz").json
            #expect(health["enclave"] == "ok" && health["key_service"] == "ok")

            let name = try answer.text("connector_id")
            var item = try #require(try await connected.connectors(token).first)
            #expect(item["connector_id"] == .string(name) && item["provider"] == "google")
            #expect(item["status"] == "ACTIVE" && item["missing_scopes"] == [] && item["message"] == nil)

            let stranger = try await stage.accessToken("stranger.apple")
            #expect(
                try await stage.send("DELETE", "/v1/connectors/\(name)", token: stranger).code == "CONNECTOR_NOT_FOUND")
            for _ in 0..<2 {
                let ended = try await stage.send("DELETE", "/v1/connectors/\(name)", token: token)
                #expect(ended.status == 200 && ended.json == ["status": "REVOKED"])
            }
            #expect(await connected.google.account.refreshTokens.isEmpty)
            #expect(await connected.google.account.calls.filter { $0 == "/revoke" }.count == 1)
            item = try #require(try await connected.connectors(token).first)
            #expect(item["status"] == "REVOKED")
            let stored = try #require(try await stage.openDatabase().connectors.connector(connector, of: user))
            #expect(stored.sealedToken.isEmpty)
            await Self.expectRefusal("CONNECTOR_NOT_FOUND") {
                try await connected.enclave.accessToken(of: connector, user: user)
            }

            for type in ["CONNECTOR_CONNECTED", "CONNECTOR_REVOKED"] {
                #expect(try await connected.events(type, token).count == 1, "\(type)")
            }
            let opened = try await connected.events("TOKEN_DECRYPT", token)
            #expect(opened.map { $0["metadata"]?["purpose"] } == ["revoke", "refresh"])
            #expect(opened.allSatisfy { $0["result"] == "SUCCESS" && $0["connector"] == "google" })
        }
    }

    @Test("what cannot be an id of a connection is not found", arguments: ["con_x", "x", "con_", "%2e%2e"])
    func wrongIDs(_ id: String) async throws {
        try await AssistantStage().run { stage in
            let token = try await stage.accessToken()
            #expect(try await stage.send("DELETE", "/v1/connectors/\(id)", token: token).code == "CONNECTOR_NOT_FOUND")
        }
    }

    @Test("only configured redirect values are taken")
    func redirects() async throws {
        try await ConnectedStage.run { connected in
            let token = try await connected.stage.accessToken()
            func code(_ body: JSONValue) async throws -> String {
                try await connected.stage.send("POST", "/v1/connectors/google/start", token: token, body).code
            }
            for wrong in [
                "alfred://oauth/google/callback/", "alfred://oauth/google/callback?x", "http://127.0.0.1:1/callbacK",
                "https://evil.example/", "javascript:alert(1)",
            ] { #expect(try await code(["redirect_uri": .string(wrong)]) == "INVALID_REDIRECT_URI", "\(wrong)") }
            #expect(try await code([:]) == "MISSING_FIELD")
            #expect(try await code(["redirect_uri": 1]) == "INVALID_FIELD")
            #expect(try await code(["redirect_uri": "alfred://oauth/google/callback"]) == "")
        }
    }

    @Test("a state works once, within its time, for the session that asked")
    func states() async throws {
        try await ConnectedStage.run { connected in
            let token = try await connected.stage.accessToken()
            let other = try await connected.stage.accessToken("other.apple")
            let again = try await connected.stage.accessToken()
            let (url, state) = try await connected.start(token)
            let code = try #require(try await connected.consent(url))
            // Another user's session, another session of this user, and a state that never was.
            #expect(try await connected.callback(other, code: code, state: state).code == "INVALID_STATE")
            #expect(try await connected.callback(again, code: code, state: state).code == "INVALID_STATE")
            #expect(try await connected.callback(token, code: code, state: state + "x").code == "INVALID_STATE")
            #expect(try await connected.callback(token, code: code, state: state).status == 200)
            #expect(try await connected.callback(token, code: code, state: state).code == "INVALID_STATE")

            let late = try await connected.start(token)
            let lateCode = try #require(try await connected.consent(late.url))
            connected.stage.wait(601)
            #expect(try await connected.callback(token, code: lateCode, state: late.state).code == "INVALID_STATE")
        }
    }

    @Test("a refused consent, a code that Google refuses, and a missing field have their own codes")
    func refusals() async throws {
        try await ConnectedStage.run { connected in
            let stage = connected.stage
            let token = try await stage.accessToken()
            let path = "/v1/connectors/google/callback"
            let first = try await connected.start(token)
            #expect(try await connected.consent(first.url, decision: "deny") == nil)
            let denied: JSONValue = ["error": "access_denied", "state": .string(first.state)]
            #expect(try await stage.send("POST", path, token: token, denied).code == "CONSENT_DENIED")
            // The state is used up.
            #expect(try await stage.send("POST", path, token: token, denied).code == "INVALID_STATE")

            let second = try await connected.start(token)
            #expect(try await connected.callback(token, code: "4/invented", state: second.state).code == "INVALID_CODE")
            // The code of one consent does not fit the proof of another.
            let third = try await connected.start(token)
            let fourth = try await connected.start(token)
            let code = try #require(try await connected.consent(third.url))
            #expect(try await connected.callback(token, code: code, state: fourth.state).code == "INVALID_CODE")
            #expect(try await stage.send("POST", path, token: token, ["state": "x"]).code == "MISSING_FIELD")
            #expect(try await stage.send("POST", path, token: token, ["code": "x"]).code == "MISSING_FIELD")
            #expect(try await connected.connectors(token).isEmpty)
        }
    }

    @Test("fewer scopes are stored as granted, and what they mean is said")
    func fewer() async throws {
        try await ConnectedStage.run { connected in
            let token = try await connected.stage.accessToken()
            let answer = try await connected.connect(token, scopes: [Self.calendar])
            #expect(answer.json["granted_scopes"] == ["calendar.readonly"])
            var item = try #require(try await connected.connectors(token).first)
            #expect(item["missing_scopes"] == ["gmail.readonly"])
            #expect(item["message"]?.stringValue?.contains("urgent mail") == true)
            // The second consent renews the same connection.
            let second = try await connected.connect(token)
            #expect(second.json["connector_id"] == answer.json["connector_id"])
            item = try #require(try await connected.connectors(token).first)
            #expect(item["missing_scopes"] == [])
            #expect(try await connected.connectors(token).count == 1)
        }
    }

    @Test("a consent that ended at Google asks for a new one, once, and without more calls")
    func reconnect() async throws {
        try await ConnectedStage.run { connected in
            let token = try await connected.stage.accessToken()
            let answer = try await connected.connect(token)
            let (user, connector) = try connected.ids(token, answer)
            await connected.google.account.endConsents()
            let before = await connected.google.account.calls.count
            for _ in 0..<3 {
                await Self.expectRefusal("NEEDS_RECONNECT") {
                    try await connected.enclave.accessToken(of: connector, user: user)
                }
            }
            #expect(await connected.google.account.calls.count == before + 1)
            #expect(try await connected.events("CONNECTOR_NEEDS_RECONNECT", token).count == 1)
            let item = try #require(try await connected.connectors(token).first)
            #expect(item["status"] == "NEEDS_RECONNECT")
            #expect(item["message"]?.stringValue?.contains("Testing") == true)

            try await connected.connect(token)
            #expect(try await connected.connectors(token).first?["status"] == "ACTIVE")
            _ = try await connected.enclave.accessToken(of: connector, user: user)
        }
    }

    @Test("while Google or the key service is away the answer is 503, and nothing is used up")
    func away() async throws {
        try await ConnectedStage.run { connected in
            let stage = connected.stage
            let token = try await stage.accessToken()
            let (url, state) = try await connected.start(token)
            let code = try #require(try await connected.consent(url))
            // A policy that cannot be used stops the key service's answers.
            let policy = try connected.policy.read()
            chmod(connected.places.policy.path, 0o644)
            let refused = try await connected.callback(token, code: code, state: state)
            #expect(refused.status == 503 && refused.head.header("retry-after") != nil)
            chmod(connected.places.policy.path, 0o600)
            #expect(try connected.policy.read() == policy)
            let answer = try await connected.callback(token, code: code, state: state)
            #expect(answer.status == 200, "\(answer.json)")

            await connected.google.account.fail(.status(503))
            let name = try answer.text("connector_id")
            let ended = try await stage.send("DELETE", "/v1/connectors/\(name)", token: token)
            #expect(ended.status == 503 && ended.code == "UNAVAILABLE")
            #expect(try await connected.connectors(token).first?["status"] == "ACTIVE")
            #expect(try await stage.send("DELETE", "/v1/connectors/\(name)", token: token).status == 200)
        }
    }

    @Test("a grant that the database does not take is told, with what to do, and the person can begin again")
    func notStored() async throws {
        try await ConnectedStage.run { connected in
            let token = try await connected.stage.accessToken()
            let (url, state) = try await connected.start(token)
            let code = try #require(try await connected.consent(url))
            let database = try await connected.stage.openDatabase()
            try await database.driver.transaction(.writing) { session in
                try session.runScript(
                    """
                    CREATE TRIGGER no_room BEFORE INSERT ON connectors
                    BEGIN SELECT RAISE(ABORT, 'no room in this test'); END
                    """)
            }
            let answer = try await connected.callback(token, code: code, state: state)
            #expect(answer.status == 503 && answer.code == "UNAVAILABLE" && answer.head.header("retry-after") == "30")
            let message = try answer.text("error_message")
            #expect(message.contains("start again") && message.contains("myaccount.google.com/permissions"))
            try await database.driver.transaction(.writing) { try $0.runScript("DROP TRIGGER no_room") }
            try await connected.connect(token)
            #expect(try await connected.connectors(token).map { $0["status"] } == ["ACTIVE"])
        }
    }

    @Test("the enclave has two calls, and neither answers with a refresh token")
    func twoCalls() async throws {
        try await ConnectedStage.run { connected in
            let token = try await connected.stage.accessToken()
            let (user, connector) = try connected.ids(token, try await connected.connect(token))
            let socket = ProcessSocketClient(connected.places.enclaveSocket, servedBy: [geteuid()])
            let params: JSONValue = [
                "connector_id": .string(connector.uuidString), "user_id": .string(user.uuidString),
            ]
            for method in ["open", "open_data_key", "refresh_token", "", "exchange_google_access_token2"]
            where !method.isEmpty {
                await Self.expectRefusal("UNKNOWN_METHOD") { try await socket.call(method, params) }
            }
            let refresh = try #require(await connected.google.account.refreshTokens.first)
            let answer = try await socket.call("exchange_google_access_token", params)
            #expect(!answer.compactText().contains(refresh))
            #expect(
                answer.objectValue?.keys.sorted() == [
                    "access_token", "expires_in", "granted_scopes", "measurement", "runtime",
                ])
            // Another user's id, and something that is not one.
            await Self.expectRefusal("CONNECTOR_NOT_FOUND") {
                try await connected.enclave.accessToken(of: connector, user: UUID())
            }
            await Self.expectRefusal("INVALID_FIELD") {
                try await socket.call("exchange_google_access_token", ["connector_id": "con_1", "user_id": "x"])
            }
            #expect(try await socket.call("revoke_google_connector_token", params) == ["revoked": true])
        }
    }

    @Test(
        "a dump of the database, its log and ours show no token and no code of Google's",
        arguments: AssistantStage.Store.all)
    func canaries(_ store: AssistantStage.Store) async throws {
        try await ConnectedStage.run(store) { connected in
            let stage = connected.stage
            let token = try await stage.accessToken()
            let (url, state) = try await connected.start(token)
            let code = try #require(try await connected.consent(url))
            // Refused ones are logged; the right one is stored.
            _ = try await connected.callback(token, code: "4/invented-code-canary", state: "invented-state-canary")
            let answer = try await connected.callback(token, code: code, state: state)
            let (user, connector) = try connected.ids(token, answer)
            let access = try await connected.enclave.accessToken(of: connector, user: user).token.revealed()
            let refresh = try #require(await connected.google.account.refreshTokens.first)
            let unused = try await connected.start(token).state
            _ = try await stage.send("DELETE", "/v1/connectors/con_x", token: token)

            var seen = Data(stage.logged.withLock { $0.joined(separator: "\n") }.utf8)
            seen.append(try await PrivacyWorkerTests.content(store, stage))
            let canaries = [
                code, state, unused, access, refresh, "4/invented-code-canary", "invented-state-canary",
                "mock-client-secret",
            ]
            for canary in canaries {
                let forms = [
                    canary, Data(canary.utf8).base64EncodedString(),
                    Data(canary.utf8).map { String(format: "%02x", $0) }.joined(),
                ]
                for form in forms { #expect(seen.range(of: Data(form.utf8)) == nil, "\(canary)") }
            }
            // The same search finds what the database and the log do hold.
            #expect(seen.range(of: Data("TOKEN_DECRYPT".utf8)) != nil)
            #expect(seen.range(of: Data("not a TEE".utf8)) != nil)
        }
    }

    static func expectRefusal<Value>(_ code: String, _ call: () async throws -> Value) async {
        let error = await #expect(throws: ProcessSocketError.self) { _ = try await call() }
        guard case .refused(code, _)? = error else {
            Issue.record("\(code) expected, not \(String(describing: error))")
            return
        }
    }
}
