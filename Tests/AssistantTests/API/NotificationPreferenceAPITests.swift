import Encodings
import Foundation
import TestServers
import Testing

@testable import Assistant

@Suite("The wishes about notices") struct NotificationPreferenceAPITests {
    private static let path = "/v1/preferences/notifications"

    @Test("begin with what discloses least, and are changed one by one", arguments: AssistantStage.Store.all)
    func changed(_ store: AssistantStage.Store) async throws {
        try await AssistantStage(store).run { stage in
            let token = try await stage.accessToken()
            func stored() async throws -> JSONValue { try await stage.send("GET", Self.path, token: token).json }
            var wanted: [String: JSONValue] = [
                "show_details": false, "reminders_in_quiet_hours": false, "marked_senders": [], "urgent_mail": true,
            ]
            #expect(try await stored() == .object(wanted))
            let changes: [[String: JSONValue]] = [
                ["show_details": true],
                ["marked_senders": ["ada@provider.net", "@work.example"], "urgent_mail": false],
                ["reminders_in_quiet_hours": true], ["urgent_mail": true], [:], ["marked_senders": []],
            ]
            for change in changes {
                let answer = try await stage.send("PUT", Self.path, token: token, .object(change))
                #expect(answer.json == ["ok": true])
                wanted.merge(change) { $1 }
                #expect(try await stored() == .object(wanted))
            }
            let other = try await stage.accessToken("other")
            #expect(try await stage.send("GET", Self.path, token: other).json["show_details"] == false)
            let events = try await stage.send("GET", "/v1/audit-events", token: token).json["items"]?.arrayValue ?? []
            #expect(events.count { $0["event_type"] == "PREFERENCES_CHANGED" } == changes.count)
            #expect(events[0]["metadata"] == ["part": "notifications"])
        }
    }

    @Test("senders are kept in small letters and once; rules have a switch each")
    func forms() async throws {
        try await AssistantStage().run { stage in
            let token = try await stage.accessToken()
            _ = try await stage.send(
                "PUT", Self.path, token: token,
                [
                    "marked_senders": ["Ada@Provider.NET", "ada@provider.net"],
                    "urgent_mail": ["deadlines": false, "replies": true],
                ])
            let stored = try await stage.send("GET", Self.path, token: token).json
            #expect(stored["marked_senders"] == ["ada@provider.net"])
            #expect(
                stored["urgent_mail"] == [
                    "correspondents": true, "marked_senders": true, "importance": true, "deadlines": false,
                    "replies": true,
                ])
        }
    }

    static let wrong: [(String, JSONValue)] = [
        ("show_details", "yes"), ("show_details", .null), ("reminders_in_quiet_hours", 1), ("urgent_mail", "all"),
        ("urgent_mail", ["unknown": true]), ("urgent_mail", ["replies": 1]), ("urgent_mail", .null),
        ("marked_senders", "ada@provider.net"), ("marked_senders", ["ada"]), ("marked_senders", ["a@b c"]),
        ("marked_senders", [1]), ("marked_senders", [""]), ("marked_senders", ["a@b\u{0}"]),
        ("marked_senders", ["Ada <ada@provider.net>"]), ("marked_senders", ["a@"]), ("marked_senders", ["a@b@c"]),
        ("marked_senders", .array((0...100).map { .string("a\($0)@b.net") })),
        ("marked_senders", [.string(String(repeating: "a", count: 250) + "@b.net")]),
    ]

    @Test("a wrong member is refused by name, and nothing changes", arguments: wrong)
    func refused(_ name: String, _ value: JSONValue) async throws {
        try await AssistantStage().run { stage in
            let token = try await stage.accessToken()
            let before = try await stage.send("GET", Self.path, token: token).json
            let answer = try await stage.send(
                "PUT", Self.path, token: token, ["show_details": true, name: value])
            #expect(answer.status == 400 && answer.code == "INVALID_FIELD")
            #expect(try answer.text("error_message").contains(name))
            #expect(try await stage.send("GET", Self.path, token: token).json == before)
        }
    }

    @Test("the senders are sealed", arguments: AssistantStage.Store.all)
    func sealed(_ store: AssistantStage.Store) async throws {
        try await AssistantStage(store).run { stage in
            let token = try await stage.accessToken()
            _ = try await stage.send(
                "PUT", Self.path, token: token, ["marked_senders": ["canary-of-senders@provider.net"]])
            var seen = Data(stage.logged.withLock { $0.joined() }.utf8)
            switch store {
            case .postgres: seen.append(try await LoopbackPostgres.dump(stage.configuration.databaseURL))
            case .sqlite:
                let file = String(stage.configuration.databaseURL.dropFirst("sqlite:".count))
                for path in [file, file + "-wal"] { seen.append(try Data(contentsOf: URL(filePath: path))) }
            }
            #expect(seen.range(of: Data("canary-of-senders".utf8)) == nil)
            #expect(seen.range(of: Data("PREFERENCES_CHANGED".utf8)) != nil)
        }
    }
}
