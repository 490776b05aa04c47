import Testing

@testable import BankScript

@Suite("A script in YAML")
struct ScriptReaderTests {
    private static let head = """
        bank: test
        name: Test Bank
        origins: [https://bank.example]
        steps:

        """

    @Test(
        "is the same value as in Swift",
        arguments: [
            ("- open: /login", Open("/login").steps),
            ("- follow: Statements", Follow("Statements").steps),
            ("- press: { css: '#go' }", Press(.css("#go")).steps),
            (
                "- fill: { Username: $username, Note: 'for {{ month.name }}' }",
                Fill("Username", with: .username).steps + Fill("Note", with: "for {{ month.name }}").steps
            ),
            (
                "- fill: { css: '#pin', with: $pin }",
                Fill(.css("#pin"), with: .credential("pin")).steps
            ),
            ("- choose: { Year: '{{ year }}' }", Choose("Year", "{{ year }}").steps),
            (
                "- choose: { Accounts: [Current, '{{ account }}'], Year: 2026 }",
                Choose("Accounts", "Current").steps + Choose("Accounts", "{{ account }}").steps
                    + Choose("Year", "2026").steps
            ),
            ("- uncheck: Remember me", Check("Remember me", false).steps),
            (
                "- fail: { BANK_LOGIN_FAILED: .notice, reason: account_locked }",
                Fail(.bankLoginFailed, when: ".notice", reason: .accountLocked).steps
            ),
            (
                "- second factor: { field: Code, from: [person], within: 90 s }",
                SecondFactor("Code", from: .person, within: .seconds(90)).steps
            ),
            (
                "- second factor: { push until: { titled: Overview }, every: 500 ms, within: 1 min }",
                SecondFactor(
                    SecondFactorStep(
                        method: .push(until: .titled("Overview"), every: .milliseconds(500)), limit: .minutes(1))
                ).steps
            ),
            (
                "- search: { rows: 'January', next: Next, at most: 12 pages }",
                Search(rows: "January", next: "Next", atMost: 12).steps
            ),
            (
                "- when: { says: Welcome }\n  then:\n    - press: Continue\n  otherwise:\n    - follow: Skip",
                When(.says("Welcome")) {
                    Press("Continue")
                } otherwise: {
                    Follow("Skip")
                }.steps
            ),
            (
                "- capture: { token: { css: 'meta[name=csrf]', attribute: content, secret: true } }",
                Capture("token", from: .attribute("content", of: .css("meta[name=csrf]")), isSecret: true).steps
            ),
            (
                "- request: { POST: /api/login, headers: { X-Token: { captured: token } }, "
                    + "body: { user: $username, remember: false, tries: 1 } }",
                Request(
                    "POST", "/api/login", headers: [.init("X-Token", .captured("token"))],
                    body: .object(["user": .value(.username), "remember": .bool(false), "tries": .number(1)])
                ).steps
            ),
            (
                "- wait until: { page: .ready, every: 1 s, within: 1 min }",
                WaitUntil(".ready", every: .seconds(1), within: .minutes(1)).steps
            ),
            (
                "- wait until: { json: $.state, is: ready, polling: { GET: /api/job }, within: 1 min }",
                WaitUntil(
                    .json("$.state", is: "ready"), polling: RequestStep(method: "GET", reference: "/api/job"),
                    within: .minutes(1)
                ).steps
            ),
            (
                "- fail: { BANK_LOGIN_FAILED: { not: { json: $.token } }, reason: wrong_code }",
                Fail(.bankLoginFailed, when: .not(.json("$.token", is: nil)), reason: .wrongCode).steps
            ),
            (
                "- second factor: { as: code, from: [person], within: 1 min }",
                SecondFactor(
                    SecondFactorStep(method: .captured(as: "code"), sources: [.person], limit: .minutes(1))
                ).steps
            ),
            (
                "- second factor: { push until: { not: { titled: Approve } }, from: [person], within: 1 min }",
                SecondFactor(untilNot: .titled("Approve"), within: .minutes(1)).steps
            ),
            (
                "- request: { GET: /api, headers: { Authorization: { scheme: Bearer, captured: token } } }",
                Request("GET", "/api", headers: [.init("Authorization", .captured("token"), scheme: "Bearer")]).steps
            ),
            ("- download: PDF", Download("PDF").steps),
            (
                "- download: { open: '/s/{{ year }}.pdf', at most: 2 MB }",
                Download(from: .open("/s/{{ year }}.pdf"), atMost: 2 << 20).steps
            ),
            (
                "- press: { button: Show, in: { row: { exact: January } }, nth: 2 }",
                Press(.button("Show").within(.row(.exact("January"))).nth(2)).steps
            ),
        ] as [(String, [Step])])
    func reads(yaml: String, steps: [Step]) throws {
        let indented = yaml.split(separator: "\n").map { "  " + $0 }.joined(separator: "\n")
        let script = try BankScript(yaml: Self.head + indented, file: "test.yaml")
        let same = BankScript(
            id: "test", name: "Test Bank", origins: ["https://bank.example"], steps: steps)
        #expect(script.json == same.json)
        #expect(script.digest == same.digest)
        #expect(script.steps.first?.mark == Mark(file: "test.yaml", line: 5, column: 5))
    }

