import Encodings
import Foundation
import TestSupport
import Testing

@testable import BankScript

/// Checks with an independent validator that the schema accepts and refuses the same files as the reader.
@Suite("The JSON Schema of a script, checked with Python's jsonschema")
struct ScriptSchemaPeerTests {

    private static let head = "bank: test\nname: Test Bank\norigins: [https://bank.example]\nsteps:\n"

    private static let valid = [
        "- open: /login", "- press: { css: '#go' }", "- fill: { Username: $username, Note: 'for {{ month.name }}' }",
        "- fill: { css: '#pin', with: $pin }", "- fill: { field: { regex: '^User' }, in: Login, with: x }",
        "- choose: { Year: 2026 }", "- choose: { Accounts: [Current, Savings] }",
        "- choose: { css: select, option: [Current, Savings] }", "- choose: { css: select, option: '{{ year }}' }",
        "- uncheck: Remember me",
        "- fail: { BANK_LOGIN_FAILED: .notice, reason: account_locked }",
        "- second factor: { field: Code, from: [person], within: 90 s, confirm: Go }",
        "- second factor: { field: Code, token: Meridian Savings, within: 90 s }",
        "- second factor: { as: code, from: [vault], within: 90 s }",
        "- second factor: { field: Code, press: Go, within: 90 s }",
        "- second factor: { push until: { json: $.s, is: ok }, polling: { GET: /s }, within: 1 min }",
        "- open: /a\n    expecting: 404", "- submit: { form: '#f', with: { a: $username } }",
        "- press each: { $pin: { button: '{{ digit }}' } }", "- press: { any: [{ button: a }, { css: b }] }",
        "- fill: { 'Character {{ position }}': { $word: character at position } }",
        "- request: { POST: /a, form: { a: 1, b: { captured: c } } }",
        "- search: { json: '$.a[0]', next: { GET: '/a?{{ cursor }}' }, cursor: $.b, at most: 3 pages }",
        "- search: { rows: January, next: Next, last: { says: End }, at most: 3 pages }",
        "- capture: { a: { cookie: b, filter: urldecode } }",
        "- request: { GET: /api, headers: { Authorization: { scheme: Bearer, captured: t } } }",
        "- request: { GET: /api, headers: { Authorization: Bearer $token, X: { template: Bearer $five } } }",
        "- request: { GET: /api, basic: { user: $username, password: $password }, query: { key: $token, a: 1 } }",
        "- wait until: { json: $.state, is: ready, polling: { GET: /s }, within: 1 min }",
        "- expect: { json: $.state, is: ready }", "- expect: { json: $.document }",
        "- second factor: { push until: { titled: Overview }, every: 500 ms, within: 1 min }",
        "- search: { rows: January, next: Next, at most: 12 pages }",
        "- search: { for: { css: li }, next: { link: More }, at most: 3 }",
        "- when: { says: Welcome }\n    then:\n      - press: Continue",
        "- capture: { token: { css: 'meta[name=csrf]', attribute: content, secret: true } }",
        "- capture: { n: { json: $.a, matching: '(.)' } }",
        "- request: { POST: /api, headers: { X: { captured: t } }, body: { user: $username, n: 1 }, expecting: 200..204 }",
        "- wait until: { page: .ready, polling: { GET: /s }, every: 1 s, within: 1 min }", "- download: PDF",
        "- download: { request: { GET: /l }, as: json }",
        "- capture: { t: { sign: { RS256: $key, header: { kid: 'a' }, claims: { iss: me }, life: 10 min } } }",
        "- download: { request: { GET: /l }, pages: { next: $.n, at most: 3 pages }, as: json }",
        "- download: { request: { GET: /l }, pages: { offset: a, of: '$[*]', at most: 3 }, as: transactions, account: a, each: '$[*]', entry: { id: $.i, booked: $.b, amount: $.a, currency: EUR, sign: inverted } }",
        "- download: { open: '/s/{{ year }}.pdf', at most: 2 MB }", "- download: { request: { GET: /pdf } }",
        "- expect: { all: [.a, { not: { status: 200..299 } }, { equal: ['{{ month }}', 1] }] }",
    ]

