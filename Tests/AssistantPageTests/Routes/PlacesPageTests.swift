import Assistant
import AssistantProcesses
import Clocks
import Encodings
import Foundation
import HTTPTypes
import Testing

@testable import AssistantPage

@Suite("The places of the assistant's pages") struct PlacesPageTests {
    private static let hostile = "<img src=x onerror=alert(1)>\u{202E}\""

    @Test("the first page tells what to do first, and what waits")
    func today() async throws {
        let stage = PagesStage()
        #expect(try await stage.send(.get, "/", stage.session()).text.contains("Connect Google first"))
        stage.api.answer(
            "GET /v1/connectors",
            (
                200,
                [
                    "items": [
                        [
                            "connector_id": "con_1", "provider": "google", "status": "NEEDS_RECONNECT",
                            "message": "it is over",
                        ]
                    ]
                ]
            ))
        stage.api.answer(
            "GET /v1/confirmations",
            (200, ["items": [["id": "c-1", "kind": "STATEMENT", "title": .string(Self.hostile)]]]))
        let page = try await stage.send(.get, "/", stage.session()).text
        #expect(page.contains("Google ended the connection") && page.contains("It is over."))
        #expect(page.contains("15 minutes before each meeting") && page.contains("22:00 to 07:00"))
        #expect(page.contains("action=\"/confirmations/c-1\""))
        #expect(page.contains("&lt;img src=x onerror=alert(1)&gt;") && !page.contains("<img src=x"))
    }

    @Test("equal quiet times mean no quiet hours")
    func quiet() {
        #expect(PageViews.quietHours(["quiet_hours_start": "08:00", "quiet_hours_end": "08:00"]) == nil)
        #expect(PageViews.quietHours(["quiet_hours_start": "22:00", "quiet_hours_end": "07:00"]) == "22:00 to 07:00")
    }

    @Test(
        "minutes in words",
        arguments: [
            (0, "when a meeting begins"), (1, "1 minute before each meeting"), (59, "59 minutes before each meeting"),
            (60, "1 hour before each meeting"), (90, "90 minutes before each meeting"),
            (120, "2 hours before each meeting"),
        ])
    func minutes(count: Int, words: String) {
        #expect(PageViews.reminder(count) == words)
    }

    // MARK: Connections

    @Test("a connection shows what was granted and what was not, and how to make it again")
    func connections() async throws {
        let stage = PagesStage { configuration in
            configuration.google = GoogleSettings(clientID: "client")
            configuration.google?.redirectURIs = ["https://assistant.example/connections/google/callback"]
        }
        stage.api.answer(
            "GET /v1/connectors",
            (
                200,
                [
                    "items": [
                        ["connector_id": "con_0", "provider": "google", "status": "REVOKED"],
                        [
                            "connector_id": "con_1", "provider": "google", "status": "ACTIVE",
                            "granted_scopes": ["calendar.readonly"], "missing_scopes": ["gmail.readonly"],
                            "created_at": "2026-11-25T10:00:00Z",
                        ],
                    ]
                ]
            ))
        let page = try await stage.send(.get, "/connections", stage.session()).text
        #expect(page.contains("Read your calendar") && page.contains("What you did not allow"))
        #expect(page.contains("Connect again, and allow more") && !page.contains("con_0"))
        #expect(page.contains("action=\"/connections/con_1/end\""))
    }

    @Test("without an allowed address for Google's way back, the page says that its operator has to do something first")
    func noCallback() async throws {
        let stage = PagesStage { $0.google = GoogleSettings(clientID: "client") }
        let page = try await stage.send(.get, "/connections", stage.session()).text
        #expect(page.contains("The operator of this assistant has to set something up"))
        #expect(!page.contains("ASSISTANT_"), "the variables are the operator's")
        #expect(!page.contains("class=\"main connect\""))
        #expect(try await stage.send(.post, "/connections/google/start", stage.session(), json: [:]).status == 404)
    }

