import Clocks
import CurlClient
import DeviceTrust
import Encodings
import Foundation
import GRDB
import Messages
import TestParties
import Testing

@testable import Broker

@Suite("A program elsewhere", .timeLimit(.minutes(3)))
struct RemoteAccessTests {
    @Test("finds the way from a refusal, asks, is allowed by a person, and is an agent")
    func wholeRoad() async throws {
        try await RemoteStage.run { stage in
            let refused = try await stage.send("POST", "/mcp", [("Content-Type", "application/json")], body: [])
            let challenge = try #require(refused.header("WWW-Authenticate"))
            #expect(refused.status == 401)
            let address = try #require(challenge.firstMatch(of: /resource_metadata="([^"]+)"/))
            let resource = try JSONReader.read(
                try await stage.send("GET", String(address.1.dropFirst(stage.origin.count))).body)
            #expect(resource["resource"]?.stringValue == stage.origin + "/mcp")
            #expect(resource["authorization_servers"] == [.string(stage.origin)])
            let metadata = try JSONReader.read(
                try await stage.send("GET", "/.well-known/oauth-authorization-server").body)
            #expect(metadata["issuer"]?.stringValue == stage.origin)
            #expect(metadata["code_challenge_methods_supported"] == ["S256"])

            let registered = try await stage.register()
            #expect(registered.status == 201 && registered.json["token_endpoint_auth_method"] == "none")
            let client = try #require(registered.json["client_id"]?.stringValue)
            let browser = try await stage.ask(client)
            #expect(try await stage.look(browser).status == 200, "it waits for the person")
            let waiting = try await stage.waiting()
            #expect(waiting.map(\.name) == ["Books"] && waiting.map(\.returnsTo) == [RemoteStage.returnsTo])
            #expect(try await stage.allow(browser).status == 200)
            let back = try await stage.returned(browser)
            #expect(back["state"] == "a state" && back["iss"] == stage.origin)
            #expect(try await stage.look(browser).status == 410, "a browser gets one code")

            let code = try #require(back["code"])
            let answer = try await stage.token(stage.redemption(of: code, for: client))
            #expect(answer.status == 200 && answer.json["token_type"] == "Bearer" && answer.json["expires_in"] == 600)
            let tokens = try RemoteStage.tokens(answer.json, client)
            let reply = try await stage.message(tokens.access)
            #expect(reply.status == 200)
            #expect(try JSONReader.read(reply.body) == ["agent": "books"])
            #expect(try await stage.broker.administration().agents.agents().map(\.name.description) == ["books"])
            #expect(try await stage.audited() == ["client.asked", "client.allowed"])
            let text = try String(contentsOf: stage.broker.database, encoding: .isoLatin1)
            for secret in [tokens.access, tokens.refresh, code, browser.number] {
                #expect(!text.contains(secret), "the database has digests only")
            }
        }
    }

    @Test("is allowed by a paired phone with a signature, and with no other")
    func signed() async throws {
        try await RemoteStage.run { stage in
            let phone = try await stage.broker.pair()
            let client = try #require(try await stage.register().json["client_id"]?.stringValue)
            let browser = try await stage.ask(client)
            let asked = try #require(try await stage.waiting().first)
            let permission = ClientPermission(
                for: asked, number: browser.number.lowercased(), agent: try #require(AgentName("books")), limits: .none,
                verifiedBy: [.passkey], at: stage.broker.clock.now)
            let path = "/phone/clients/\(asked.id)/allow"
            #expect(try await phone.send("POST", path, permission.unsigned).status == 400)
            let forged = try await permission.signed(for: phone.server, by: phone.id, with: VaultDeviceKey())
            let refused = try await phone.send("POST", path, forged)
            #expect(refused.status == 403 && refused.json["error_code"] == "SIGNATURE_INVALID")
            let signed = try await permission.signed(for: phone.server, by: phone.id, with: phone.key)
            #expect(try await phone.send("POST", path, signed).status == 200)
            #expect(try await phone.send("POST", path, signed).status == 404, "a question is answered once")
            #expect(try await stage.audited() == ["client.asked", "client.refused", "client.allowed"])
        }
    }