    private static let broken = [
        "- check: a\n    expecting: 404", "- submit: '#f'", "- press each: { pin: a }",
        "- press: { any: [{ button: a }] }",
        "- fill: { a: { $word: character } }", "- search: { json: '$.a[0]', next: { GET: /a }, at most: 3 pages }",
        "- opne: /login", "- press: Sign in\n    follow: Statements", "- fill: Username",
        "- second factor: { field: Code }", "- second factor: { field: Code, choice: label, within: 1 min }",
        "- second factor: { field: Code, within: soon }",
        "- second factor: { field: Code, from: [A friend], within: 1 min }",
        "- fail: { NO_SUCH_CODE: .notice }", "- fail: { BANK_LOGIN_FAILED: .notice, reason: bad_luck }",
        "- search: { rows: January, next: Next }", "- search: { rows: a, for: b, next: Next, at most: 3 }",
        "- press: { css: a, button: b }", "- press: { nth: 0, button: b }", "- expect: { sees: x }",
        "- when: { says: x }", "- request: { GET: /a, basic: { user: $username } }",
        "- request: { GET: /a, basic: $password }",
        "- request: { GET: /a, query: [a] }",
        "- request: { FETCH: /api }", "- capture: { t: { sign: { RS256: $key, claims: {} } } }",
        "- capture: { t: { sign: { RS256: key, claims: {}, life: 1 min } } }",
        "- capture: { t: { sign: { RS256: $key, ES256: $key, claims: {}, life: 1 min } } }",
        "- capture: { t: { sign: { RS256: $key, claims: {}, life: 1 min }, secret: true } }",
        "- download: { request: { GET: /l }, pages: { next: $.n }, as: json }",
        "- download: { request: { GET: /l }, as: transactions }",
        "- download: { open: /l, as: transactions, account: a, each: $, entry: { id: $.i, booked: $.b, amount: $.a, currency: EUR } }",
        "- download: { request: { GET: /l }, as: transactions, account: a, each: $, entry: { id: $.i, booked: $.b, amount: $.a } }",
        "- download: { request: { GET: /l }, pages: { offset: a, at most: 3 }, as: json }",
        "- request: { GET: /a, POST: /b }",
        "- download: { open: /a, at most: many }", "- capture: token", "- wait until: { page: .ready }",
        "- wait until: { page: .a, json: $.b, within: 1 min }", "- expect: { is: ready }",
        "- second factor: { as: code, field: Code, within: 1 min }",
    ]

    @Test(
        "accepts every readable script and refuses every broken one",
        .needsPeers)
    func peers() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var expected: [String: (isValid: Bool, text: String)] = [:]
        func add(_ text: String, isValid: Bool) throws {
            let file = folder.appending("\(expected.count).yaml")
            try Data(text.utf8).write(to: file)
            expected[file.path] = (isValid, text)
            let isRead = (try? BankScript(yaml: text, file: "x.yaml")) != nil
            #expect(isRead == isValid, "\(text)")
        }
        let variants = Repository.file("BankScripts/DefaultBank/Variants")
        let shipped = try FileManager.default.contentsOfDirectory(at: variants, includingPropertiesForKeys: nil)
        #expect(shipped.count > 5)
        for file in shipped + [variants.appending(path: "../meridian-savings.yaml").standardized] {
            try add(String(contentsOf: file, encoding: .utf8), isValid: true)
        }
        try add(ScriptWriterTests.everything.yaml(), isValid: true)
        for step in Self.valid { try add(Self.head + "  " + step + "\n", isValid: true) }
        for step in Self.broken { try add(Self.head + "  " + step + "\n", isValid: false) }
        try add(Self.head.replacing("name: Test Bank\n", with: "") + "  - open: /\n", isValid: false)
        for pins in ["{ https://bank.example: sha256/x }", "[sha256/x]"] {
            try add(Self.head + "  - open: /\npins: \(pins)\n", isValid: false)
        }
        try add(Self.head + "  - open: /\nfinaly: []\n", isValid: false)
        for (parameter, isValid) in [
            ("{ text: '[0-9]{4}' }", true), ("{ date: 2015-01-01..2030-12-31 }", true), ("{ date: 2026-01-31 }", true),
            ("{ choice: [a, 1] }", true), ("text", false), ("{ text: a, choice: [a] }", false),
            ("{ date: soon }", false),
            ("{ choice: a }", false), ("[a, b]", false), ("{ texts: a }", false),
        ] {
            try add(Self.head + "  - open: /\nparameters: { a: \(parameter) }\n", isValid: isValid)
        }
        for (rule, isValid) in [
            ("{ says: Stay, answer: accept }", true), ("{ says: Name, answer: accept, text: 5 }", true),
            ("{ says: Stay, answer: dismiss }", true), ("{ says: Stay, answer: dismiss, text: a }", false),
            ("{ says: Stay }", false), ("{ answer: accept }", false), ("{ says: Stay, answer: maybe }", false),
            ("Stay", false),
        ] {
            try add(Self.head + "  - open: /\ndialogs:\n  - \(rule)\n", isValid: isValid)
        }

        let schema = folder.appending("schema.json")
        try Data(ScriptSchema.json.canonicalBytes()).write(to: schema)
        let outcome = try await judged([schema.path] + expected.keys.sorted())
        #expect(outcome.count == expected.count)
        for (path, (isValid, text)) in expected {
            #expect((outcome[path] == .null) == isValid, "\(text)\n\(outcome[path] ?? .null)")
        }
    }

    private func judged(_ arguments: [String]) async throws -> [String: JSONValue] {
        let outcome = try await Peers.run(script: "schema.py", arguments)
        #expect(outcome.status == 0)
        return try JSONReader.read(outcome.output).objectValue ?? [:]
    }

    @Test("knows every step and every locator")
    func complete() {
        let text = ScriptSchema.json.compactText()
        for name in StepList.standard.names + ScriptNode.targets + ScriptNode.methods {
            #expect(text.contains("\"required\":[\"\(name)\"") || text.contains("\"\(name)\":{"), "\(name)")
        }
    }
}
