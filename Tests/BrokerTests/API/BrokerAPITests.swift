import BrokerStore
import Clocks
import Encodings
import Foundation
import Inbox
import Messages
import Signer
import TestParties
import TestSupport
import Testing

@testable import Broker

@Suite("The broker's API")
struct BrokerAPITests {
    @Test("create request from broker: signed, pending, and shown to the phone as signed")
    func create() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let answer = try await stage.send("POST", "/request", ["type": "statement", "month": 1, "year": 2026])
            #expect(answer.status == 202)
            #expect(answer.json["status"] == "PENDING_APPROVAL")
            #expect(answer.json["created_at"]?.stringValue.flatMap(Timestamp.init) != nil)
            let pending = try await stage.send("GET", "/phone/requests/pending", as: .phone)
            #expect(pending.status == 200)
            let envelope = try #require(pending.json["requests"]?.arrayValue?.first?["envelope"])
            let verified = try SignedEnvelope(json: envelope).verified(with: stage.secret, at: stage.clock.now)
            #expect(verified.envelope.requestID.description == answer.json["request_id"]?.stringValue)
            #expect(verified.envelope.period == MonthYear(month: 1, year: 2026))
        }
    }

    @Test(
        "validation failures answer 400 with the field's name",
        arguments: [
            (["type": "statement", "month": 1], "MISSING_FIELD", "year"),
            (["month": 1, "year": 2026], "MISSING_FIELD", "type"),
            (["type": "transfer", "month": 1, "year": 2026], "INVALID_REQUEST_TYPE", "statement"),
            (["type": "statement", "month": 13, "year": 2026], "INVALID_FIELD", "month"),
            (["type": "statement", "month": "1", "year": 2026], "INVALID_FIELD", "month"),
            (["type": "statement", "month": .number(1.5), "year": 2026], "INVALID_FIELD", "month"),
            (["type": "statement", "month": 1, "year": 1], "INVALID_FIELD", "year"),
            (["type": 7, "month": 1, "year": 2026], "INVALID_FIELD", "type"),
            (["type": "statement", "month": 1, "year": 2026, "bank_id": "second"], "INVALID_FIELD", "“bank_id”"),
            (["type": "statement", "month": 1, "year": 2026, "a b": 1, "x": 1], "INVALID_FIELD", "“x”, 1 more"),
            (["type": "statement", "month": 1, "year": 2100], "INVALID_FIELD", "has not begun"),
            ([1, 2], "INVALID_JSON", "object"),
        ] as [(JSONValue, String, String)])
    func validation(body: JSONValue, code: String, word: String) async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let answer = try await stage.send("POST", "/request", body)
            #expect(answer.status == 400)
            #expect(answer.json["error_code"]?.stringValue == code)
            #expect(answer.json["error_message"]?.stringValue?.contains(word) == true)
        }
    }

    @Test("every route requires its own kind of token")
    func tokens() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let id = RequestID()
            let routes: [(String, String, BrokerStage.Party)] = [
                ("POST", "/request", .agent), ("GET", "/request/\(id)", .agent), ("GET", "/requests", .agent),
                ("GET", "/phone/requests/pending", .phone), ("POST", "/phone/requests/\(id)/decision", .phone),
                ("POST", "/phone/requests/\(id)/started", .phone), ("POST", "/phone/requests/\(id)/failure", .phone),
            ]
            for (method, path, owner) in routes {
                for party in [BrokerStage.Party.nobody, .stranger] + (owner == .agent ? [.phone] : [.agent]) {
                    let answer = try await stage.send(
                        method, path, as: party, body: method == "POST" ? [0x7B, 0x7D] : nil)
                    guard answer.status != 429 else {
                        #expect(answer.json["error_code"] == "RATE_LIMITED")
                        continue
                    }
                    #expect(answer.status == 401, "\(method) \(path)")
                    #expect(answer.json["error_code"] == "UNAUTHORIZED")
                }
            }
        }
    }

    @Test("wrong tokens are rate-limited, and the answer says how long to wait")
    func rateLimit() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            var statuses: [Int] = []
            for _ in 0..<30 {
                let answer = try await stage.send("GET", "/requests", as: .stranger)
                statuses.append(answer.status)
                if answer.status == 429 { #expect(answer.head.header("retry-after") != nil) }
            }
            #expect(statuses.first == 401)
            #expect(statuses.last == 429)
            #expect(try await stage.send("GET", "/requests").status == 200, "the agent itself is not held up")
        }
    }

    @Test("a body of more than 256 KiB answers 413, an unknown request 404, an unknown route 404")
    func sizes() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let large = try await stage.send("POST", "/request", body: [UInt8](repeating: 0x20, count: 256 << 10 + 1))
            #expect(large.status == 413)
            #expect(try await stage.send("GET", "/request/\(RequestID())").json["error_code"] == "REQUEST_NOT_FOUND")
            #expect(try await stage.send("GET", "/request/42").status == 404)
            #expect(try await stage.send("GET", "/nowhere").json["error_code"] == "NOT_FOUND")
            #expect(try await stage.send("GET", "/healthz", as: .nobody).json["status"] == "ok")
        }
    }

    @Test(
        "a body that is not I-JSON answers 400",
        .needsVectors)
    func json() async throws {
        let folder = try Vectors.url("jsontestsuite")
        let listed = try JSONReader.read(
            Data(contentsOf: folder.appending(path: "ijson-must-reject.json")), limits: .init(size: 1 << 20))
        let names = Set(listed.arrayValue?.compactMap { $0["file"]?.stringValue } ?? [])
        let tests = folder.appending(path: "test_parsing")
        let all = try FileManager.default.contentsOfDirectory(atPath: tests.path)
        let bad = all.filter { $0.hasPrefix("n_") || names.contains($0) }.sorted()
        #expect(bad.count == 188 + 35)
        let stage = try BrokerStage()
        try await stage.run { stage in
            for name in bad {
                let body = Array(try Data(contentsOf: tests.appending(path: name)))
                var status = try await stage.send("POST", "/request", body: body).status
                while status == 429 {
                    try await Task.sleep(for: .milliseconds(200))
                    status = try await stage.send("POST", "/request", body: body).status
                }
                #expect(status == 400, "\(name)")
            }
        }
    }

    @Test("an agent_request_id creates one request")
    func idempotency() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let first = try await stage.request(month: 1, key: "k1")
            #expect(try await stage.request(month: 1, key: "k1") == first)
            #expect(try await stage.request(month: 3, key: "k2") != first)
            let other = try await stage.send(
                "POST", "/request", ["type": "statement", "month": 2, "year": 2026, "agent_request_id": "k1"])
            #expect(other.status == 409)
            #expect(try await stage.send("GET", "/requests").json["requests"]?.arrayValue?.count == 2)
        }
    }

    @Test("deny path transitions to DENIED")
    func deny() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let id = try await stage.request()
            #expect(try await stage.decide(id, "DENY").json["status"] == "DENIED")
            let answer = try await stage.send("GET", "/request/\(id)")
            #expect(answer.status == 200)
            #expect(answer.json == ["request_id": .string(id.description), "status": "DENIED"])
            let late = try await stage.decide(id, "APPROVE")
            #expect(late.status == 409 && late.json["error_code"] == "CONFLICT" && late.json["status"] == "DENIED")
        }
    }

    @Test("approval after the TTL is rejected with 408, and the request is EXPIRED")
    func expiry() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let id = try await stage.request()
            stage.clock.advance(by: 301)
            let late = try await stage.decide(id, "APPROVE")
            #expect(late.status == 408)
            #expect(late.json["error_code"] == "APPROVAL_EXPIRED")
            let answer = try await stage.send("GET", "/request/\(id)")
            #expect(
                answer.json
                    == ["request_id": .string(id.description), "status": "EXPIRED", "error_code": "APPROVAL_EXPIRED"])
        }
    }

    @Test("execution timeout transitions to FAILED with EXECUTION_TIMEOUT", arguments: [true, false])
    func executionTimeout(started: Bool) async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let id = try await stage.request()
            #expect(try await stage.decide(id, "APPROVE").json["status"] == "APPROVED")
            if started {
                #expect(
                    try await stage.send("POST", "/phone/requests/\(id)/started", as: .phone, [:]).json["status"]
                        == "EXECUTING")
            }
            stage.clock.advance(by: 599)
            #expect(try await stage.send("GET", "/request/\(id)").status == 202)
            stage.clock.advance(by: 2)
            #expect(try await stage.send("GET", "/request/\(id)").json["error_code"] == "EXECUTION_TIMEOUT")
        }
    }

    @Test("the phone's failure report is the agent's answer")
    func failure() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let id = try await stage.request()
            let report: JSONValue = [
                "error_code": "NAVIGATION_FAILED", "error_message": "selector not found",
                "failed_at": .string(Timestamp(stage.clock.now).description),
            ]
            let early = try await stage.send("POST", "/phone/requests/\(id)/failure", as: .phone, report)
            #expect(early.status == 409 && early.json["status"] == "PENDING_APPROVAL")
            _ = try await stage.decide(id, "APPROVE")
            #expect(
                try await stage.send("POST", "/phone/requests/\(id)/failure", as: .phone, report).json["status"]
                    == "FAILED")
            let answer = try await stage.send("GET", "/request/\(id)")
            #expect(
                answer.json["error_message"]
                    == "the bank's pages did not lead to the statement; the page of the owner's phone says what to do")
            #expect(answer.json["bank_says_untrusted"] == "selector not found")
            #expect(answer.status == 200)
        }
    }

    @Test("proves the shared secret only to a phone that has it")
    func secretProof() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let nonce = Nonce()
            func prove(_ secret: Signer.SharedSecret) async throws -> (status: Int, signature: String) {
                let signature = SecretProof.signature(by: .phone, of: nonce, with: secret)
                let body: JSONValue = ["nonce": .string(nonce.description), "signature": .string(signature)]
                let answer = try await stage.send("POST", "/phone/check", as: .phone, body)
                return (answer.status, answer.json["signature"]?.stringValue ?? "")
            }
            let proof = try await prove(stage.secret)
            #expect(SecretProof.isValid(proof.signature, by: .broker, of: nonce, with: stage.secret))
            #expect(try await prove(try SharedSecret(.init(String(repeating: "f", count: 40)))).status == 403)
        }
    }

    @Test("a long poll returns when the status changes", .timeLimit(.minutes(3)))
    func waiting() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let id = try await stage.request()
            async let answer = BrokerStage.wait(for: id, on: stage)
            try await Task.sleep(for: .milliseconds(100))
            _ = try await stage.decide(id, "DENY")
            #expect(try await answer == "DENIED")
        }
    }

    @Test("broker restart preserves pending requests")
    func restart() async throws {
        let stage = try BrokerStage()
        let id = RequestBox()
        try await stage.run { stage in id.value = try await stage.request() }
        try await stage.run { stage in
            let known = try #require(id.value)
            #expect(try await stage.status(known) == "PENDING_APPROVAL")
            #expect(try await stage.decide(known, "APPROVE").status == 200)
        }
    }

    @Test("a second broker on the same database is refused")
    func secondBroker() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            #expect(throws: StoreError.self) { try BrokerDatabase(stage.database) }
        }
    }

    @Test("a port in use is reported in one line, with the variable to set")
    func port() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let other = try BrokerStage()
            var configuration = other.configuration
            let port = try #require(stage.port)
            configuration.port = port
            let error = await #expect(throws: BrokerStartError.self) { try await other.run(configuration) { _ in } }
            #expect(error?.message == "port \(port) is in use; stop the program that uses it, or set BROKER_PORT")
        }
    }
}

