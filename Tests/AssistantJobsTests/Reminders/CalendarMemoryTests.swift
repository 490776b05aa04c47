import AssistantProcesses
import AssistantStore
import Clocks
import CurlClient
import Encodings
import Foundation
import Machine
import Notifications
import Secrets
import Testing

@testable import AssistantJobs

@Suite("What is kept of calendars", .timeLimit(.minutes(3))) struct CalendarMemoryTests {
    private static let now = moment("2026-05-04T08:00:00Z")

    private static func client(_ google: ScriptedGoogle) -> CalendarClient {
        CalendarClient(GoogleAPI(token: Secret("an-access-token-of-a-script"), over: google, tries: 1))
    }

    private static func event(_ id: String, hours: Double) -> JSONValue {
        let start = Timestamp(now + hours * 3600)
        return [
            "id": .string(id), "status": "confirmed", "start": ["dateTime": .string(start.description)],
            "end": ["dateTime": .string(Timestamp(start.date + 900).description)],
        ]
    }

    private static func google(team status: Int, _ body: JSONValue? = nil, hours: Double = 1) -> ScriptedGoogle {
        ScriptedGoogle { url in
            if url.contains("/calendarList") {
                return (200, ["items": [["id": "team", "accessRole": "reader", "selected": true]]])
            }
            if url.contains("/calendars/team/") {
                return (status, body ?? ["items": [event("t", hours: 2)], "nextSyncToken": "t1"])
            }
            return (200, ["items": [event("p", hours: hours)], "nextSyncToken": "p1"])
        }
    }

    @Test(
        "a calendar that cannot be read holds no other one up; what is known of it stays",
        arguments: [(403, true), (400, true), (500, true), (503, true), (404, false), (410, true)])
    func secondary(_ status: Int, _ stays: Bool) async throws {
        var memory = CalendarMemory()
        _ = try await memory.read(Self.client(Self.google(team: 200)), at: Self.now)
        #expect(memory.calendars["team"]?.meetings.keys.sorted() == ["t"])
        _ = try await memory.read(Self.client(Self.google(team: status, [:], hours: 3)), at: Self.now + 60)
        #expect(memory.calendars["primary"]?.meetings["p"]?.start == Self.now + 3 * 3600)
        #expect(memory.calendars["team"]?.meetings.keys.sorted() == (stays ? ["t"] : nil))
    }

    @Test("an answer of another form does no harm to the other calendars")
    func malformed() async throws {
        var memory = CalendarMemory()
        _ = try await memory.read(Self.client(Self.google(team: 200, .null)), at: Self.now)
        #expect(memory.calendars["primary"]?.meetings.keys.sorted() == ["p"])
    }

    @Test("an answer that concerns every calendar ends the look", arguments: [401, 429])
    func all(_ status: Int) async throws {
        var memory = CalendarMemory()
        await #expect(throws: GoogleError.self) {
            _ = try await memory.read(Self.client(Self.google(team: status, [:])), at: Self.now)
        }
    }

    @Test("the memory is sealed for its user, and what cannot be opened counts as nothing")
    func sealing() async throws {
        let stage = try await ReminderStage()
        var memory = CalendarMemory()
        _ = try await memory.read(Self.client(Self.google(team: 200)), at: Self.now)
        memory.lead = 15
        let user = UUID()
        let sealed = try memory.sealed(stage.keys, of: user)
        #expect(CalendarMemory(sealed, stage.keys, of: user) == memory)
        #expect(CalendarMemory(sealed, stage.keys, of: UUID()) == CalendarMemory())
        #expect(CalendarMemory(nil, stage.keys, of: user) == CalendarMemory())
    }

    @Test("a title that does not come in time is left out, though the exchange of tokens hangs")
    func hangingTitle() async throws {
        let stage = try await ReminderStage()
        let user = try await stage.user()
        #expect(
            try await stage.database.notificationPreferences.change(
                of: user, recording: NewAuditEvent("PREFERENCES_CHANGED"), at: stage.now
            ) { $0.showsDetails = true })
        let transports = GoogleTransports(limit: 1) { Self.google(team: 200) }
        let google = GoogleAccess(
            database: stage.database, enclave: HangingEnclave(), endpoints: GoogleEndpoints(), transports: transports,
            notices: stage.devices)
        let titles = GoogleTitles(google, over: transports, stage.database, stage.keys, limit: .milliseconds(50))
        let reminder = Reminder(calendar: "primary", event: "p", start: stage.now + 3600, planned: stage.now)
        #expect(await titles.title(of: reminder, user, at: stage.now) == nil)
    }
}

/// Answers by address.
private struct ScriptedGoogle: HTTPTransport {
    let answer: @Sendable (String) -> (Int, JSONValue)

    init(_ answer: @escaping @Sendable (String) -> (Int, JSONValue)) {
        self.answer = answer
    }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let (status, body) = answer(request.url)
        let timings = HTTPTimings(connected: .zero, firstByte: .zero, total: .zero)
        return HTTPResponse(
            head: HTTPResponseHead(status: status, url: request.url, version: "1.1", headers: [], timings: timings),
            body: body.compactBytes())
    }

    func download(_ request: HTTPRequest, to file: URL, limit: Int?) async throws -> HTTPDownload {
        throw CancellationError()
    }

    func cookies() async -> [HTTPCookie] { [] }
    func close() async {}
}

/// An enclave whose exchange goes on when its caller no longer waits.
private struct HangingEnclave: AccessTokenMinting {
    func accessToken(of connector: UUID, user: UUID) async throws(ProcessSocketError) -> EnclaveClient.Access {
        await Task { try? await Task.sleep(for: .seconds(30)) }.value
        throw .tooSlow
    }
}
