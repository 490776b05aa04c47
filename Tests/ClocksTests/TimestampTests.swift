import Foundation
import Testing

@testable import Clocks

@Suite("A timestamp")
struct TimestampTests {
    @Test(
        "a timestamp reads ISO 8601 and writes one form",
        arguments: [
            ("2026-01-31T09:00:00Z", "2026-01-31T09:00:00.000Z"),
            ("2026-01-31T09:00:00.123Z", "2026-01-31T09:00:00.123Z"),
            ("2026-01-31T10:00:00+01:00", "2026-01-31T09:00:00.000Z"),
            ("2026-01-31t10:00:00.5+0100", "2026-01-31T09:00:00.500Z"),
            ("2234-12-09T18:04:29.0-20:21", "2234-12-10T14:25:29.000Z"),
            ("2598-02-27T04:38:10+22:38", "2598-02-26T06:00:10.000Z"),
            ("2024-02-29T23:59:60Z", "2024-03-01T00:00:00.000Z"), ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"),
            ("1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"),
            ("2000-02-29T12:00:00.123456789Z", "2000-02-29T12:00:00.123Z"),
        ])
    func timestamps(text: String, written: String) throws {
        #expect(try #require(Timestamp(text)).description == written)
    }

    @Test(
        "a timestamp refuses an invalid time",
        arguments: [
            "", "2026", "2026-13-01T00:00:00Z", "now", "2026-01-31 09:00", "2025-02-29T00:00:00Z",
            "2026-04-31T00:00:00Z", "2026-01-31T24:00:00Z", "2026-01-31T00:60:00Z", "2026-01-31T00:00:60Z",
            "2026-01-31T00:00:00", "2026-01-31T00:00:00+24:00", "2026-01-31T00:00:00.Z", "２026-01-31T00:00:00Z",
            "1900-02-29T00:00:00Z",
        ])
    func noTimestamps(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test("a timestamp is itself after a round trip", arguments: [0.0, 1_770_000_000.123, 1_770_000_000.9999, -0.5])
    func timestampRoundTrip(seconds: Double) throws {
        let time = Timestamp(Date(timeIntervalSince1970: seconds))
        #expect(try #require(Timestamp(time.description)) == time)
    }

    @Test("a timestamp is written as Foundation writes it, from 1600 to 9999")
    func asFoundation() {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        // Before 1582 Foundation counts by the Julian calendar; RFC 3339 does not.
        for step in 0..<4000 {
            let seconds = -11_676_096_000 + Double(step) * 66_269_591
            let date = Date(timeIntervalSince1970: seconds + Double(step % 8) / 8)
            #expect(Timestamp(date).description == date.formatted(style))
        }
    }

    @Test("every millisecond of a second is itself after a round trip")
    func milliseconds() throws {
        for millisecond in 0..<1000 {
            let text = String(format: "2026-11-21T16:57:07.%03dZ", millisecond)
            #expect(Timestamp(text)?.description == text)
        }
    }
}
