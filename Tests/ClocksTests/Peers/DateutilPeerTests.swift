import Foundation
import TestSupport
import Testing

@testable import Clocks

/// Questions about times by the clocks of many zones, with the answers of dateutil's own rules and time zones.
@Suite("Times by a zone's clocks, compared with dateutil", .needsPeers) struct DateutilPeerTests {
    /// Zones north and south, with changes of half an hour, at midnight, of a whole day, for politics, and with none.
    private static let zones = [
        "Europe/Vienna", "Europe/London", "Europe/Dublin", "Europe/Moscow", "Europe/Istanbul", "Atlantic/Azores",
        "America/New_York", "America/Los_Angeles", "America/St_Johns", "America/Sao_Paulo", "America/Havana",
        "America/Caracas", "America/Phoenix", "Asia/Tokyo", "Asia/Kathmandu", "Asia/Beirut", "Asia/Pyongyang",
        "Asia/Amman", "Australia/Sydney", "Australia/Lord_Howe", "Australia/Adelaide", "Pacific/Auckland",
        "Pacific/Chatham", "Pacific/Apia", "Africa/Johannesburg", "UTC",
    ]
    /// From 2001 to 2036: dateutil reads no rule for the years after that.
    private static let moments = 978_307_200..<2_082_758_400

    /// Asks dateutil, and returns the questions to which it has another answer.
    private static func disagreements(
        _ asked: [(question: String, answer: Int)]
    ) async throws -> [String] {
        let input = Data(asked.map { $0.question + "\n" }.joined().utf8)
        let outcome = try await Peers.run(script: "dateutil_moments.py", input: input)
        #expect(outcome.status == 0, "\(outcome.text.suffix(2000))")
        let answers = String(decoding: outcome.output, as: UTF8.self).split(separator: "\n")
        #expect(answers.count == asked.count)
        return zip(asked, answers).filter { Int($1) != $0.answer }.map { "\($0.question): \($0.answer), not \($1)" }
    }

    /// Returns a random moment, often one near a change of the zone's clocks.
    private static func moment(_ zone: TimeZone, _ random: inout RepeatableNumbers) -> Int {
        let moment = Int.random(in: moments, using: &random)
        guard Bool.random(using: &random),
            let change = zone.nextDaylightSavingTimeTransition(after: Date(timeIntervalSince1970: Double(moment)))
        else { return moment }
        let near = Int(change.timeIntervalSince1970) + Int.random(in: -100_000...100_000, using: &random)
        return moments.contains(near) ? near : moment
    }

    private static func text(_ minute: Int) -> String {
        func two(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
        return "\(two(minute / 60)):\(two(minute % 60))"
    }

    @Test("10,000 recurrences have the same next moment", .timeLimit(.minutes(5)))
    func recurrences() async throws {
        var random = RepeatableNumbers(state: 5545)
        var asked: [(String, Int)] = []
        for number in 0..<10_000 {
            let name = Self.zones[number % Self.zones.count]
            let zone = try #require(TimeZone(identifier: name))
            let after = Self.moment(zone, &random)
            // Half of them at night, when clocks are changed.
            let minute = Int.random(in: 0..<(Bool.random(using: &random) ? 240 : 1440), using: &random)
            let (every, ours, theirs): (String, String, String) =
                switch number / Self.zones.count % 4 {
                case 0:
                    { day in ("weekly", Recurrence.weekdays[day], String(day + 1)) }(
                        Int.random(in: 0..<7, using: &random))
                case 1: { ("monthly", $0, $0) }(String(Int.random(in: 1...31, using: &random)))
                case 2: { ("quarterly", $0, $0) }(String(Int.random(in: 1...31, using: &random)))
                default:
                    { ("yearly", $0, $0) }(
                        ["02-29", "03-31", "10-25", "01-01", "12-31", "02-28"].randomElement(using: &random)!)
                }
            let recurrence = try Recurrence("\(every) \(ours) \(Self.text(minute)) \(name)")
            let next = recurrence.next(after: Date(timeIntervalSince1970: Double(after)))
            asked.append(
                (
                    "recurrence \(after) \(every) \(theirs) \(Self.text(minute)) \(name)",
                    Int(next.timeIntervalSince1970)
                ))
        }
        #expect(try await Self.disagreements(asked) == [])
    }

    @Test("10,000 times of days around changes of clocks are the same moments", .timeLimit(.minutes(5)))
    func clocks() async throws {
        var random = RepeatableNumbers(state: 7265)
        var asked: [(String, Int)] = []
        for number in 0..<10_000 {
            let name = Self.zones[number % Self.zones.count]
            let clock = WallClock(named: name)
            let moment = Self.moment(clock.zone, &random)
            let day = clock.day(of: Date(timeIntervalSince1970: Double(moment)))
            if number.isMultiple(of: 4) {
                asked.append(("day \(moment) \(name)", day))
            } else {
                let minute = Int.random(in: 0...(Bool.random(using: &random) ? 240 : 1440), using: &random)
                let found = clock.moment(ofMinute: minute, onDay: day)
                asked.append(("clock \(day) \(minute) \(name)", Int(found.timeIntervalSince1970)))
            }
        }
        #expect(try await Self.disagreements(asked) == [])
    }
}

/// Repeatable random numbers (SplitMix64).
private struct RepeatableNumbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
