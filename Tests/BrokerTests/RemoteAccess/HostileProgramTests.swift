import Clocks
import CurlClient
import Encodings
import Foundation
import Messages
import Storage
import TestParties
import Testing

@testable import Broker

@Suite("A hostile program elsewhere", .timeLimit(.minutes(3)))
struct HostileProgramTests {
    @Test("that shows a code twice loses its rights")
    func codeTwice() async throws {
        try await RemoteStage.run { stage in
            let (client, code) = try await stage.code()
            let tokens = try RemoteStage.tokens(
                try await stage.token(stage.redemption(of: code, for: client)).json, client)
            #expect(try await stage.message(tokens.access).status == 200)
            #expect(try await stage.token(stage.redemption(of: code, for: client)).json["error"] == "invalid_grant")
            #expect(try await stage.message(tokens.access).status == 401)
            #expect(try await stage.renew(tokens).json["error"] == "invalid_grant")
            #expect(try await stage.broker.administration().agents.agents().isEmpty)
            #expect(try await stage.audited().last == "client.token_reused")
        }
    }

    @Test("with a stolen refresh token ends the tokens of both")
    func stolen() async throws {
        try await RemoteStage.run { stage in
            let first = try await stage.tokens()
            let second = try RemoteStage.tokens(try await stage.renew(first).json, first.client)
            #expect(try await stage.message(first.access).status == 401, "the token before works no more")
            #expect(try await stage.message(second.access).status == 200)
            #expect(try await stage.renew(first).json["error"] == "invalid_grant")
            #expect(try await stage.message(second.access).status == 401)
            #expect(try await stage.renew(second).json["error"] == "invalid_grant")
            #expect(try await stage.audited().last == "client.token_reused")
        }
    }

    @Test("with tokens that have ended gets nothing")
    func ended() async throws {
        try await RemoteStage.run { stage in
            let tokens = try await stage.tokens()
            stage.broker.clock.advance(by: 601)
            #expect(try await stage.message(tokens.access).status == 401)
            let next = try RemoteStage.tokens(try await stage.renew(tokens).json, tokens.client)
            stage.broker.clock.advance(by: 31 * 86_400)
            #expect(try await stage.renew(next).json["error"] == "invalid_grant")
            let (client, code) = try await stage.code(as: "late")
            stage.broker.clock.advance(by: 61)
            #expect(try await stage.token(stage.redemption(of: code, for: client)).json["error"] == "invalid_grant")
        }
    }

    @Test(
        "at the token endpoint is refused",
        arguments: [
            ("redirect_uri", "http://127.0.0.1:1/other", "invalid_grant"),
            ("redirect_uri", "http://127.0.0.1:2/back", "invalid_grant"),
            ("resource", "https://other.example/mcp", "invalid_target"),
            ("code_verifier", String(repeating: "w", count: 43), "invalid_grant"),
            ("client_id", "https://other.example/client.json", "invalid_grant"),
            ("code", "csc_guessed", "invalid_grant"), ("grant_type", "password", "unsupported_grant_type"),
            ("client_secret", "a secret", "invalid_client"), ("code_verifier", "", "invalid_request"),
        ])
    func redemption(name: String, value: String, error: String) async throws {
        try await RemoteStage.run { stage in
            let (client, code) = try await stage.code()
            var fields = stage.redemption(of: code, for: client)
            fields[name] = value
            let answer = try await stage.token(fields)
            #expect(answer.json["error"]?.stringValue == error, "\(answer.json)")
            #expect(answer.status == (error == "invalid_client" ? 401 : 400))
            #expect(answer.json["access_token"] == nil)
        }
    }

    @Test("cannot send a parameter twice, a password, or another kind of body")
    func formOfTheCall() async throws {
        try await RemoteStage.run { stage in
            let (client, code) = try await stage.code()
            let good = stage.redemption(of: code, for: client)
            #expect(try await stage.token(good, [("Authorization", "Basic eDp5")]).json["error"] == "invalid_client")
            for (type, body, status) in [
                ("application/x-www-form-urlencoded", RemoteStage.encoded(good) + "&code=x", 400),
                ("application/json", "{}", 400), ("application/x-www-form-urlencoded", "a=%FF", 400),
                ("application/x-www-form-urlencoded", String(repeating: "a", count: 20_000), 413),
            ] {
                let answer = try await stage.send("POST", "/token", [("Content-Type", type)], body: Array(body.utf8))
                #expect(answer.status == status, "\(body.prefix(80))")
            }
            #expect(try await stage.token(good).status == 200, "none of these used the code up")
        }
    }

