import Broker
import CurlClient
import Encodings
import Foundation
import Messages
import TestParties
import TestSupport
import Testing

@Suite("Tokens", .timeLimit(.minutes(3)))
struct TokenTests {
    private static let id = "0f0e0d0c-0b0a-4900-8807-060504030201"

    /// Every route that requires a token, with the kind of token.
    private static let routes: [(method: String, path: String, owner: BrokerStage.Party)] = [
        ("POST", "/request", .agent), ("GET", "/request/\(id)", .agent), ("GET", "/request/\(id)?wait=60", .agent),
        ("GET", "/requests", .agent), ("GET", "/phone/requests/pending", .phone),
        ("POST", "/phone/requests/\(id)/decision", .phone), ("POST", "/phone/requests/\(id)/started", .phone),
        ("POST", "/phone/requests/\(id)/failure", .phone), ("POST", "/phone/check", .phone),
    ]

    private static let own = BrokerStage.agentToken
    /// Authorization lines that open no route of the agent; nil for no line.
    private static let refused: [String?] = [
        nil, "", "Bearer", "Bearer ", "Bearer \(BrokerStage.phoneToken)", "Bearer wrong", "Bearer \(own)x",
        "Bearer \(own.dropLast())", "Bearer \(own.uppercased())", "Bearer \(own) \(own)", "Bearer \"\(own)\"",
        "Basic \(own)", "Basic \(Data("agent:\(own)".utf8).base64EncodedString())", own, "Bearer=\(own)",
        "Token \(own)", "Bearer \(own.replacing("-", with: "%2D"))", "Bearer, \(own)", "Digest \(own)",
    ]

    @Test("missing, wrong, foreign and malformed tokens open no route")
    func table() async throws {
        let stage = try BrokerStage()
        var configuration = stage.configuration
        configuration.limits.rates.wrongTokensPerMinute = 1_000_000
        try await stage.run(configuration) { stage in
            let http = CurlSession()
            for route in Self.routes {
                for line in Self.refused {
                    let own = route.owner == .agent ? Self.own : BrokerStage.phoneToken
                    let foreign = route.owner == .agent ? BrokerStage.phoneToken : Self.own
                    let turned = line?.replacing(BrokerStage.phoneToken, with: "\u{1}").replacing(Self.own, with: own)
                        .replacing("\u{1}", with: foreign)
                    let answer = try await http.send(
                        HTTPRequest(
                            route.method, stage.url + route.path,
                            headers: turned.map { [HTTPHeader("Authorization", $0)] } ?? [],
                            body: route.method == "POST" ? Array("{}".utf8) : nil))
                    #expect(answer.status == 401, "\(route.method) \(route.path) with “\(turned ?? "nothing")”")
                    #expect(answer.header("www-authenticate") == "Bearer")
                    #expect(try JSONReader.read(answer.body)["error_code"] == "UNAUTHORIZED")
                }
                // A token in a query or a body does not count.
                let separator = route.path.contains("?") ? "&" : "?"
                let path = "\(route.path)\(separator)access_token=\(Self.own)"
                #expect(try await stage.exchange(route.method, path, as: .nobody).status == 401)
            }
            await http.close()
        }
    }

    @Test("the right token opens its routes, with the scheme in any case", arguments: ["Bearer", "bearer", "BEARER"])
    func right(scheme: String) async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let http = CurlSession()
            let answer = try await http.send(
                HTTPRequest(
                    "GET", stage.url + "/requests", headers: [HTTPHeader("Authorization", "\(scheme) \(Self.own)")]))
            #expect(answer.status == 200)
            await http.close()
        }
    }
}

@Suite("515 naughty strings", .needsVectors, .timeLimit(.minutes(4)))
struct NaughtyStringTests {
    private func strings() throws -> [String] {
        let data = try Vectors.data("naughty-strings/blns.json")
        // Foundation's decoder, because some of the strings are deliberately not I-JSON.
        let strings = try JSONDecoder().decode([String].self, from: data)
        #expect(strings.count == 515)
        return strings
    }

    private func run(_ body: @escaping @Sendable (BrokerStage) async throws -> Void) async throws -> BrokerStage {
        let stage = try BrokerStage()
        var configuration = stage.configuration
        configuration.limits.rates.perSecond = 1_000_000
        configuration.limits.rates.perTokenAndSecond = 1_000_000
        try await stage.run(configuration, body)
        return stage
    }

    /// Returns any text as a JSON string.
    private func spelled(_ members: [String: String], _ rest: String) throws -> [UInt8] {
        let pairs = try members.map { name, text in
            "\"\(name)\":" + String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
        }
        return Array("{\((pairs + [rest]).joined(separator: ","))}".utf8)
    }

