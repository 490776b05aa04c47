import Testing

@testable import BankScript

@Suite("A script that exchanges a credential for others")
struct ExchangeLintTests {
    private static func script(_ head: String, credentials: String = "[id, key]") throws -> BankScript {
        try BankScript(
            yaml: """
                bank: a
                name: A
                origins: [https://bank.example, https://other.example]
                credentials: \(credentials)
                \(head)
                steps:
                  - download: { request: { GET: /doc, headers: { Authorization: Bearer $access_token } } }
                """, file: "a.yaml")
    }

    @Test(
        "is refused with what to write where it cannot be read",
        arguments: [
            ("exchange: { claim: $key }", "“exchange” needs “gives”"),
            ("exchange: { claim: key, gives: [a, b] }", "this must be a credential"),
            ("exchange: { claim: $key, gives: [a] }", "a claim gives a user and a password"),
            ("exchange: { claim: $key, gives: [a, b], token: /t }", "“claim” has no “token”"),
            ("exchange: { authorize: https://a.example/ }", "“exchange” needs “token” and “client”"),
            (
                "exchange: { authorize: https://a.example/, token: /t, client: $id, gives: [a] }",
                "“authorize” has no “gives”"
            ),
            (
                "exchange: { device: /d, token: /t, client: $id, redirect: http://127.0.0.1:1/ }",
                "“device” has no “redirect”"
            ),
            (
                "exchange: { device: /d, token: /t, client: $id, secret: $key, basic: $key }",
                "the client's secret leaves once"
            ),
            ("exchange: { device: /d, claim: $key }", "exactly one of: claim, authorize, device, ask"),
            ("exchange: { tokn: /t }", "has no part “tokn”; did you mean “token”?"),
            ("exchange: { ask: [open: /], page: $.url }", "needs “page”, “lasts” and “redeem”"),
            (
                "exchange: { ask: [open: /], page: $.url, lasts: soon, redeem: [open: /] }",
                "a consent lasts for 1 to 3650 days"
            ),
            ("exchange: { ask: [open: /], token: /t }", "“ask” has no “token”"),
            ("exchange: { device: /d, token: /t, client: $id, page: $.url }", "“device” has no “page”"),
            ("consent: {}", "either “until” or “lasts”"),
            ("consent: { lasts: 90 }", "a consent lasts for 1 to 3650 days"),
            ("consent: { lasts: 0 days }", "a consent lasts for 1 to 3650 days"),
            ("budget: 24", "a budget is a number"),
            ("budget: 0 a day", "a budget is a number"), ("budget: 24 an hour", "a budget is a number"),
            ("budget: 0 a minute", "1 to 600 a minute"), ("budget: 601 a minute", "1 to 600 a minute"),
        ])
    func unreadable(head: String, message: String) {
        let error = #expect(throws: ScriptSyntaxError.self) { try Self.script(head) }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    }

    @Test(
        "is an error where it cannot work, or would give something away",
        arguments: [
            ("exchange: { device: /d, token: /t, client: $missing }", "undeclared-credential"),
            ("exchange: { device: /d, token: https://thief.example/t, client: $id }", "undeclared-origin"),
            ("exchange: { device: https://thief.example/d, token: /t, client: $id }", "undeclared-origin"),
            ("exchange: { authorize: http://a.example/, token: /t, client: $id }", "exchange"),
            ("exchange: { authorize: https://thief.example/, token: /t, client: $id }", "undeclared-origin"),
            (
                "exchange: { authorize: https://a.example/, redirect: http://a.example/, token: /t, client: $id }",
                "exchange"
            ),
            (
                "exchange: { authorize: https://a.example/, redirect: http://127.0.0.1.a.example/, token: /t, client: $id }",
                "exchange"
            ),
            (
                "exchange: { authorize: https://a.example/, redirect: $nope, token: /t, client: $id }",
                "undeclared-credential"
            ),
            ("exchange: { device: /d, token: /t, client: $id }\nengine: browser", "exchange"),
            ("consent: { lasts: 90 days }", "consent"), (#"consent: { until: "$.{{ nope }}" }"#, "unknown-name"),
        ])
    func wrong(head: String, rule: String) throws {
        let errors = ScriptLint.findings(in: try Self.script(head)).filter { $0.severity == .error }
        #expect(errors.contains { $0.rule == rule }, "\(errors)")
    }

    @Test("may not send what it gives to two origins, or ask the person for it, too")
    func places() throws {
        let exchange = "exchange: { device: /d, token: /t, client: $id }"
        var script = try Self.script(exchange)
        #expect(!ScriptLint.findings(in: script).contains { $0.rule == "secret-place" })
        script.steps += try Self.script(exchange).steps.map { step in
            guard var download = step.action.as(DownloadStep.self), case .request(var request) = download.source else {
                return step
            }
            request.reference = "https://other.example/doc"
            download.source = .request(request)
            var other = step
            other.action = Action(download)
            return other
        }
        #expect(ScriptLint.findings(in: script).contains { $0.rule == "secret-place" && $0.severity == .error })
        let asked = try Self.script(exchange, credentials: "[id, access_token]")
        #expect(ScriptLint.findings(in: asked).contains { $0.rule == "exchange" && $0.severity == .error })
    }

    private static let session = """
        exchange:
          redirect: $id
          lasts: 90 days
          ask:
            - request: { POST: /auth, body: { key: $key, until: "{{ until }}", state: { captured: state } } }
          page: $.url
          redeem:
            - request: { POST: /sessions, body: { code: { captured: code } } }
        """

    @Test(
        "with steps of its own may have neither pages nor documents, and has to send what its answers are known by",
        arguments: [
            ("request: { POST: /auth, body:", "open: /auth #", "exchange"),
            (
                "request: { POST: /sessions, body: { code: { captured: code } } }", "download: { open: /doc }",
                "exchange"
            ),
            ("state: { captured: state }", "state: x", "exchange"), ("{ captured: code }", "x", "exchange"),
            ("{ captured: state }", "{ captured: code }", "unknown-name"),
            ("{{ until }}", "{{ untl }}", "unknown-name"),
            ("$.url", "$.{{ nope }}", "unknown-name"), ("/sessions", "https://thief.example/", "undeclared-origin"),
            ("$key", "$nope", "undeclared-credential"), ("redirect: $id", "redirect: http://a.example/", "exchange"),
        ])
    func wrongSession(part: String, other: String, rule: String) throws {
        let sound = try Self.script(Self.session)
        #expect(!ScriptLint.findings(in: sound).contains { $0.rule == "exchange" || $0.rule == "unknown-name" })
        let errors = ScriptLint.findings(in: try Self.script(Self.session.replacing(part, with: other))).filter {
            $0.severity == .error
        }
        #expect(errors.contains { $0.rule == rule }, "\(errors)")
    }

    @Test("with steps of its own is shown whole before acceptance, with what leaves")
    func sessionWords() throws {
        let script = try Self.script(Self.session)
        #expect(script.exchange?.needsOwner == true && script.exchange?.gives == [])
        let lines = ScriptDisclosure(script).lines.joined(separator: "\n")
        for words in [
            "asks for a page at which you say yes for 90 days", "request POST /auth with the key",
            "comes back to your id with a code", "body $.code: the captured code", "sealed in the vault",
        ] { #expect(lines.contains(words), "\(words)\n\(lines)") }
        #expect(OutflowWalk(script).credentials.contains("key"))
        let outflows = ScriptDisclosure(script).outflows.map(\.description)
        #expect(outflows.contains { $0.hasPrefix("the key to https://bank.example") }, "\(outflows)")
    }

    @Test("shows before acceptance what leaves in the address of the page for the owner's yes")
    func page() throws {
        let script = try Self.script(
            "exchange: { authorize: https://other.example/yes, token: /t, client: $id, secret: $key }")
        #expect(!ScriptLint.findings(in: script).contains { $0.severity == .error })
        #expect(
            ScriptDisclosure(script).outflows.map(\.description).contains(
                "the id to https://other.example, in the address for your browser https://other.example/yes"))
    }

    @Test("does not change the digest of a script without it")
    func digest() throws {
        let plain = try Self.script("locale: en")
        #expect(plain.json["exchange"] == nil && plain.json["consent"] == nil && plain.json["budget"] == nil)
    }

    @Test("tells how many requests are made in a minute, and keeps it when the script is written")
    func budgetOfMinute() throws {
        let script = try Self.script("budget: 8 a minute")
        #expect(script.budget == .aMinute(8) && script.budget?.gap == .milliseconds(7500))
        #expect(try BankScript(yaml: script.yaml(), file: "written").digest == script.digest)
        #expect(
            ScriptDisclosure(script).lines.joined(separator: "\n").contains(
                "budget: at most 8 requests and downloads in a minute"))
    }

    @Test("names in the question at acceptance what the exchange sends, too")
    func question() throws {
        let script = try Self.script(
            "exchange: { authorize: https://a.example/, token: /t, client: $id, secret: $key }")
        #expect(OutflowWalk(script).credentials == ["id", "key", "access_token"])
        let lines = ScriptDisclosure(script).lines.joined(separator: "\n")
        #expect(lines.contains("you say yes at https://a.example/ in your browser"))
        #expect(lines.contains("sealed in the vault, and sent to this bank only"))
    }
}
