import AuditLog
import Broker
import Foundation
import GRDB
import JSON
import Signer
import Testing

@Suite("Running a broker", .timeLimit(.minutes(1)))
struct OperationTests {
    @Test("the numbers are Prometheus’ text, and true")
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

    @Test("the numbers are not for those behind a proxy")
    func proxied() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let answer = try await stage.raw("GET /metrics HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 404"))
        }
    }

    @Test("all requests are listed page by page, each once, in any state or in one")
    func pages() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            var made: Set<String> = []
            for number in 0..<23 {
                let id = try await stage.request(month: number % 12 + 1)
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
        "a query that is not understood answers 400 with the parameter’s name",
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

    @Test("a backup is whole, private, and taken while requests come in")
    func backup() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            for month in 1...6 { _ = try await stage.request(month: month) }
            let file = stage.root.appending(path: "copy.sqlite")
            async let more: Void = {
                for month in 7...12 { _ = try await stage.request(month: month) }
            }()
            let receipt = try BrokerBackup.write(stage.database, to: file)
            try await more
            #expect((6...12).contains(receipt.requests))
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let copy = try DatabaseQueue(path: file.path)
            let verdict = try await copy.read { db in try String.fetchAll(db, sql: "PRAGMA integrity_check") }
            #expect(verdict == ["ok"])
            try copy.close()
            #expect(throws: StoreError.self) { try BrokerBackup.write(stage.database, to: file) }
            let names = try FileManager.default.contentsOfDirectory(atPath: stage.root.path)
            #expect(!names.contains { $0.hasSuffix(".tmp") })
        }
    }

    @Test("each change of state, and each delivery that is refused, is in the audit log, chained")
    func audit() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let id = try await stage.request()
            _ = try await stage.decide(id, "APPROVE")
            try stage.publish(id, secret: try SharedSecret(.init(String(repeating: "f", count: 40))))
            while !stage.logged.contains(where: { $0.contains("MANIFEST_VERIFICATION_FAILED") }) {
                try await Task.sleep(for: .milliseconds(20))
            }
            try stage.publish(id)
            while try await stage.status(id) != "COMPLETED" { try await Task.sleep(for: .milliseconds(20)) }
            let late = try await stage.request(month: 2)
            stage.clock.advance(by: 301)
            #expect(try await stage.status(late) == "EXPIRED")
            let log = try BrokerAudit.open(stage.database)
            #expect(
                try await log.records().map(\.event.type) == [
                    "request.created", "request.approved", "delivery.rejected", "request.executing",
                    "request.completed", "request.created", "request.expired",
                ])
            #expect(try await log.verify().isIntact)
        }
    }

    @Test("a backup of nothing is refused")
    func noBackup() throws {
        let stage = try BrokerStage()
        #expect(throws: StoreError.self) {
            try BrokerBackup.write(stage.database, to: stage.root.appending(path: "copy.sqlite"))
        }
    }

    @Test("a broker that is well is found to be, and what is not is named")
    func check() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            var configuration = stage.configuration
            configuration.port = try #require(stage.port)
            #expect(await BrokerCheck(configuration).findings().allSatisfy(\.isGood))
            configuration.agentToken = .init("another token that the broker does not know")
            configuration.inbox = stage.root.appending(path: "gone")
            let wrong = await BrokerCheck(configuration).findings().filter { !$0.isGood }.map(\.text)
            #expect(wrong.count == 2)
            #expect(wrong.first?.contains("BROKER_API_TOKEN") == true)
        }
        var configuration = stage.configuration
        configuration.port = 1
        #expect(await BrokerCheck(configuration).findings().first?.isGood == false)
    }
}

@Suite("Deadlines", .timeLimit(.minutes(1)))
struct DeadlineTests {
    @Test("setting the wall clock back extends no approval", arguments: [false, true])
    func backwards(isRestarted: Bool) async throws {
        let stage = try BrokerStage()
        let id = RequestBox()
        @Sendable func late(_ stage: BrokerStage) async throws {
            let id = try #require(id.value)
            #expect(try await stage.decide(id, "APPROVE").status == 408)
            #expect(try await stage.status(id) == "EXPIRED")
        }
        try await stage.run { stage in
            let asked = try await stage.request()
            id.value = asked
            stage.clock.advance(by: 200)
            stage.clock.setWall(by: -3600)
            #expect(try await stage.status(asked) == "PENDING_APPROVAL")
            guard !isRestarted else { return }
            stage.clock.advance(by: 101)
            try await late(stage)
        }
        guard isRestarted else { return }
        stage.clock.advance(by: 101)
        try await stage.run { stage in try await late(stage) }
    }

    @Test("nor does it extend an execution")
    func execution() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let id = try await stage.request()
            _ = try await stage.decide(id, "APPROVE")
            stage.clock.setWall(by: -86_400)
            stage.clock.advance(by: 601)
            #expect(try await stage.send("GET", "/request/\(id)").json["error_code"] == "EXECUTION_TIMEOUT")
        }
    }

    @Test("a machine that comes up with its clock set back counts on from when it was last seen")
    func reboot() async throws {
        let stage = try BrokerStage()
        let first = RequestBox()
        let second = RequestBox()
        try await stage.run { stage in
            first.value = try await stage.request()
            stage.clock.advance(by: 280)
            // Making a second request notes how late it is.
            second.value = try await stage.request(month: 2)
        }
        stage.clock.setWall(by: -280)
        stage.clock.reboot()
        try await stage.run { stage in
            let early = try #require(first.value)
            let late = try #require(second.value)
            #expect(try await stage.status(early) == "PENDING_APPROVAL")
            stage.clock.advance(by: 21)
            #expect(try await stage.status(early) == "EXPIRED", "by the wall clock, 279 s were left")
            #expect(try await stage.status(late) == "PENDING_APPROVAL")
        }
    }

    @Test("who waits for a request is told when its time is over")
    func announced() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let id = try await stage.request()
            async let answer = BrokerStage.wait(for: id, on: stage)
            try await Task.sleep(for: .milliseconds(100))
            stage.clock.advance(by: 301)
            _ = try await stage.send("GET", "/requests")
            #expect(try await answer == "EXPIRED")
        }
    }
}
