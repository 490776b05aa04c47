import Foundation
import Testing

@testable import Clocks

@Suite("A time in words")
struct LocalTimeTests {
    @Test(
        "is that of the zone, which is named",
        arguments: [
            ("Europe/Berlin", "25 Nov 2026, 13:05 CET"), ("UTC", "25 Nov 2026, 12:05 GMT"),
            ("Pacific/Auckland", "26 Nov 2026, 01:05 GMT+13"), ("Asia/Kolkata", "25 Nov 2026, 17:35 GMT+5:30"),
        ])
    func zones(_ zone: String, _ words: String) throws {
        // 2026-11-25 12:05:00 UTC
        let date = Date(timeIntervalSince1970: 1_795_608_300)
        let told = date.inWords(zone: try #require(TimeZone(identifier: zone)))
        #expect(told == words)
    }
}
