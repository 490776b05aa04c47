import Testing

@testable import BankScript

@Suite("Credentials outside a request's body, in lint and in the disclosure")
struct HeadCredentialLintTests {
    private static func script(
        _ request: String, origins: String = "https://api.bank.example", more: String = ""
    ) throws -> BankScript {
        try BankScript(
            yaml: """
                bank: tokens
                name: Token Bank
                origins: [\(origins)]
                credentials: [username, password, token]
                \(more)
                steps:
                  - request: { POST: /session, body: { user: $username, secret: $password } }
                  - capture: { place: { json: $.place } }
                  - request: { \(request) }
                  - download: { open: "/{{ year }}/{{ month }}/{{ place | urlencode }}.pdf" }
                """, file: "tokens.yaml")
    }

    private static let both = "https://api.bank.example, https://files.bank.example"

    @Test(
        "are allowed where the address leads to one origin",
        arguments: [
            ("GET: /a, headers: { Authorization: Bearer $token }", "https://api.bank.example"),
            ("GET: \"{{ place }}\", headers: { Authorization: Bearer $token }", "https://api.bank.example"),
            ("GET: /a, basic: { user: $token, password: \"\" }", both),
            ("GET: \"https://files.bank.example/{{ place }}\", query: { key: $token }", both),
        ])
    func allowed(request: String, origins: String) throws {
        let findings = ScriptLint.findings(in: try Self.script(request, origins: origins))
        #expect(findings.filter { $0.severity == .error }.isEmpty, "\(findings)")
    }

    @Test(
        "are refused where the address may lead to several, in a browser, and as characters",
        arguments: [
            ("GET: \"{{ place }}\", headers: { Authorization: Bearer $token }", both, "", "each of 2 origins"),
            ("GET: \"https://{{ place }}.bank.example/\", query: { key: $token }", both, "", "each of 2 origins"),
            (
                "GET: /a, headers: { X-Api-Key: $token }", "https://api.bank.example", "engine: browser",
                "needs no browser"
            ),
            ("GET: /a, query: { key: { $token: character at position } }", both, "", "fill the field"),
            ("GET: /a, headers: { Authorization: Bearer $other }", both, "", "[username, password, token, other]"),
            ("GET: /a, headers: { Authorization: \"Bearer {{ token }}\" }", both, "", "give it to a field"),
            ("GET: /a, basic: { user: u, password: hunter2 }", both, "", "$password"),
        ])
    func refused(request: String, origins: String, more: String, words: String) throws {
        let findings = ScriptLint.findings(in: try Self.script(request, origins: origins, more: more))
        #expect(findings.contains { $0.severity == .error && "\($0)".contains(words) }, "\(findings)")
    }

    @Test("may be sent with every request of a poll, but not in its body")
    func polls() throws {
        func rules(_ poll: String) throws -> [String] {
            let script = try BankScript(
                yaml: """
                    bank: tokens
                    name: Token Bank
                    origins: [https://api.bank.example]
                    credentials: [token]
                    steps:
                      - wait until: { json: $.state, is: ready, polling: { \(poll) }, within: 1 min }
                      - download: { open: "/{{ year }}/{{ month }}.pdf" }
                    """, file: "tokens.yaml")
            return ScriptLint.findings(in: script).map(\.rule)
        }
        #expect(try rules("GET: /s, headers: { Authorization: Bearer $token }").isEmpty)
        #expect(try rules("POST: /s, body: { token: $token }") == ["polled-secret"])
    }

    @Test("are told before a script is accepted, with their place and their origin")
    func told() throws {
        let script = try Self.script(
            "GET: https://files.bank.example/a, headers: { Authorization: Bearer $token }", origins: Self.both)
        let disclosure = ScriptDisclosure(script)
        #expect(
            disclosure.lines.contains("sends your token, in a header, to https://files.bank.example and nowhere else"))
        #expect(
            disclosure.outflows.map(\.description).contains(
                "your token to https://files.bank.example, in a header, GET https://files.bank.example/a"))
        #expect(
            disclosure.summary.contains { $0.hasPrefix("https://files.bank.example: ") && $0.contains("your token") })
        #expect("\(AcceptanceQuestion(script))".contains("“token”"))
        #expect(
            script.steps[2].action.words == "request GET https://files.bank.example/a with the token, in a header")
    }

    @Test(
        "a signed token keeps its key, its own claims and its limits",
        arguments: [
            ("claims: { iss: me }, life: 10 min", nil), ("claims: { iss: $app }, life: 10 min", nil),
            ("claims: { iss: $token }, life: 10 min", "secret-place"),
            ("claims: { exp: 1 }, life: 10 min", "signed-token"),
            ("header: { alg: none }, claims: {}, life: 10 min", "signed-token"),
            ("claims: {}, life: 1441 min", "signed-token"),
            ("claims: {}, life: 1 min, skew: 301 s", "signed-token"),
            ("claims: { iss: $nope }, life: 1 min", "undeclared-credential"),
        ] as [(String, String?)])
    func signed(sign: String, rule: String?) throws {
        let script = try BankScript(
            yaml: """
                bank: tokens
                name: Token Bank
                origins: [https://api.bank.example]
                credentials: [token, app]
                steps:
                  - capture: { bearer: { sign: { RS256: $token, \(sign) } } }
                  - request: { POST: /a, headers: { Authorization: { scheme: Bearer, captured: bearer } }, body: { app: $app } }
                  - download: { open: "/{{ year }}/{{ month }}.pdf" }
                """, file: "tokens.yaml")
        #expect(ScriptLint.findings(in: script).map(\.rule) == (rule.map { [$0] } ?? []))
        #expect(rule != nil || !"\(AcceptanceQuestion(script))".contains("“token”"))
    }

    @Test("a text that only looks like one is written so that it is read back")
    func literal() throws {
        let script = try Self.script("GET: /a, headers: { X: { template: Bearer $token-ring } }")
        guard let request = script.steps[2].action.as(RequestStep.self) else { throw Missing() }
        #expect(request.headers[0].value == .template("Bearer $token-ring"))
        #expect(try BankScript(yaml: script.yaml(), file: "x.yaml").digest == script.digest)
    }

    private struct Missing: Error {}
}
