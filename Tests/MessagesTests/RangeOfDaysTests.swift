import Clocks
import Encodings
import Testing

@testable import Messages

@Suite("Ranges of days")
struct RangeOfDaysTests {
    private static func request(_ from: String, _ to: String, _ kinds: String = "csv") throws -> DocumentsRequest {
        let body: JSONValue = [
            "type": "documents", "from": .string(from), "to": .string(to), "kinds": .array([.string(kinds)]),
        ]
        guard case .documents(let request) = try AgentRequestBody(json: body) else {
            throw BodyError.missing("documents")
        }
        return request
    }

    @Test(
        "a range is asked for month by month, and whole months have no days",
        arguments: [
            ("2025-01-15", "2025-03-10", ["2025-01-15 to 2025-01-31", "2025-02", "2025-03-01 to 2025-03-10"]),
            ("2025-01-15", "2025-01-20", ["2025-01-15 to 2025-01-20"]),
            ("2025-01-15", "2025-02", ["2025-01-15 to 2025-01-31", "2025-02"]),
            ("2025-01-01", "2025-02-28", ["2025-01", "2025-02"]),
            ("2024-02-01", "2024-02-28", ["2024-02-01 to 2024-02-28"]), ("2024-02-01", "2024-02-29", ["2024-02"]),
            ("2025-12-31", "2026-01-01", ["2025-12-31 to 2025-12-31", "2026-01-01 to 2026-01-01"]),
        ])
    func months(from: String, to: String, spans: [String]) throws {
        let selection = try Self.request(from, to).selection()
        #expect(selection.places.map(\.span) == spans)
        #expect(selection.hasDays == spans.contains { $0.contains(" to ") })
        // It reads back from an envelope as the same one.
        let again = try RequestSubject(type: "documents", parameters: RequestSubject.documents(selection).parameters)
        #expect(again == .documents(selection))
    }

    @Test("a request keeps its days in its own JSON, and one for months keeps its bytes")
    func body() throws {
        let days = try Self.request("2025-01-15", "2025-03-10")
        #expect(try Self.request("2025-01-15", "2025-03-10").json == days.json)
        #expect(days.json["from"]?.stringValue == "2025-01-15" && days.json["to"]?.stringValue == "2025-03-10")
        let months = try Self.request("2025-01-01", "2025-03-31")
        #expect(months == (try Self.request("2025-01", "2025-03")))
        #expect(
            String(
                decoding: try RequestSubject.documents(months.selection()).parameters.canonicalBytes(), as: UTF8.self)
                == #"{"kinds":["csv"],"periods":["2025-01","2025-02","2025-03"]}"#)
    }

    @Test(
        "days that do not exist or are out of order are refused",
        arguments: [
            ("2025-02-29", "2025-03", "“from” is not a month such as 2026-01, or a day such as 2026-01-15"),
            ("2025-1-15", "2025-03", "“from” is not a month such as 2026-01, or a day such as 2026-01-15"),
            ("2025-01-00", "2025-03", "“from” is not a month such as 2026-01, or a day such as 2026-01-15"),
            ("2025-01-15T", "2025-03", "“from” is longer than 10 characters"),
            ("2025-01-15", "2025-01-14", "“to” is before “from”"), ("2025-02", "2025-01-31", "“to” is before “from”"),
        ])
    func refused(from: String, to: String, message: String) {
        let error = #expect(throws: BodyError.self) { try Self.request(from, to) }
        #expect(error?.message == message)
    }

    @Test("a last day before the first one is refused, also one that a program sets")
    func lastDay() throws {
        var request = try Self.request("2025-01", "2025-01")
        request.lastDay = 0
        let error = #expect(throws: BodyError.self) { try request.selection() }
        #expect(error?.message == "“to” is before “from”")
    }

    @Test("the first day of a month is a range")
    func firstOfMonth() throws {
        var request = try Self.request("2025-01", "2025-01")
        request.lastDay = 1
        #expect(try request.selection().range == "2025-01-01 to 2025-01-01")
    }

    @Test("an offer has whole months")
    func offer() {
        let error = #expect(throws: BodyError.self) {
            try DocumentsRequest(offer: ["from": "2025-01-15", "to": "2025-03"])
        }
        #expect(error?.message == "“from” is a day; an offer has whole months such as 2026-01")
    }

    @Test(
        "an envelope's days have one form: a day of another month, a whole month, and days without a month are refused",
        arguments: [
            ["periods": ["2025-01", "2025-02"], "from": "2025-02-15"], ["periods": ["2025-01"], "from": "2025-01-01"],
            ["periods": ["2025-01"], "to": "2025-01-31"], ["periods": ["2025-01"], "from": "2025-01"],
            ["periods": ["2025-01"], "from": "2025-01-20", "to": "2025-01-10"], ["periods": ["2025-01"], "from": 15],
            ["periods": [], "from": "2025-01-15"], ["periods": ["2025-01"], "from": "2025-01-32"],
            [
                "periods": ["2025-01", "2025-02"], "from": "2025-01-15",
                "except": [["kind": "csv", "period": "2025-01"]],
            ],
        ] as [JSONValue])
    func oneForm(parameters: JSONValue) {
        var members = parameters.objectValue ?? [:]
        members["kinds"] = ["csv"]
        #expect(throws: MessageError.self) { try RequestSubject(type: "documents", parameters: .object(members)) }
    }

    @Test(
        "a place with days out of its month reads as none",
        arguments: [
            ["from": "2025-02-01", "to": "2025-02-10"], ["from": "2025-02-05", "to": "2025-01-20"],
            ["from": "2025-01-05", "to": "2025-02-20"], ["from": "2025-01-01"], ["to": "2025-01-10"],
            ["from": "2025-01-01", "to": "2025-01-31"], ["from": "2025-01-20", "to": "2025-01-10"],
        ] as [JSONValue])
    func place(days: JSONValue) {
        let members = ["kind": "csv", "period": "2025-01"].merging(days.objectValue ?? [:]) { $1 }
        #expect(DocumentPlace(json: .object(members)) == nil)
    }

    @Test("a place that leaves out one day, the first or the last, reads back", arguments: [2...31, 1...30])
    func allButOne(days: ClosedRange<Int>) {
        let place = DocumentPlace(period: MonthYear("2025-01")!, kind: .csv, days: days)
        #expect(place.days == days && DocumentPlace(json: place.json) == place)
    }
}