    @Test("Google's answer goes to the API, and leaves the address bar")
    func callback() async throws {
        let stage = PagesStage()
        stage.api.answer(
            "POST /v1/connectors/google/callback", (200, ["status": "ACTIVE"]),
            (400, ["error_code": "CONSENT_DENIED", "error_message": "the user did not consent"]),
            (400, ["error_code": "INVALID_STATE", "error_message": "“state” is unknown"]))
        let done = try await stage.send(
            .get, "/connections/google/callback?state=s%2B1&code=4%2Fx&scope=a+b", stage.session())
        #expect(done.status == 303 && done.headers[.location] == "/connections?connected=yes")
        #expect(stage.api.calls.map(\.body) == [["state": "s+1", "code": "4/x"]])
        let denied = try await stage.send(
            .get, "/connections/google/callback?state=s&error=access_denied", stage.session())
        #expect(denied.status == 400 && denied.text.contains("Nothing was connected."))
        let forged = try await stage.send(.get, "/connections/google/callback?state=x&code=c", stage.session())
        #expect(forged.status == 400 && forged.text.contains("Connect once more."))
    }

    // MARK: Settings

    @Test("preferences go to the API; a refusal names the field, and keeps what was typed")
    func preferences() async throws {
        let stage = PagesStage()
        stage.api.answer(
            "PUT /v1/preferences", (200, ["ok": true]),
            (400, ["error_code": "INVALID_FIELD", "error_message": "“time_zone” must be a time zone's name"]))
        let form = [
            "minutes": "10", "brief": "07:30", "quiet-start": "23:00", "quiet-end": "06:30", "zone": "Mars/Base",
        ]
        let stored = try await stage.send(.post, "/settings/preferences", stage.session(), form: form)
        #expect(stored.status == 303)
        #expect(
            stage.api.calls.last?.body == [
                "meeting_reminder_minutes": 10, "morning_brief_local_time": "07:30", "quiet_hours_start": "23:00",
                "quiet_hours_end": "06:30", "high_risk_requires_confirm": false, "time_zone": "Mars/Base",
            ])
        let refused = try await stage.send(.post, "/settings/preferences", stage.session(), form: form)
        #expect(refused.status == 400 && refused.text.contains("“Time zone” must be a time zone"))
        #expect(refused.text.contains("value=\"Mars/Base\"") && refused.text.contains("value=\"07:30\""))
    }

    @Test("the choices for notices go to the API")
    func notices() async throws {
        let stage = PagesStage()
        stage.api.answer("PUT /v1/preferences/notifications", (200, ["ok": true]))
        let form = ["details": "on", "rule-replies": "on", "senders": " ann@example.com\r\n\r\nbob@example.com"]
        #expect(try await stage.send(.post, "/settings/notices", stage.session(), form: form).status == 303)
        #expect(
            stage.api.calls.last?.body == [
                "show_details": true, "reminders_in_quiet_hours": false,
                "urgent_mail": [
                    "marked_senders": false, "correspondents": false, "replies": true, "importance": false,
                    "deadlines": false,
                ],
                "marked_senders": ["ann@example.com", "bob@example.com"],
            ])
    }

    @Test("one switch for all urgent mail and one for each rule are both shown as they are")
    func rules() throws {
        for (stored, expected) in [
            (true as JSONValue, [true, true, true, true, true]), (false, [false, false, false, false, false]),
            (
                [
                    "replies": true, "deadlines": false, "importance": false, "correspondents": false,
                    "marked_senders": false,
                ], [false, false, true, false, false]
            ),
        ] {
            let rules = try #require(
                PageViews.noticePreferences(["urgent_mail": stored])["rules"] as? [[String: Any]])
            #expect(rules.map { $0["on"] as? Bool } == expected)
        }
    }

    @Test("this browser subscribes as its own device, whatever its script says")
    func subscribe() async throws {
        let stage = PagesStage()
        stage.api.answer("POST /v1/devices/webpush", (200, ["ok": true]))
        let answer = try await stage.send(
            .post, "/notifications", stage.session(),
            json: ["subscription": ["endpoint": "https://push.example/1"], "device_id": "phone"]
        ) { $0[.cookie] = ($0[.cookie] ?? "") + "; __Host-assistant-device=web-0123456789abcdefghijkl" }
        #expect(answer.status == 200)
        #expect(
            stage.api.calls.map(\.body) == [
                [
                    "device_id": "web-0123456789abcdefghijkl",
                    "subscription": ["endpoint": "https://push.example/1"],
                ]
            ])
    }

    // MARK: Notices

    @Test("a brief is fetched by the page's script only, since the API gives it once")
    func brief() async throws {
        let stage = PagesStage()
        stage.api.answer(
            "GET /v1/briefs/b-1",
            (
                200,
                [
                    "meetings": [
                        [
                            "title": .string(Self.hostile), "start": "2026-11-25T08:00:00Z",
                            "end": "2026-11-25T08:30:00Z",
                        ]
                    ],
                    "free": [["start": "2026-11-25T08:30:00Z", "end": "2026-11-25T11:00:00Z"]],
                    "urgent_mail": [
                        ["from": "Ann", "subject": "Sign today", "received_at": "2026-11-25T05:00:00Z"]
                    ],
                    "statements": [["bank": "", "month": "2026-10", "status": "WAITS_FOR_CONFIRMATION"]],
                ]
            ), (404, ["error_code": "BRIEF_NOT_FOUND", "error_message": "gone"]))
        let shell = try await stage.send(.get, "/briefs/b-1", stage.session())
        #expect(shell.status == 200 && shell.text.contains("data-id=\"b-1\""))
        #expect(stage.api.calls.isEmpty, "looking at the address does not use the brief up")

        let opened = try await stage.send(.post, "/briefs/b-1/open", stage.session(), json: [:])
        #expect(opened.headers[.cacheControl] == "no-store")
        let html = try #require(opened.json["html"]?.stringValue)
        // Vienna is an hour ahead of UTC in November.
        #expect(html.contains("09:00–09:30") && html.contains("09:30–12:00"))
        #expect(html.contains("06:00") && html.contains("Sign today"))
        #expect(html.contains("Your bank, October 2026"))
        #expect(html.contains("&lt;img") && !html.contains("<img"))

        let again = try await stage.send(.post, "/briefs/b-1/open", stage.session(), json: [:])
        #expect(again.status == 200 && again.text.contains("This brief is gone"))
    }

    @Test("an alert shows sender and subject as data, and takes the person's judgement")
    func alert() async throws {
        let stage = PagesStage()
        stage.api.answer(
            "GET /v1/alerts/a-1",
            (
                200,
                [
                    "id": "a-1", "from": "Ann", "subject": .string(Self.hostile),
                    "received_at": "2026-11-25T05:00:00Z", "rules": ["marked_senders", "replies"], "urgent": .null,
                ]
            ))
        stage.api.answer("POST /v1/alerts/a-1/feedback", (200, ["ok": true]))
        let page = try await stage.send(.get, "/alerts/a-1", stage.session()).text
        #expect(page.contains("<bdi>&lt;img") && page.contains("you marked its sender, it answers your mail"))
        let answered = try await stage.send(.post, "/alerts/a-1/feedback", stage.session(), form: ["urgent": "no"])
        #expect(answered.status == 303)
        #expect(stage.api.calls.last?.body == ["urgent": false])
        #expect(
            try await stage.send(.post, "/alerts/a-1/feedback", stage.session(), form: ["urgent": "perhaps"]).status
                == 400)
        #expect(try await stage.send(.get, "/alerts/gone", stage.session()).text.contains("not kept any more"))
    }

    /// - Parameter hours: the time since the mail came.
    private static func alert(_ id: String, hours: Double, urgent: JSONValue = .null) -> JSONValue {
        let received = Timestamp(PagesStage.now.addingTimeInterval(-3600 * hours)).description
        return [
            "id": .string(id), "from": "Ann", "subject": .string("\(id) \(hostile)"), "received_at": .string(received),
            "rules": ["deadlines"], "urgent": urgent,
        ]
    }

    @Test("the first page lists the urgent mail of the last day, and takes a judgement of each")
    func alertsOfToday() async throws {
        let stage = PagesStage()
        #expect(try await !stage.send(.get, "/", stage.session()).text.contains("Urgent mail"))
        stage.api.answer(
            "GET /v1/alerts?limit=20",
            (
                200,
                [
                    "items": [
                        Self.alert("a-1", hours: 1), Self.alert("a-2", hours: 23, urgent: false),
                        Self.alert("a-3", hours: 25),
                    ], "next_cursor": "more",
                ]
            ))
        let page = try await stage.send(.get, "/", stage.session()).text
        #expect(page.contains("href=\"/alerts/a-1\"") && page.contains("action=\"/alerts/a-1/feedback\""))
        #expect(page.contains("href=\"/alerts/a-2\"") && page.contains("it was not urgent"))
        #expect(!page.contains("action=\"/alerts/a-2/feedback\"") && !page.contains("a-3"))
        #expect(page.contains("a-1 &lt;img") && !page.contains("<img src=x"))

        stage.api.answer("POST /v1/alerts/a-1/feedback", (200, ["ok": true]))
        for (back, place) in [("/", "/"), ("/alerts", "/alerts"), ("https://other.example/", "/")] {
            let answer = try await stage.send(
                .post, "/alerts/a-1/feedback", stage.session(), form: ["urgent": "yes", "back": back])
            #expect(answer.status == 303 && answer.headers[.location] == place)
            #expect(stage.api.calls.last?.body == ["urgent": true])
        }
    }

    @Test("all alerts are listed page by page")
    func allAlerts() async throws {
        let stage = PagesStage()
        stage.api.answer(
            "GET /v1/alerts?limit=50",
            (200, ["items": [Self.alert("a-1", hours: 100)], "next_cursor": "c-2_x"]))
        stage.api.answer("GET /v1/alerts?limit=50&cursor=c%2D2%5Fx", (200, ["items": [], "next_cursor": .null]))
        let first = try await stage.send(.get, "/alerts", stage.session()).text
        #expect(first.contains("a-1 &lt;img") && first.contains("href=\"/alerts?cursor=c-2_x\""))
        let second = try await stage.send(.get, "/alerts?cursor=c-2_x", stage.session()).text
        #expect(second.contains("No urgent mail yet.") && second.contains("Back to the latest"))
    }

    @Test("a decision goes to the API as it was made")
    func decisions() async throws {
        let stage = PagesStage()
        stage.api.answer("POST /v1/confirmations/c-1", (200, ["ok": true]))
        for (decision, approves) in [("approve", true), ("decline", false)] {
            let answer = try await stage.send(
                .post, "/confirmations/c-1", stage.session(), form: ["decision": decision])
            #expect(answer.status == 303)
            #expect(stage.api.calls.last?.body == ["approve": .bool(approves)])
        }
        #expect(
            try await stage.send(.post, "/confirmations/c-1", stage.session(), form: ["decision": "x"]).status == 400)
        #expect(
            try await stage.send(.post, "/confirmations/..%2Fc", stage.session(), form: ["decision": "approve"]).status
                == 404)
        #expect(stage.api.calls.count == 2)
    }

    // MARK: Data

    @Test("the log says in words what was done, and goes on page by page")
    func audit() async throws {
        let stage = PagesStage()
        stage.api.answer(
            "GET /v1/audit-events?limit=50",
            (
                200,
                [
                    "items": [
                        [
                            "event_type": "CONNECTOR_FETCH", "result": "SUCCESS", "timestamp": "2026-11-25T10:00:00Z",
                            "metadata": ["source": "calendar"],
                        ],
                        [
                            "event_type": "TOKEN_DECRYPT", "result": "DENIED", "timestamp": "2026-11-25T10:00:00Z",
                            "metadata": ["reason": "EVIDENCE_STALE"],
                        ],
                        ["event_type": "SOMETHING_NEW", "result": "SUCCESS", "metadata": [:]],
                    ], "next_cursor": "a_b",
                ]
            ))
        stage.api.answer("GET /v1/audit-events?limit=50&cursor=a%5Fb", (200, ["items": [], "next_cursor": .null]))
        let page = try await stage.send(.get, "/data", stage.session()).text
        #expect(page.contains("The assistant read your calendar") && page.contains("refused: EVIDENCE_STALE"))
        #expect(page.contains("Something new"))
        #expect(page.contains("Delete everything") && page.contains("cursor=a_b"))
        let next = try await stage.send(.get, "/data?cursor=a_b", stage.session())
        #expect(next.text.contains("Nothing more.") && !next.text.contains("Delete everything"))
    }

    @Test(
        "only what failed or was refused is marked in the log",
        arguments: [
            ("CONFIRMATION_DECIDED", "DENIED", nil, "You declined what waited for you"),
            ("CONFIRMATION_DECIDED", "APPROVED", nil, "You approved what waited for you"),
            ("STATEMENT_OFFERED", "WAITS", nil, "A statement can be asked for; it waits for you"),
            ("STATEMENT_OFFERED", "APPROVED", nil, "The assistant may ask for a statement"),
            ("STATEMENT_REQUEST_ENDED", "FAILURE", "failed", "A statement that was asked for did not come"),
            ("TOKEN_DECRYPT", "DENIED", "refused", "The key for your connection to Google was used"),
            ("CONNECTOR_FETCH", "SUCCESS", nil, "The assistant read your calendar"),
        ] as [(String, String, String?, String)])
    func marks(type: String, result: String, mark: String?, words: String) {
        let event = PageViews.event(["event_type": .string(type), "result": .string(result), "metadata": [:]])
        #expect((event["mark"] as? [String: String])?["word"] == mark)
        #expect(event["sentence"] as? String == words)
    }

    @Test("the export is a file of the API's own bytes")
    func export() async throws {
        let stage = PagesStage()
        stage.api.answer("GET /v1/privacy/export", (200, ["user": ["time_zone": "UTC"]]))
        let answer = try await stage.send(.get, "/data/export", stage.session())
        #expect(answer.json == ["user": ["time_zone": "UTC"]])
        #expect(answer.headers[.contentDisposition] == "attachment; filename=\"assistant-export.json\"")
    }

    @Test("everything is deleted only with the box ticked; the browser forgets the session and what it has stored")
    func deleteAll() async throws {
        let stage = PagesStage()
        stage.api.answer("POST /v1/privacy/delete-all", (202, ["request_id": "del_12", "status": "QUEUED"]))
        #expect(try await stage.send(.post, "/data/delete", stage.session()).status == 400)
        #expect(stage.api.calls.isEmpty)
        let answer = try await stage.send(.post, "/data/delete", stage.session(), form: ["understood": "on"])
        #expect(answer.status == 303 && answer.headers[.location] == "/deleted/del_12")
        #expect(answer.headers[.clearSiteData] == "\"storage\"")
        #expect(answer.cookies.contains { $0.hasPrefix("__Host-assistant-session=;") })
        let page = try await stage.send(.get, "/deleted/del_12")
        #expect(page.status == 200 && page.text.contains("data-id=\"del_12\""))
        #expect(page.text.contains("One record without your name stays"))
        #expect(page.text.contains("href=\"/\">To the sign-in</a>"), "the way on")
    }
}
