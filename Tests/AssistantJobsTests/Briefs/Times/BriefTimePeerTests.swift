import AssistantStore
import Foundation
import TestSupport
import Testing

@testable import AssistantJobs

@Suite("Times of briefs, compared with dateutil", .needsPeers) struct BriefTimePeerTests {
    @Test("a year of briefs at night comes at the same moments", .timeLimit(.minutes(5)))
    func year() async throws {
        var asked: [(question: String, answer: Int)] = []
        for name in ["Europe/Vienna", "America/New_York", "Australia/Lord_Howe", "Pacific/Chatham", "America/Havana"] {
            for time in ["00:00", "00:30", "02:00", "02:15", "02:30", "03:00", "23:59"] {
                var preferences = Preferences(timeZone: name)
                preferences.morningBriefLocalTime = time
                let times = BriefTimes(preferences)
                // 2028 is a leap year.
                var moment = Date(timeIntervalSince1970: 1_830_297_600)
                for _ in 0..<366 {
                    let next = times.next(after: moment)
                    asked.append(
                        ("time \(Int(moment.timeIntervalSince1970)) \(time) \(name)", Int(next.timeIntervalSince1970)))
                    #expect(times.isTime(next))
                    moment = next
                }
            }
        }
        let input = Data(asked.map { $0.question + "\n" }.joined().utf8)
        let outcome = try await Peers.run(script: "dateutil_moments.py", input: input)
        #expect(outcome.status == 0, "\(outcome.text.suffix(2000))")
        let answers = String(decoding: outcome.output, as: UTF8.self).split(separator: "\n").map { Int($0) }
        #expect(answers.count == 12_810)
        #expect(zip(asked, answers).filter { $0.answer != $1 }.map(\.0.question) == [])
    }
}
