import Encodings
import Foundation
import TestParties
import Testing

@Suite("The list of requests", .timeLimit(.minutes(3)))
struct RequestListTests {
    @Test("is paged, with each request once, for all states or one")
    func pages() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            var made: Set<String> = []
            for number in 0..<23 {
                let id = try await stage.request()
                if number.isMultiple(of: 3) { _ = try await stage.decide(id, "DENY") }
                made.insert(id.description)
            }
            for (filter, count) in [("", 23), ("&status=DENIED", 8), ("&status=FAILED", 0)] {
                var seen: [String] = []
                var cursor = ""
                while true {
                    let page = try await stage.send("GET", "/requests?limit=5\(filter)\(cursor)")
                    seen += (page.json["requests"]?.arrayValue ?? []).compactMap { $0["request_id"]?.stringValue }
                    guard let next = page.json["next_cursor"]?.stringValue else { break }
                    cursor = "&cursor=\(next)"
                }
                #expect(seen.count == count)
                #expect(Set(seen).count == count && Set(seen).isSubset(of: made))
            }
        }
    }

    @Test(
        "an invalid query answers 400 with the parameter's name",
        arguments: [
            "limit=0", "limit=201", "limit=+5", "limit=5&limit=6", "limit=", "limit=five", "status=LOST", "status=",
            "cursor=x", "cursor=2026-01-31T09:00:00.000Z~..",
        ])
    func queries(query: String) async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let answer = try await stage.send("GET", "/requests?\(query)")
            #expect(answer.status == 400)
            let name = String(query.prefix { $0 != "=" })
            #expect(answer.json["error_message"]?.stringValue?.contains("“\(name)”") == true)
        }
    }
}
