import Clocks
import Encodings
import Foundation
import Testing

@testable import AssistantJobs

@Suite("Composition of a brief") struct BriefCompositionTests {
    private static func moment(_ time: String) throws -> Date {
        try #require(Timestamp("2026-11-25T\(time):00Z")).date
    }

    private static func quiet(_ start: String, _ end: String) throws -> QuietTimes {
        QuietTimes(start: try #require(LocalTimeOfDay(start)), end: try #require(LocalTimeOfDay(end)))
    }

    /// Meetings as `09:00-10:00`, the quiet times, now, and the free blocks.
    struct FreeCase: Sendable, CustomTestStringConvertible {
        let meetings: [String]
        var quiet = ("22:00", "07:00")
        var now = "08:00"
        let free: [String]
        var testDescription: String { "\(meetings), quiet \(quiet), at \(now)" }

        static let all = [
            FreeCase(meetings: [], free: ["08:00-22:00"]),
            FreeCase(meetings: ["09:00-10:00"], free: ["08:00-09:00", "10:00-22:00"]),
            FreeCase(meetings: ["09:00-10:00", "09:30-11:00"], free: ["08:00-09:00", "11:00-22:00"]),
            FreeCase(meetings: ["09:00-12:00", "10:00-11:00"], free: ["08:00-09:00", "12:00-22:00"]),
            // A gap of 29 minutes is too short, one of 30 is not.
            FreeCase(meetings: ["08:29-10:00", "10:30-21:31"], free: ["10:00-10:30"]),
            FreeCase(meetings: ["08:30-21:31"], free: ["08:00-08:30"]),
            // One that is under way, and one that is over.
            FreeCase(meetings: ["06:00-07:00", "07:30-08:30"], free: ["08:30-22:00"]),
            FreeCase(meetings: ["20:00-23:00"], free: ["08:00-20:00"]),
            FreeCase(meetings: ["22:30-23:30"], free: ["08:00-22:00"]),
            FreeCase(meetings: [], quiet: ("01:00", "06:00"), now: "00:10", free: ["00:10-01:00", "06:00-24:00"]),
            FreeCase(
                meetings: ["00:20-06:30"], quiet: ("01:00", "06:00"), now: "00:10", free: ["06:30-24:00"]),
            FreeCase(meetings: ["09:00-10:00"], quiet: ("22:00", "22:00"), free: ["08:00-09:00", "10:00-24:00"]),
            FreeCase(meetings: [], now: "23:00", free: []),
            FreeCase(meetings: ["10:00-10:00"], free: ["08:00-10:00", "10:00-22:00"]),
        ]
    }

    @Test("finds the free blocks of the rest of the day", arguments: FreeCase.all)
    func free(_ example: FreeCase) throws {
        var sources = BriefSources()
        sources.meetings = try example.meetings.map {
            let times = $0.split(separator: "-").map(String.init)
            return Brief.Meeting(title: "M", start: try Self.moment(times[0]), end: try Self.moment(times[1]))
        }
        let composition = BriefComposition(
            at: try Self.moment(example.now), in: .gmt, quiet: try Self.quiet(example.quiet.0, example.quiet.1))
        let midnight = try #require(Timestamp("2026-11-26T00:00:00Z")).date
        func text(_ date: Date) -> String {
            date == midnight ? "24:00" : String(Timestamp(date).description.dropFirst(11).prefix(5))
        }
        let blocks = composition.brief(of: sources).free
        #expect(blocks.map { "\(text($0.start))-\(text($0.end))" } == example.free)
    }

    @Test("the day is that of the user's zone, also when clocks change")
    func days() throws {
        let vienna = try #require(TimeZone(identifier: "Europe/Vienna"))
        let quiet = try Self.quiet("22:00", "07:00")
        for (now, end, last) in [
            ("2026-03-29T05:00:00Z", "2026-03-29T22:00:00Z", "2026-03-29T20:00:00Z"),
            ("2026-10-25T06:00:00Z", "2026-10-25T23:00:00Z", "2026-10-25T21:00:00Z"),
        ] {
            let composition = BriefComposition(at: try #require(Timestamp(now)).date, in: vienna, quiet: quiet)
            #expect(Timestamp(composition.window.end) == Timestamp(end))
            #expect(composition.brief(of: BriefSources()).free.map { Timestamp($0.end) } == [Timestamp(last)])
        }
    }

    @Test("has the fields of the interface, in order and cleaned")
    func fields() throws {
        let now = try Self.moment("08:00")
        var sources = BriefSources()
        sources.meetings = [
            Brief.Meeting(title: "Late", start: try Self.moment("15:00"), end: try Self.moment("16:00")),
            Brief.Meeting(title: "Early\u{202E}\n", start: try Self.moment("09:00"), end: try Self.moment("15:00")),
            Brief.Meeting(title: "Tomorrow", start: now.addingTimeInterval(86_400), end: .distantFuture),
            Brief.Meeting(title: "Over", start: try Self.moment("05:00"), end: try Self.moment("06:00")),
        ]
        sources.urgentMail = [
            Brief.UrgentMail(from: "Ann <a@x.example>", subject: "Old", receivedAt: now.addingTimeInterval(-90_000)),
            Brief.UrgentMail(from: "Ann <a@x.example>", subject: "A\u{7}", receivedAt: now.addingTimeInterval(-600)),
            Brief.UrgentMail(from: "Bo", subject: "B", receivedAt: now.addingTimeInterval(-60)),
        ]
        let id = UUID()
        sources.statements = [
            Brief.Statement(
                id: id, month: try #require(MonthYear("2026-10")), bank: "Meridian Savings", status: .arrived)
        ]
        let brief = BriefComposition(at: now, in: .gmt, quiet: try Self.quiet("22:00", "07:00")).brief(of: sources)
        #expect(brief.json["consents"] == nil)
        sources.consents = [
            Brief.Consent(bank: "West", end: now.addingTimeInterval(86_400), hasEnded: false),
            Brief.Consent(bank: "North\u{202E}", end: now, hasEnded: true),
        ]
        let ending = BriefComposition(at: now, in: .gmt, quiet: try Self.quiet("22:00", "07:00")).brief(of: sources)
        #expect(
            ending.json["consents"] == [
                ["bank": "North", "status": "ENDED", "end": "2026-11-25T08:00:00.000Z"],
                ["bank": "West", "status": "ENDS", "end": "2026-11-26T08:00:00.000Z"],
            ])
        #expect(
            brief.json == [
                "meetings": [
                    [
                        "title": "Early", "start": "2026-11-25T09:00:00.000Z", "end": "2026-11-25T15:00:00.000Z",
                    ],
                    ["title": "Late", "start": "2026-11-25T15:00:00.000Z", "end": "2026-11-25T16:00:00.000Z"],
                ],
                "free": [
                    ["start": "2026-11-25T08:00:00.000Z", "end": "2026-11-25T09:00:00.000Z"],
                    ["start": "2026-11-25T16:00:00.000Z", "end": "2026-11-25T22:00:00.000Z"],
                ],
                "urgent_mail": [
                    ["from": "Bo", "subject": "B", "received_at": "2026-11-25T07:59:00.000Z"],
                    ["from": "Ann <a@x.example>", "subject": "A", "received_at": "2026-11-25T07:50:00.000Z"],
                ],
                "statements": [
                    [
                        "id": .string(id.uuidString.lowercased()), "month": "2026-10", "bank": "Meridian Savings",
                        "status": "ARRIVED",
                    ]
                ],
            ])
    }
}