    @Test(
        "says what is wrong, where, and what to write",
        arguments: [
            ("- opne: /login", 5, 5, "did you mean “open”?"),
            ("- open: [a]", 5, 11, "must be a text, but this is a list"),
            ("- fill: { Username: { user: x } }", 5, 25, "no part “user”"),
            ("- fail: { BANK_LOGIN_FAILD: .x }", 5, 13, "did you mean “BANK_LOGIN_FAILED”?"),
            ("- fail: { BANK_LOGIN_FAILED: .x, reason: locked }", 5, 44, "account_locked"),
            ("- second factor: { field: Code }", 5, 20, "no “within”"),
            ("- second factor: { field: Code, within: 2 hours }", 5, 43, "has an unknown unit"),
            ("- second factor: { field: Code, within: 2 }", 5, 43, "“2” has no unit"),
            ("- search: { rows: x, next: Next }", 5, 13, "“search” has no “at most”"),
            ("- press: { css: a, xpath: b }", 5, 12, "exactly one of"),
            ("- open: /a\n    press: b", 5, 5, "does one thing"),
            ("- when: .a", 5, 5, "has no “then”"),
            ("- wait until: { within: 1 min }", 5, 17, "either “page” or “json”"),
            ("- wait until: { page: .a }", 5, 17, "no “within”"),
            ("- expect: { is: ready }", 5, 13, "exactly one of"),
            ("- request: { GET: /, headers: { A: { scheme: Bearer } } }", 5, 38, "a captured name"),
            ("- request: { POST: /, body: .inf }", 5, 31, "no such number"),
            ("- request: { POST: /, body: .nan }", 5, 31, "no such number"),
        ])
    func explains(yaml: String, line: Int, column: Int, message: String) throws {
        let error = try #require(throws: ScriptSyntaxError.self) {
            try BankScript(yaml: Self.head + "  " + yaml, file: "test.yaml")
        }
        #expect(error.mark == Mark(file: "test.yaml", line: line, column: column), "\(error)")
        #expect("\(error)".contains(message), "\(error)")
    }

    @Test("knows the matrix of a script by its parts")
    func matrix() {
        let error = #expect(throws: ScriptSyntaxError.self) {
            try BankScript(yaml: "parameters: { month: 3 }\nscenarios:\n  - happy: statement\n", file: "test.yaml")
        }
        #expect(error?.description.contains("this is the matrix of a script") == true, "\(String(describing: error))")
        #expect(error?.description.contains("script test") == true)
    }

    @Test("may begin with a byte order mark")
    func byteOrderMark() throws {
        let script = try BankScript(yaml: "\u{FEFF}" + Self.head + "  - open: /login\n", file: "test.yaml")
        #expect(script.id == "test")
        #expect(try script.digest == BankScript(yaml: Self.head + "  - open: /login\n", file: "test.yaml").digest)
    }

    @Test(
        "names an invisible character in a line's indentation, at its own line",
        arguments: [
            ("\u{A0} - press: Go", 1, "a no-break space (U+00A0)"),
            (" \u{2007}- press: Go", 2, "an invisible character (U+2007)"),
            ("\u{200B}  - press: Go", 1, "an invisible character (U+200B)"),
        ])
    func invisible(line: String, column: Int, words: String) throws {
        let error = try #require(throws: ScriptSyntaxError.self) {
            try BankScript(
                yaml: Self.head + "  - open: /login\n" + line + "\n  - download: PDF\n", file: "test.yaml")
        }
        #expect(error.mark == Mark(file: "test.yaml", line: 6, column: column), "\(error)")
        #expect(error.message == "the line begins with \(words)", "\(error)")
    }

    @Test("suggests the name of the repeated steps", arguments: ["for each month", "For every month", "each month"])
    func repeated(name: String) throws {
        let error = try #require(throws: ScriptSyntaxError.self) {
            try BankScript(yaml: Self.head + "  - open: /login\n\(name):\n  - download: PDF\n", file: "test.yaml")
        }
        #expect(error.hint == "did you mean “for each period”?")
    }

    @Test("declares interruptions once, as in Swift")
    func interruptions() throws {
        let yaml = """
            bank: test
            name: Test Bank
            origins: [https://bank.example]
            interruptions:
              - { when: { titled: Account locked }, fail: BANK_LOGIN_FAILED, reason: account_locked }
              - { when: { titled: An offer }, pass: [follow: "No, thank you"] }
            steps:
              - download: PDF
            """
        let same = BankScript(
            "test", named: "Test Bank", at: "https://bank.example",
            interruptions: [
                Interruption(when: .titled("Account locked"), fail: .bankLoginFailed, reason: .accountLocked),
                Interruption(when: .titled("An offer")) { Follow("No, thank you") },
            ]
        ) {
            Download("PDF")
        }
        #expect(try BankScript(yaml: yaml, file: "test.yaml").digest == same.digest)
    }

    @Test("pins public keys by origin; the digest covers them, and a moved script drops them")
    func pins() throws {
        let keys = ["sha256/qvTGHdzF6KLavt4PO0gs2a6pQ00kSYz8GXf9tXJm9yQ="]
        let head = "bank: b\nname: B\norigins: [https://a.example, https://b.example]\n"
        let pins = "pins:\n  https://b.example: [\(keys[0])]\n"
        let steps = "steps:\n  - download: PDF\n"
        let script = try BankScript(yaml: head + pins + steps, file: "test.yaml")
        #expect(script.pins == ["https://b.example": keys])
        let swift = BankScript(
            "b", named: "B", at: "https://a.example", "https://b.example", pins: ["https://b.example": keys]
        ) {
            Download("PDF")
        }
        #expect(swift.digest == script.digest)
        #expect(try BankScript(yaml: head + steps, file: "test.yaml").digest != script.digest)
        #expect(script.served(at: "https://c.example", isForTesting: false).pins == script.pins)
        #expect(script.served(at: ["http://[::1]:1", "http://[::1]:2"], isForTesting: true).pins.isEmpty)
        #expect(throws: ScriptSyntaxError.self) {
            try BankScript(yaml: head + pins + "  https://b.example: []\n" + steps, file: "test.yaml")
        }
    }

    @Test("moves its absolute addresses to the new hosts")
    func served() {
        let script = BankScript(
            "test", named: "Test Bank", at: "https://bank.example", "https://login.bank.example"
        ) {
            Open("https://login.bank.example/start")
            Open("https://bank.example.org/")
            Download(from: .open("https://bank.example/pdf"))
        }
        let moved = script.served(at: ["http://localhost:1", "http://127.0.0.1:1"], isForTesting: true)
        #expect(moved.origins == ["http://localhost:1", "http://127.0.0.1:1"])
        #expect(
            moved.steps.map(\.action.words) == [
                "open http://127.0.0.1:1/start", "open https://bank.example.org/", "download http://localhost:1/pdf",
            ])
        #expect(
            script.served(at: "https://new.example", isForTesting: false).origins
                == ["https://new.example", "https://login.bank.example"])
    }

    @Test(
        "refuses text that would take forever to read",
        arguments: [
            "bank: " + String(repeating: "[", count: 20_000) + String(repeating: "]", count: 20_000),
            String(repeating: "[", count: 200_000),
            (0..<500).map { String(repeating: " ", count: $0) + "a:\n" }.joined(),
            // Each line expands to ten copies of the line before it.
            head + "  - request:\n      POST: /x\n      body:\n        a0: &a0 [x]\n"
                + (1...12).map { level in
                    let ten = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
                    return "        a\(level): &a\(level) [\(ten)]\n"
                }.joined(),
        ])
    func bounded(yaml: String) {
        #expect(throws: ScriptSyntaxError.self) { try BankScript(yaml: yaml, file: "test.yaml") }
    }

    @Test("reads or refuses any text without crashing, and so does lint")
    func mutations() {
        let whole =
            Self.head + """
                  - open: /login
                  - fill: { Username: $username, Note: 'for {{ month.name | upper }}' }
                  - second factor: { field: Code, from: [vault, person], within: 2 min }
                  - when: { any: [{ says: Hello }, { json: $.a, is: b }] }
                    then:
                      - capture: { token: { css: 'meta[name=csrf]', attribute: content, secret: true } }
                      - request: { POST: /api, headers: { X: { captured: token } }, body: { a: [1, true, null, $pin] } }
                  - wait until: { page: .ready, every: 1 s, within: 1 min }
                  - download: { button: PDF, in: { row: { regex: 'J.n' } }, at most: 2 MB }
                """
        var random = SystemRandomNumberGenerator()
        let letters = Array("{}[]:,-$'\"\n *&!|>%@.(\\aZ0é€")
        var readable = 0
        for _ in 0..<400 {
            var text = Array(whole)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<text.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: text.remove(at: place)
                case 1: text.insert(letters.randomElement(using: &random)!, at: place)
                default: text[place] = letters.randomElement(using: &random)!
                }
            }
            guard let script = try? BankScript(yaml: String(text), file: "test.yaml") else { continue }
            readable += 1
            for finding in ScriptLint.findings(in: script) { _ = finding.located(in: String(text)) }
            #expect(script.digest.hex.count == 64)
        }
        #expect(readable > 0)
    }

    @Test("gives scripts that differ in NaN or infinity different digests")
    func digests() {
        let digests = [Double.nan, .infinity, -.infinity, 1].map { number in
            BankScript("t", named: "T", at: "https://b.example") {
                Request("POST", "/", body: .number(number))
            }.digest
        }
        #expect(Set(digests).count == 4)
    }

    @Test("refuses text that is not a script", arguments: ["", "[]", "bank: x", "bank: x\nbank: y", "a: [", "\t- x"])
    func refuses(yaml: String) {
        #expect(throws: ScriptSyntaxError.self) { try BankScript(yaml: yaml, file: "test.yaml") }
    }
}