    @Test(
        "with another address, or none, gets nothing sent there",
        arguments: [
            ("redirect_uri", "http://127.0.0.1:1/other"), ("redirect_uri", "https://evil.example/back"),
            ("redirect_uri", "http://127.0.0.1:1/back/"), ("redirect_uri", "http://127.0.0.1:1/back?more"),
            ("redirect_uri", ""), ("client_id", "unknown"), ("client_id", ""), ("client_id", "self.e30"),
            ("client_id", "https://127.0.0.1/client.json"), ("client_id", "https://localhost/client.json"),
            ("client_id", "https://books.example:8443/client.json"), ("client_id", "https://books.example"),
            ("client_id", "http://books.example/client.json"), ("client_id", "https://[::1]/client.json"),
            ("client_id", "https://b%C3%BCcher.example/client.json"),
        ])
    func addresses(name: String, value: String) async throws {
        try await RemoteStage.run { stage in
            var question = stage.question(of: try #require(try await stage.register().json["client_id"]?.stringValue))
            question[name] = value
            let answer = try await stage.authorize(question)
            #expect(answer.status == 400 && answer.header("Location") == nil, "\(answer.status)")
            #expect(try await stage.waiting().isEmpty)
        }
    }

    @Test(
        "with a question that cannot be answered hears why at its own address, once the person goes there",
        arguments: [
            ("response_type", "token", "unsupported_response_type"), ("code_challenge", "", "invalid_request"),
            ("code_challenge", "short", "invalid_request"), ("code_challenge_method", "plain", "invalid_request"),
            ("resource", "https://other.example/mcp", "invalid_target"), ("resource", "", "invalid_target"),
        ])
    func questions(name: String, value: String, error: String) async throws {
        try await RemoteStage.run { stage in
            var question = stage.question(of: try #require(try await stage.register().json["client_id"]?.stringValue))
            question[name] = value
            let answer = try await stage.authorize(question)
            // Every program may register every address, so that a redirect would be one from the household's name to anywhere.
            #expect(answer.status == 400 && answer.header("Location") == nil)
            let link = try RemoteStage.link(on: answer)
            #expect(link.hasPrefix(RemoteStage.returnsTo + "?"))
            let back = RemoteStage.query(link)
            #expect(back["error"] == error && back["iss"] == stage.origin && back["state"] == "a state")
            #expect(try await stage.waiting().isEmpty)
        }
    }

    @Test("cannot send a browser from the household's name to another site; the page names the site")
    func openRedirect() async throws {
        try await RemoteStage.run { stage in
            let address = "https://evil.example/back?a=1&b=%3C"
            let registered = try await stage.register(["redirect_uris": [.string(address)]])
            var question = stage.question(of: try #require(registered.json["client_id"]?.stringValue))
            (question["redirect_uri"], question["resource"]) = (address, nil)
            let answer = try await stage.authorize(question)
            #expect(answer.status == 400 && answer.header("Location") == nil)
            #expect(String(decoding: answer.body, as: UTF8.self).contains("<strong>evil.example</strong>"))
            #expect(try RemoteStage.link(on: answer).hasPrefix(address + "&error=invalid_target"))
        }
    }

    @Test(
        "cannot register what no browser should be sent to",
        arguments: [
            "javascript:alert(1)", "data:text/html,x", "http://books.example/back", "https://books.example/back#part",
            "https://user@books.example/back", "file:///etc/passwd", "/back", "",
        ])
    func registrations(address: String) async throws {
        try await RemoteStage.run { stage in
            let answer = try await stage.register(["redirect_uris": [.string(address)]])
            #expect(answer.status == 400 && answer.json["error"] == "invalid_redirect_uri")
        }
    }

    @Test("under another name, from a page of another site, or past the proxy is refused")
    func rebinding() async throws {
        try await RemoteStage.run { stage in
            let tokens = try await stage.tokens()
            #expect(try await stage.message(tokens.access, [("Host", "evil.example")]).status == 421)
            #expect(try await stage.message(tokens.access, [("Origin", "https://evil.example")]).status == 403)
            #expect(try await stage.message(tokens.access, [("Origin", "null")]).status == 403)
            #expect(try await stage.message(tokens.access, [("Origin", stage.origin)]).status == 200)
        }
        try await RemoteStage.run(behindProxy: "https://mcp.example") { stage in
            // The stage's origin is the proxy's, so nothing of it can be reached here: the port is known to the proxy alone.
            #expect(stage.origin == "https://mcp.example")
        }
    }

    @Test("with a token of another kind, or for another server, is refused")
    func audience() async throws {
        try await RemoteStage.run { stage in
            let tokens = try await stage.tokens()
            for token in [tokens.refresh, BrokerStage.agentToken, "csa_guessed", ""] {
                #expect(try await stage.message(token).status == 401)
            }
            let inAddress = try await stage.send(
                "POST", "/mcp?access_token=\(tokens.access)", [("Content-Type", "application/json")],
                body: [0x7B, 0x7D])
            #expect(inAddress.status == 401, "a token in an address does not count")
            // Another origin, and so another resource, over the same database.
            try await RemoteStage.serve(beside: stage.broker) { other in
                #expect(other.origin != stage.origin)
                let answer = try await other.message(tokens.access)
                #expect(answer.status == 401)
                #expect(answer.header("WWW-Authenticate")?.contains("invalid_token") == true)
                let renewal = try await other.token([
                    "grant_type": "refresh_token", "refresh_token": tokens.refresh, "client_id": tokens.client,
                ])
                #expect(renewal.json["error"] == "invalid_grant")
            }
        }
    }

    @Test("that sends too much, too often, or the wrong way is told so")
    func floods() async throws {
        try await RemoteStage.run { stage in
            let tokens = try await stage.tokens()
            let large = try await stage.message(tokens.access, body: [UInt8](repeating: 0x20, count: (1 << 20) + 1))
            #expect(large.status == 413)
            #expect(try await stage.send("GET", "/mcp", [("Authorization", "Bearer \(tokens.access)")]).status == 405)
            let stream = try await stage.message(tokens.access, body: Array("{\"stream\"}".utf8))
            #expect(stream.header("Content-Type") == "text/event-stream")
            #expect(String(decoding: stream.body, as: UTF8.self) == ": waiting\n\ndata: {\"n\":1}\n\n")
            // A stranger's flood keeps no allowed program out.
            var refused = false
            for _ in 0..<1_000 where !refused {
                let answer = try await stage.send(
                    "POST", "/register", [("Content-Type", "application/json")], body: Array("{}".utf8))
                refused = answer.status == 429 && answer.header("Retry-After") != nil
            }
            #expect(refused)
            #expect(try await stage.message(tokens.access).status == 200)
            #expect(try await stage.authorize(stage.question(of: tokens.client)).status == 303)
        }
    }

    @Test("that tries tokens by the hundred keeps no allowed program from renewing its own")
    func guesses() async throws {
        try await RemoteStage.run { stage in
            let tokens = try await stage.tokens()
            stage.broker.clock.advance(by: 601)
            let guess = ["grant_type": "refresh_token", "refresh_token": "csr_guessed", "client_id": tokens.client]
            var (renewal, message) = (0, 0)
            for _ in 0..<1_000 where renewal != 429 || message != 429 {
                renewal = try await stage.send(
                    "POST", "/token", [("Content-Type", "application/x-www-form-urlencoded")],
                    body: Array(RemoteStage.encoded(guess).utf8)
                ).status
                message = try await stage.message("csa_guessed").status
            }
            #expect(renewal == 429 && message == 429)
            #expect(try await stage.message(tokens.access).status == 401, "it hears that its token has ended")
            let next = try RemoteStage.tokens(try await stage.renew(tokens).json, tokens.client)
            #expect(try await stage.message(next.access).status == 200)
        }
    }

    @Test("of one address has sixteen questions at most that wait for a person")
    func manyQuestions() async throws {
        try await RemoteStage.run { stage in
            let client = try #require(try await stage.register().json["client_id"]?.stringValue)
            for _ in 0..<AuthorizationServer.mostWaiting {
                #expect(try await stage.authorize(stage.question(of: client)).status == 303)
            }
            let answer = try await stage.authorize(stage.question(of: client))
            #expect(answer.status == 429 && answer.header("Location") == nil)
            #expect(RemoteStage.query(try RemoteStage.link(on: answer))["error"] == "temporarily_unavailable")
            #expect(try await stage.waiting().count == AuthorizationServer.mostWaiting)
        }
    }

    @Test("with 2 KB of a name leaves a short record in the audit log")
    func longNames() async throws {
        try await RemoteStage.run { stage in
            let long = String(repeating: "a", count: 1_200)
            let registered = try await stage.register([
                "redirect_uris": [.string(RemoteStage.returnsTo), .string("https://books.example/\(long)")]
            ])
            let client = try #require(registered.json["client_id"]?.stringValue)
            #expect(client.utf8.count > 1_200)
            #expect(try await stage.authorize(stage.question(of: client)).status == 303)
            let records = try await stage.broker.administration().database.audit.records(AuditFilter(type: "client"))
            let details = try #require(records.last).event.details
            #expect(details["client"]?.stringValue?.hasPrefix("sha256:") == true, "\(details)")
            #expect(details.compactText().utf8.count < 200)
        }
    }

    @Test("that revokes its token has no rights any more; another program cannot revoke it")
    func revocation() async throws {
        try await RemoteStage.run { stage in
            let tokens = try await stage.tokens()
            func revoke(_ client: String) async throws -> Int {
                let fields = ["token": tokens.refresh, "client_id": client]
                return try await stage.send(
                    "POST", "/revoke", [("Content-Type", "application/x-www-form-urlencoded")],
                    body: Array(RemoteStage.encoded(fields).utf8)
                ).status
            }
            #expect(try await revoke("https://other.example/client.json") == 200)
            #expect(try await stage.message(tokens.access).status == 200)
            #expect(try await revoke(tokens.client) == 200)
            #expect(try await stage.message(tokens.access).status == 401)
        }
    }
}
