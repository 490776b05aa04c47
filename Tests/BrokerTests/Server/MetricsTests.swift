import Encodings
import Foundation
import TestParties
import Testing

@Suite("Metrics", .timeLimit(.minutes(3)))
struct MetricsTests {
    @Test("are in Prometheus' text format and correct")
    func metrics() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let id = try await stage.request()
            _ = try await stage.request(month: 2)
            _ = try await stage.decide(id, "DENY")
            _ = try await stage.send("GET", "/nowhere", as: .nobody)
            let answer = try await stage.exchange("GET", "/metrics", as: .nobody)
            #expect(answer.status == 200)
            #expect(answer.header("content-type")?.hasPrefix("text/plain; version=0.0.4") == true)
            let lines = String(decoding: answer.body, as: UTF8.self).split(separator: "\n")
            #expect(lines.contains("countersign_requests{status=\"PENDING_APPROVAL\"} 1"))
            #expect(lines.contains("countersign_requests{status=\"DENIED\"} 1"))
            #expect(
                lines.contains("countersign_http_responses_total{route=\"/request\",method=\"POST\",status=\"202\"} 2"))
            #expect(
                lines.contains("countersign_http_responses_total{route=\"unknown\",method=\"GET\",status=\"404\"} 1"))
            let sample = /[a-z_]+(\{([a-z_]+="[^"]*",?)+\})? [0-9.e+]+/
            for line in lines where !line.hasPrefix("#") { #expect(line.wholeMatch(of: sample) != nil, "\(line)") }
        }
    }

    @Test("are not served through a proxy")
    func proxied() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let answer = try await stage.raw(
                "GET /metrics HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 404"))
        }
    }
}