@Suite("Deliveries at the broker")
struct BrokerDeliveryTests {
    @Test("broker verifies and marks COMPLETED, also when the phone never reported the start", .timeLimit(.minutes(3)))
    func completes() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let id = try await stage.request()
            _ = try await stage.decide(id, "APPROVE")
            try stage.publish(id)
            while try await stage.status(id) != "COMPLETED" { try await Task.sleep(for: .milliseconds(20)) }
            let answer = try await stage.send("GET", "/request/\(id)")
            #expect(answer.status == 200)
            let path = try #require(answer.json["file_path"]?.stringValue)
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "%PDF-1.4 \(id) startxref 0 %%EOF")
            #expect(answer.json["completed_at"]?.stringValue.flatMap(Timestamp.init) != nil)
        }
    }

    @Test(
        "tampered manifest signature rejected, logged once, and a good delivery after it completes",
        .timeLimit(.minutes(3)))
    func tampered() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let id = try await stage.request()
            _ = try await stage.decide(id, "APPROVE")
            try stage.publish(id, secret: try SharedSecret(.init(String(repeating: "f", count: 40))))
            try await Self.refused(1, by: stage)
            #expect(try await stage.status(id) == "APPROVED")
            try stage.publish(id)
            while try await stage.status(id) != "COMPLETED" { try await Task.sleep(for: .milliseconds(20)) }
        }
        #expect(Self.refusals(by: stage) == 1)
    }

    private static func refusals(by stage: BrokerStage) -> Int {
        stage.logged.count { $0.contains("MANIFEST_VERIFICATION_FAILED") }
    }

    /// Waits until the broker has refused so many deliveries. It says so when their files are gone: one that comes earlier can
    /// lose its own, which have the same names.
    private static func refused(_ count: Int, by stage: BrokerStage) async throws {
        while refusals(by: stage) < count { try await Task.sleep(for: .milliseconds(20)) }
    }

    @Test("a delivery for a request that was not approved changes nothing", .timeLimit(.minutes(3)))
    func unapproved() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let id = try await stage.request()
            try stage.publish(id)
            try await Self.refused(1, by: stage)
            #expect(try await stage.status(id) == "PENDING_APPROVAL")
        }
    }
}