    @Test("as agent_request_id: accepted or refused, logged in one record, and returned unchanged")
    func agentRequestID() async throws {
        let strings = try strings()
        let stage = try await run { stage in
            var accepted = 0
            for (number, text) in strings.enumerated() {
                let before = stage.logged.count
                // One request takes at most 64 names, so the months share them; a name keeps its month.
                let month = try #require(strings.firstIndex(of: text)) % 12 + 1
                let body = try spelled(
                    ["agent_request_id": text], "\"type\":\"statement\",\"month\":\(month),\"year\":2025")
                let answer = try await stage.send("POST", "/request", body: body)
                #expect([202, 400].contains(answer.status), "\(number)")
                #expect(stage.logged.count == before + 1, "\(number)")
                guard answer.status == 202 else { continue }
                accepted += 1
                let again = try await stage.send("POST", "/request", body: body)
                #expect(again.json["request_id"] == answer.json["request_id"], "\(number): its key is known")
            }
            #expect(accepted > 450)
        }
        #expect(stage.logged.count >= 2 * 450 + 65)
    }

    @Test("in every other text field: accepted or refused, and logged in one record")
    func others() async throws {
        let strings = try strings()
        _ = try await run { stage in
            for (number, text) in strings.enumerated() {
                let before = stage.logged.count
                let type = try await stage.send(
                    "POST", "/request", body: try spelled(["type": text], "\"month\":1,\"year\":2026"))
                #expect(type.status == 400, "\(number)")
                let id = RequestID()
                for (path, members, rest) in [
                    ("decision", ["decision": text, "decided_at": "2026-01-01T00:00:00Z"], "\"x\":1"),
                    ("decision", ["decision": "APPROVE", "decided_at": text], "\"x\":1"),
                    ("failure", ["error_code": text, "failed_at": "2026-01-01T00:00:00Z"], "\"x\":1"),
                    ("failure", ["error_code": "NAVIGATION_FAILED", "failed_at": text], "\"x\":1"),
                    ("failure", ["error_code": "NAVIGATION_FAILED", "error_message": text], "\"failed_at\":1"),
                ] {
                    let answer = try await stage.send(
                        "POST", "/phone/requests/\(id)/\(path)", as: .phone, body: try spelled(members, rest))
                    #expect(answer.status == 400, "\(number) \(members)")
                }
                for field in ["nonce", "signature"] {
                    let nonce = field == "nonce" ? text : Nonce().description
                    let signature = field == "signature" ? text : "x"
                    let answer = try await stage.send(
                        "POST", "/phone/check", as: .phone,
                        body: try spelled(["nonce": nonce, "signature": signature], "\"x\":1"))
                    #expect([400, 403].contains(answer.status), "\(number)")
                }
                let escaped = text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
                for query in ["limit", "status", "cursor"] {
                    let status = try await stage.exchange("GET", "/requests?\(query)=\(escaped)").status
                    #expect(status == 400 || (query == "limit" && Int(text) != nil), "\(number) \(query)")
                }
                let path = try await stage.exchange("GET", "/request/\(escaped)").status
                #expect([404, 405, 200].contains(path), "\(number)")
                #expect(stage.logged.count - before <= 12, "\(number): one record each")
                #expect(stage.logged.count - before >= 11, "\(number): one record each")
            }
        }
    }

    @Test("as the phone's error message: returned cleaned and apart, and logged in one record")
    func errorMessage() async throws {
        let strings = try strings()
        _ = try await run { stage in
            for (number, text) in strings.enumerated() {
                let id = try await stage.request()
                _ = try await stage.decide(id, "APPROVE")
                let before = stage.logged.count
                let answer = try await stage.send(
                    "POST", "/phone/requests/\(id)/failure", as: .phone,
                    body: try spelled(
                        ["error_code": "NAVIGATION_FAILED", "error_message": text],
                        "\"failed_at\":\"2026-01-01T00:00:00Z\""))
                #expect(stage.logged.count == before + 1, "\(number)")
                guard answer.status == 200 else {
                    #expect(answer.status == 400, "\(number)")
                    continue
                }
                let shown = try await stage.send("GET", "/request/\(id)")
                let words = try #require(shown.json["bank_says_untrusted"]?.stringValue)
                #expect(words.count <= 300 && !words.contains { $0.isNewline }, "\(number)")
                #expect(
                    shown.json["error_message"]
                        == "the bank's pages did not lead to the statement; the page of the owner's phone says what to do"
                )
            }
        }
    }
}

