import Clocks
import Foundation
import Testing

@testable import AssistantJobs

/// A moment, a place and a wish, and when the brief comes next.
struct DeliveryCase: Sendable, CustomTestStringConvertible {
    let after: String
    let zone: String
    let time: String
    let next: String

    init(_ after: String, _ zone: String, _ time: String, _ next: String) {
        (self.after, self.zone, self.time, self.next) = (after, zone, time, next)
    }

    var testDescription: String { "\(time) in \(zone) after \(after)" }

    static let all: [DeliveryCase] = [
        DeliveryCase("2026-11-25T06:59:59Z", "Europe/Vienna", "08:00", "2026-11-25T07:00:00Z"),
        // The very moment is over.
        DeliveryCase("2026-11-25T07:00:00Z", "Europe/Vienna", "08:00", "2026-11-26T07:00:00Z"),
        DeliveryCase("2026-11-25T12:00:00Z", "UTC", "08:00", "2026-11-26T08:00:00Z"),
        DeliveryCase("2026-11-25T00:00:00Z", "Asia/Kathmandu", "08:00", "2026-11-25T02:15:00Z"),
        DeliveryCase("2026-11-25T23:00:00Z", "Pacific/Kiritimati", "08:00", "2026-11-26T18:00:00Z"),
        DeliveryCase("2026-11-25T23:00:00Z", "Pacific/Niue", "08:00", "2026-11-26T19:00:00Z"),
        // The night before clocks go forward in Vienna (29 March 2026), and before they go back (25 October).
        DeliveryCase("2026-03-28T12:00:00Z", "Europe/Vienna", "08:00", "2026-03-29T06:00:00Z"),
        DeliveryCase("2026-10-24T12:00:00Z", "Europe/Vienna", "08:00", "2026-10-25T07:00:00Z"),
        // 02:30 does not exist: it comes as 03:00.
        DeliveryCase("2026-03-28T12:00:00Z", "Europe/Vienna", "02:30", "2026-03-29T01:00:00Z"),
        DeliveryCase("2026-03-29T01:30:00Z", "Europe/Vienna", "02:30", "2026-03-30T00:30:00Z"),
        // 02:30 comes twice: the first counts, and the second is not another one.
        DeliveryCase("2026-10-24T12:00:00Z", "Europe/Vienna", "02:30", "2026-10-25T00:30:00Z"),
        DeliveryCase("2026-10-25T00:30:00Z", "Europe/Vienna", "02:30", "2026-10-26T01:30:00Z"),
        DeliveryCase("2026-03-07T12:00:00Z", "America/New_York", "02:30", "2026-03-08T07:00:00Z"),
        DeliveryCase("2026-10-31T12:00:00Z", "America/New_York", "01:30", "2026-11-01T05:30:00Z"),
        // A change of half an hour.
        DeliveryCase("2026-10-03T12:00:00Z", "Australia/Lord_Howe", "02:15", "2026-10-03T15:30:00Z"),
        // Clocks that change at midnight: the day begins at 01:00.
        DeliveryCase("2026-09-05T12:00:00Z", "America/Santiago", "00:15", "2026-09-06T04:00:00Z"),
        // A leap day, and the end of a year.
        DeliveryCase("2028-02-28T23:30:00Z", "UTC", "23:00", "2028-02-29T23:00:00Z"),
        DeliveryCase("2026-12-31T23:30:00Z", "UTC", "00:00", "2027-01-01T00:00:00Z"),
    ]
}

@Suite("Times of day by the clocks of a place") struct LocalTimeOfDayTests {
    @Test("come next at", arguments: DeliveryCase.all)
    func next(_ example: DeliveryCase) throws {
        let time = try #require(LocalTimeOfDay(example.time))
        let zone = try #require(TimeZone(identifier: example.zone))
        let after = try #require(Timestamp(example.after)).date
        #expect(Timestamp(time.next(after: after, in: zone)) == Timestamp(example.next))
    }

    @Test("come once a day for years, in every zone", arguments: ["Europe/Vienna", "America/New_York", "Asia/Tokyo"])
    func years(_ name: String) throws {
        let zone = try #require(TimeZone(identifier: name))
        let time = try #require(LocalTimeOfDay("02:30"))
        var moment = Date(timeIntervalSince1970: 1_767_225_600)
        var days: [Int] = []
        for _ in 0..<1500 {
            moment = time.next(after: moment, in: zone)
            days.append(LocalDay(of: moment, in: zone).number)
        }
        #expect(zip(days, days.dropFirst()).allSatisfy { $0 + 1 == $1 })
    }

    @Test("travel moves the next one to the new place's clocks")
    func travel() throws {
        let time = try #require(LocalTimeOfDay("08:00"))
        let now = try #require(Timestamp("2026-11-25T08:30:00Z")).date
        let zones = ["Europe/Vienna", "America/New_York", "Asia/Tokyo"].map { TimeZone(identifier: $0) }
        let next = try zones.map { Timestamp(time.next(after: now, in: try #require($0))).description }
        #expect(next == ["2026-11-26T07:00:00.000Z", "2026-11-25T13:00:00.000Z", "2026-11-25T23:00:00.000Z"])
    }

    @Test("another text is refused", arguments: ["24:00", "8:00", "08:60", "", "08:00 ", "aa:bb"])
    func wrong(_ text: String) { #expect(LocalTimeOfDay(text) == nil) }

    static let days: [(String, String, TimeInterval)] = [
        ("2026-03-29T10:00:00Z", "Europe/Vienna", 23), ("2026-10-25T10:00:00Z", "Europe/Vienna", 25),
        ("2026-06-01T10:00:00Z", "Europe/Vienna", 24), ("2026-09-06T12:00:00Z", "America/Santiago", 23),
    ]

    @Test("a day lasts 23, 24 or 25 hours", arguments: days)
    func lengths(_ moment: String, _ zone: String, _ hours: TimeInterval) throws {
        let day = LocalDay(of: try #require(Timestamp(moment)).date, in: try #require(TimeZone(identifier: zone)))
        #expect(day.end.timeIntervalSince(day.start) == hours * 3600)
    }
}