    @Test("that the person denies hears it, and gets no code")
    func denied() async throws {
        try await RemoteStage.run { stage in
            let browser = try await stage.ask(try #require(try await stage.register().json["client_id"]?.stringValue))
            let asked = try #require(try await stage.waiting().first)
            let answer = try await stage.broker.send("POST", "/phone/clients/\(asked.id)/deny", as: .phone, [:])
            #expect(answer.status == 200)
            let back = try await stage.returned(browser)
            #expect(back["error"] == "access_denied" && back["code"] == nil && back["state"] == "a state")
        }
    }

    @Test("whose number is wrong five times has to begin again; another browser gets nothing")
    func wrongNumber() async throws {
        try await RemoteStage.run { stage in
            let client = try #require(try await stage.register().json["client_id"]?.stringValue)
            let browser = try await stage.ask(client)
            let other = RemoteStage.Browser(
                path: browser.path, cookie: browser.cookie.prefix { $0 != "=" } + "=csb_other.ABCDEFGH", number: "")
            #expect(try await stage.look(other).status == 410)
            for left in (0..<5).reversed() {
                let answer = try await stage.allow(browser, number: "00000000")
                #expect(answer.status == 400)
                let message = answer.json["error_message"]?.stringValue ?? ""
                let words = left > 1 ? "\(left) tries are left" : left == 1 ? "1 try is left" : "too often"
                #expect(message.contains(words), "\(message)")
            }
            #expect(try await stage.waiting().isEmpty)
            #expect(try await stage.returned(browser)["error"] == "access_denied")
        }
    }

    @Test("that the person does not answer in ten minutes has to begin again")
    func tooLate() async throws {
        try await RemoteStage.run { stage in
            let browser = try await stage.ask(try #require(try await stage.register().json["client_id"]?.stringValue))
            stage.broker.clock.advance(by: 601)
            #expect(try await stage.waiting().isEmpty)
            #expect(try await stage.look(browser).status == 410)
        }
    }

    @Test("cannot take the name of another agent; the same program can have its own again")
    func names() async throws {
        try await RemoteStage.run { stage in
            _ = try await stage.broker.administration().agents.add(try #require(AgentName("tax")))
            let client = try #require(try await stage.register().json["client_id"]?.stringValue)
            let browser = try await stage.ask(client)
            for name in ["tax", "default", "owner"] {
                #expect(try await stage.allow(browser, as: name).status == 409, "\(name)")
            }
            let first = try await stage.tokens()
            let again = try await stage.tokens()
            #expect(try await stage.message(first.access).status == 401, "the new permission replaces the old")
            #expect(try await stage.message(again.access).status == 200)
        }
    }

    @Test("does not get the name of an agent whose requests are still here")
    func namesOfThePast() async throws {
        try await RemoteStage.run { stage in
            let tax = try #require(AgentName("tax"))
            let token = try await stage.broker.administration().agents.add(tax).revealed()
            let asked = try await stage.broker.send(
                "POST", "/request", as: .token(token), ["type": "statement", "month": 1, "year": 2026])
            #expect(asked.status == 202, "\(asked.json)")
            try await stage.broker.administration().agents.remove(tax)
            let browser = try await stage.ask(try #require(try await stage.register().json["client_id"]?.stringValue))
            let refused = try await stage.allow(browser, as: "tax")
            #expect(refused.status == 409, "\(refused.json)")
            #expect(refused.json["error_message"]?.stringValue?.contains("could then read") == true)
            #expect(try await stage.broker.administration().agents.agents().isEmpty)
            #expect(try await stage.allow(browser, as: "tax-2").status == 200)
        }
    }

    @Test(
        "gets no code for a permission that was taken back, also when it is given again",
        arguments: ["at the phone", "at the terminal", "by itself", "anew"])
    func takenBack(way: String) async throws {
        try await RemoteStage.run { stage in
            let tokens = try await stage.tokens()
            let late = try await stage.ask(tokens.client)
            #expect(try await stage.allow(late).status == 200, "its browser does not look yet")
            switch way {
            case "at the phone":
                #expect(
                    try await stage.broker.send("POST", "/phone/clients/books/remove", as: .phone, [:]).status == 200)
            case "at the terminal":
                try await stage.broker.administration().agents.remove(try #require(AgentName("books")))
            case "by itself":
                let next = try await stage.ask(tokens.client)
                #expect(try await stage.allow(next).status == 200)
                let code = try #require(try await stage.returned(next)["code"])
                let fresh = try await stage.token(stage.redemption(of: code, for: tokens.client))
                let revoked = try await stage.send(
                    "POST", "/revoke", [("Content-Type", "application/x-www-form-urlencoded")],
                    body: Array(
                        RemoteStage.encoded([
                            "token": try RemoteStage.tokens(fresh.json, tokens.client).refresh,
                            "client_id": tokens.client,
                        ]).utf8))
                #expect(revoked.status == 200)
            default: break
            }
            let again = try await stage.ask(tokens.client)
            #expect(try await stage.allow(again).status == 200)
            let back = try await stage.returned(late)
            #expect(back["code"] == nil && back["error"] == "access_denied", "\(way): \(back)")
            #expect(try await stage.returned(again)["code"] != nil, "\(way)")
        }
    }

    @Test(
        "does not get the name of an agent whose offers or schedules are still here", arguments: ["offer", "schedule"])
    func offersOfThePast(kind: String) async throws {
        try await RemoteStage.run { stage in
            let tax = try #require(AgentName("tax"))
            let administration = try stage.broker.administration()
            let token = try await administration.agents.add(tax).revealed()
            if kind == "offer" {
                let offered = try await stage.broker.send(
                    "POST", "/offers", as: .token(token), ["from": "2026-01", "to": "2026-01"])
                #expect(offered.status == 202, "\(offered.json)")
            } else {
                _ = try await administration.schedules.add(
                    bankID: OfferedBank.standardID, try Recurrence("monthly 3 08:00 UTC"), agent: tax)
            }
            try await administration.agents.remove(tax)
            let browser = try await stage.ask(try #require(try await stage.register().json["client_id"]?.stringValue))
            let refused = try await stage.allow(browser, as: "tax")
            #expect(refused.status == 409, "\(kind): \(refused.json)")
            #expect(try await stage.allow(browser, as: "tax-2").status == 200)
        }
    }

    @Test(
        "has no rights any more once the owner takes them away, at the phone or at the terminal",
        arguments: [true, false])
    func removed(atPhone: Bool) async throws {
        try await RemoteStage.run { stage in
            let tokens = try await stage.tokens()
            if atPhone {
                #expect(
                    try await stage.broker.send("POST", "/phone/clients/books/remove", as: .phone, [:]).status == 200)
                #expect(
                    try await stage.broker.send("POST", "/phone/clients/books/remove", as: .phone, [:]).status == 404)
            } else {
                try await stage.broker.administration().agents.remove(try #require(AgentName("books")))
            }
            #expect(try await stage.message(tokens.access).status == 401)
            #expect(try await stage.renew(tokens).json["error"] == "invalid_grant")
        }
    }

    @Test("asks the broker within its limits: banks, kinds, requests a day, and no paths")
    func limits() async throws {
        try await RemoteStage.run { stage in
            let banks = ["default", "other"].map { id in
                JSONValue.object([
                    "bank_id": .string(id), "name": .string(id), "documents": true, "kinds": ["pdf", "csv"],
                ])
            }
            #expect(
                try await stage.broker.send("PUT", "/phone/banks", as: .phone, ["banks": .array(banks)]).status == 200)
            _ = try await stage.tokens(limits: ClientLimits(banks: ["default"], kinds: [.pdf], perDay: 1))
            let name = try #require(AgentName("books"))
            let store = try stage.broker.administration().database.clients
            let own = BrokerStage.Party.token(try #require(try await store.renewBrokerToken(of: name)).revealed())
            let listed = try await stage.broker.send("GET", "/banks", as: own).json
            #expect(listed["banks"]?.arrayValue?.compactMap { $0["bank_id"]?.stringValue } == ["default"])
            func ask(_ bank: String, _ kind: String, _ month: String) async throws -> (status: Int, json: JSONValue) {
                let answer = try await stage.broker.send(
                    "POST", "/request", as: own,
                    [
                        "type": "documents", "bank_id": .string(bank), "kinds": [.string(kind)],
                        "from": .string(month), "to": .string(month),
                    ])
                return (answer.status, answer.json)
            }
            for (bank, kind) in [("other", "pdf"), ("default", "csv")] {
                let answer = try await ask(bank, kind, "2026-01")
                #expect(answer.status == 403 && answer.json["error_code"] == "AGENT_NOT_ALLOWED", "\(answer.json)")
            }
            #expect(try await ask("default", "pdf", "2026-01").status == 202)
            #expect(try await ask("default", "pdf", "2026-02").status == 429)
        }
    }

    @Test("keeps its place in the owner's list and its limits when the plug-in of an allowed kind is gone")
    func goneKind() async throws {
        try await RemoteStage.run { stage in
            let bank: JSONValue = [
                "bank_id": "default", "name": "Default", "documents": true, "kinds": ["pdf", "csv"],
            ]
            #expect(try await stage.broker.send("PUT", "/phone/banks", as: .phone, ["banks": [bank]]).status == 200)
            _ = try await stage.tokens(limits: ClientLimits(banks: nil, kinds: [.pdf], perDay: 1))
            for (kinds, allowed) in [(#""gone","pdf""#, "gone, pdf"), (#""gone""#, "gone")] {
                try await DatabaseQueue(path: stage.broker.database.path).write { db in
                    try db.execute(
                        sql: "UPDATE clients SET limits_json = ?",
                        arguments: [#"{"banks":null,"kinds":[\#(kinds)],"per_day":1}"#])
                }
                let answer = try await stage.broker.send("GET", "/phone/clients", as: .phone)
                #expect(answer.status == 200, "\(answer.json)")
                let listed = try #require(ClientList(json: answer.json)).allowed
                #expect(listed.map { $0.limits.kinds?.map(\.rawValue).joined(separator: ", ") } == [allowed])
                let name = try #require(AgentName("books"))
                let token = try await stage.broker.administration().renewBrokerToken(of: name)
                let refused = try await stage.broker.send(
                    "POST", "/request", as: .token(try #require(token).revealed()),
                    ["type": "documents", "from": "2026-01", "to": "2026-01", "kinds": ["csv"]])
                #expect(refused.status == 403, "\(refused.json)")
                #expect(refused.json["error_message"]?.stringValue?.contains("csv; it allows \(allowed)") == true)
            }
        }
    }

    @Test("is held to a kind of files that is plugged in, as to one that ships")
    func pluggedKind() async {
        await #expect(processExitsWith: .success) {
            let export = DocumentKind("export", mediaType: "application/vnd.export", fileExtension: "exp")
            DocumentKind.plug([export])
            try await RemoteStage.run { stage in
                let bank: JSONValue = [
                    "bank_id": "default", "name": "Default", "documents": true, "kinds": ["pdf", "export"],
                ]
                #expect(try await stage.broker.send("PUT", "/phone/banks", as: .phone, ["banks": [bank]]).status == 200)
                _ = try await stage.tokens(limits: ClientLimits(banks: nil, kinds: [export], perDay: nil))
                let listed = try await stage.broker.send("GET", "/phone/clients", as: .phone).json
                #expect(ClientList(json: listed)?.allowed.map(\.limits.kinds) == [[export]])
                let name = try #require(AgentName("books"))
                let token = try await stage.broker.administration().renewBrokerToken(of: name)
                let own = BrokerStage.Party.token(try #require(token).revealed())
                for (kind, status) in [("export", 202), ("pdf", 403)] {
                    let wish: JSONValue = [
                        "type": "documents", "from": "2026-01", "to": "2026-01", "kinds": [.string(kind)],
                    ]
                    let answer = try await stage.broker.send("POST", "/request", as: own, wish)
                    #expect(answer.status == status, "\(answer.json)")
                }
            }
        }
    }
}