@Suite("Replays", .timeLimit(.minutes(3)))
struct ReplayTests {
    @Test("a completion nonce is accepted once, also across a restart", arguments: [false, true])
    func completion(isRestarted: Bool) async throws {
        let stage = try BrokerStage()
        let nonce = Nonce()
        let first = RequestBox()
        @Sendable func replay(_ stage: BrokerStage) async throws {
            let id = try await stage.request(month: 2)
            _ = try await stage.decide(id, "APPROVE")
            try stage.publish(id, nonce: nonce)
            while !stage.logged.contains(where: { $0.contains("nonce was used before") }) {
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(try await stage.status(id) == "APPROVED")
            let done = try #require(first.value)
            #expect(try await stage.status(done) == "COMPLETED")
        }
        try await stage.run { stage in
            let id = try await stage.request()
            first.value = id
            _ = try await stage.decide(id, "APPROVE")
            try stage.publish(id, nonce: nonce)
            while try await stage.status(id) != "COMPLETED" { try await Task.sleep(for: .milliseconds(20)) }
            if !isRestarted { try await replay(stage) }
        }
        if isRestarted { try await stage.run { stage in try await replay(stage) } }
        #expect(stage.logged.count { $0.contains("MANIFEST_VERIFICATION_FAILED") } == 1)
    }

    @Test("no two envelopes share a nonce or a request id")
    func envelopes() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            for month in 1...12 { _ = try await stage.request(month: month, year: 2025) }
            let pending = try await stage.send("GET", "/phone/requests/pending", as: .phone)
            let envelopes = pending.json["requests"]?.arrayValue?.compactMap { $0["envelope"] } ?? []
            #expect(Set(envelopes.map { $0["nonce"] }).count == 12)
            #expect(Set(envelopes.map { $0["request_id"] }).count == 12)
        }
    }
}

@Suite("Bodies and rates", .timeLimit(.minutes(3)))
struct LimitTests {
    @Test(
        "a body has at most 64 levels; an unknown member is named",
        arguments: [(62, "INVALID_FIELD"), (63, "INVALID_FIELD"), (64, "INVALID_JSON"), (5000, "INVALID_JSON")])
    func depth(levels: Int, code: String) async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            // The enclosing object is a level too.
            let nested = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
            let body = "{\"type\":\"statement\",\"month\":1,\"year\":2026,\"unknown\":\(nested)}"
            let answer = try await stage.send("POST", "/request", body: Array(body.utf8))
            #expect(answer.status == 400 && answer.json["error_code"]?.stringValue == code)
            #expect(answer.json["error_message"]?.stringValue?.contains("“unknown”") == (code == "INVALID_FIELD"))
        }
    }

    @Test("a body of 256 KiB is accepted, one byte more is not")
    func size() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let body = Array(#"{"type":"statement","month":1,"year":2026}"#.utf8)
            let padded = body + [UInt8](repeating: 0x20, count: (256 << 10) - body.count)
            let whole = try await stage.send("POST", "/request", body: padded)
            #expect(whole.status == 202)
            let larger = try await stage.send("POST", "/request", body: padded + [0x20])
            #expect(larger.status == 413)
        }
    }

    @Test("each token has its own limit, and the answer says how long to wait")
    func perToken() async throws {
        let stage = try BrokerStage()
        var configuration = stage.configuration
        configuration.limits.rates.perTokenAndSecond = 2
        try await stage.run(configuration) { stage in
            var answers: [Int] = []
            for _ in 0..<10 {
                let answer = try await stage.send("GET", "/requests")
                answers.append(answer.status)
                guard answer.status == 429 else { continue }
                #expect(answer.json["error_code"] == "RATE_LIMITED")
                #expect(answer.head.header("retry-after").flatMap(Int.init).map { $0 >= 1 } == true)
            }
            #expect(answers.first == 200 && answers.last == 429)
            let phone = try await stage.send("GET", "/phone/requests/pending", as: .phone)
            #expect(phone.status == 200)
        }
    }

    @Test("malformed questions for a proof have a limit of their own")
    func proofs() async throws {
        let stage = try BrokerStage()
        var configuration = stage.configuration
        configuration.limits.rates.proofBurst = 3
        configuration.limits.rates.proofsPerSecond = 0.01
        try await stage.run(configuration) { stage in
            var answers: [Int] = []
            for _ in 0..<5 { answers.append(try await stage.send("POST", "/proof", body: Array("{".utf8)).status) }
            #expect(answers == [400, 400, 400, 429, 429])
            let agent = try await stage.send("GET", "/requests")
            #expect(agent.status == 200)
        }
    }

    @Test("all tokens together have a limit too")
    func together() async throws {
        let stage = try BrokerStage()
        var configuration = stage.configuration
        configuration.limits.rates.perSecond = 2
        try await stage.run(configuration) { stage in
            var answers: [Int] = []
            for number in 0..<10 {
                let isPhone = number.isMultiple(of: 2)
                let path = isPhone ? "/phone/requests/pending" : "/requests"
                answers.append(try await stage.send("GET", path, as: isPhone ? .phone : .agent).status)
            }
            #expect(answers.first == 200 && answers.suffix(2) == [429, 429])
        }
    }
}
