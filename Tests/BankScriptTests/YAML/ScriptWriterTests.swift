import Foundation
import Testing

@testable import BankScript

@Suite("A script written as YAML")
struct ScriptWriterTests {
    private static var forms: [any ScriptText] {
        [
            Open("/login?x=1"), Fill("User: name", with: .username), Fill("Password", with: .password),
            Fill("with", with: "{{ month | pad: 2 }}"), Fill(.css("#pin"), with: .credential("pin")),
            Fill("true", with: "no"), Fill("", with: " 12 "), Choose("Year", "{{ kind }}"), Choose("option", "-"),
            Check("I agree", true), Check("Remember", false), Press(.button(.regex("^Go\\d$"))),
            Follow(.link(.exact("Statements")).within(.row("January").containing("PDF")).nth(2)),
            Enter(frame: .css("iframe")), Choose("Branch", .credential("branch")),
            Choose(.css("#word"), .captured("word")), PressEach("pin", on: .css("img[alt='{{ digit }}']")),
            Submit(form: .css("#f"), with: [FormField("a", "b")]), Open("/gone", expecting: 404...410),
            Fill("Character {{ position }}", with: .character(of: "pin")), Fill("Note", with: .template("$five")),
            Press(.any(.button("Sign in"), .css("#login"))),
            Follow(.xpath("//a")), Press(.control("Go")), Follow(.text("More")),
        ]
    }

    private static var conditions: [any ScriptText] {
        [
            Expect(.all([.titled("Hi"), .not(.path("/x*")), .status(200...204)])),
            Fail(.navigationFailed, when: .any([".a", .shows(.heading("Oops")), .equal("{{ kind }}", "3")])),
            Fail(.bankLoginFailed, when: ".notice--error", reason: .wrongCredentials),
            Expect(.all([.json("$.a", is: "b"), .json("$.c", is: nil)])),
        ]
    }

    private static var factors: [any ScriptText] {
        [
            SecondFactor("Code", from: .person, tries: 2, within: .seconds(90)),
            SecondFactor(
                SecondFactorStep(
                    method: .push(until: .titled("Overview"), every: .milliseconds(500)), limit: .minutes(1))),
            SecondFactor(
                SecondFactorStep(
                    method: .choice(among: .css("label")), limit: .minutes(2), confirm: .button("Next"),
                    question: "Which?")),
            SecondFactor(
                SecondFactorStep(method: .code(field: .css("#c"), picture: .css("img")), limit: .minutes(2))),
            SecondFactor(
                SecondFactorStep(method: .code(field: .css("#c"), picture: nil), limit: .minutes(2), token: "Issuer")),
            SecondFactor(SecondFactorStep(method: .captured(as: "code"), limit: .minutes(2))),
            SecondFactor(
                until: .json("$.s", is: "ok"), polling: RequestStep(method: "GET", reference: "/p"),
                within: .minutes(1)),
        ]
    }

    private static var data: [any ScriptText] {
        [
            Search(rows: "{{ month.name }}", next: "Next", atMost: 12),
            Search(for: .css("li"), next: .link("More"), last: .says("End"), atMost: 3),
            Search(
                json: "$.items[0]", next: RequestStep(method: "GET", reference: "/n?{{ cursor }}"), cursor: "$.next",
                atMost: 3),
            Request("POST", "/t", form: [FormField("a", "{{ kind }}")]), Request("PUT", "/t"), Request("PATCH", "/t"),
            Request("DELETE", "/t"), Capture("x", from: .cookie("c"), filter: "urldecode"),
            WaitUntil(.json("$.s", is: "ok"), within: .minutes(1)),
            Capture("token", from: .attribute("content", of: .css("meta[name=csrf]")), isSecret: true),
            Capture("iban", from: .text(.cell(header: "IBAN")), matching: "([A-Z]{2}\\d+)"),
            Capture("h", from: .header("X-Token")), Capture("c", from: .cookie("sid")),
            Capture(
                "k",
                from: .signed(
                    SignedToken(
                        .rs256, key: "pin", header: ["kid": .value(.credential("branch"))],
                        claims: ["iss": .value("{{ kind }}"), "list": .array([.value("a"), .bool(true)])],
                        life: .minutes(10), skew: .seconds(5))), isSecret: true),
            Capture(
                "k2", from: .signed(SignedToken(.es256, key: "pin", claims: [:], life: .minutes(1))), isSecret: true),
            Capture(
                "k3", from: .signed(SignedToken(.eddsa, key: "pin", claims: [:], life: .minutes(1))), isSecret: true),
            Capture("j", from: .jsonPath("$.a[0]['b']")), Capture("t", from: .template("{{ iban | lower }}")),
            Request(
                "POST", "/api",
                headers: [
                    .init("X-Token", .captured("token")), .init("Authorization", .captured("t"), scheme: "Bearer"),
                ],
                body: .object([
                    "user": .value(.username), "flag": .bool(false), "n": .number(1.5), "i": .number(3), "z": .null,
                    "list": .array([.value("true"), .value("1.5"), .value(.captured("token"))]),
                ]), expecting: 200...204),
            Request(
                "GET", "/api",
                headers: [
                    .init("Authorization", .credential("pin"), scheme: "Bearer"), .init("X-Text", "Bearer $pin"),
                    .init("X-Api-Key", .credential("pin")),
                ], basic: .init(user: .username, password: .password),
                query: [FormField("key", .credential("pin")), FormField("q", "a b")]),
            WaitUntil(".ready", every: .seconds(1), within: .minutes(1)),
            WaitUntil(".news", within: .minutes(1), reloading: true),
            WaitUntil(
                .says("ready"), polling: RequestStep(method: "GET", reference: "/api/status"), within: .seconds(30)),
            When(.says("Welcome")) {
                Press("Continue")
                When(".inner") { Follow("Skip") }
            } otherwise: {
                Follow("Go: on")
            },
            Download("PDF"), Download(from: .open("/s/{{ kind }}.pdf"), atMost: 2 << 20),
            Download(from: .request(RequestStep(method: "POST", reference: "/api/pdf")), atMost: 1000),
            Download(from: .control(.css("a.pdf")), atMost: 3 << 20), Download(from: .printedPage, atMost: 4 << 20),
            Download(
                from: .request(RequestStep(method: "GET", reference: "/list")),
                as: .transactions(
                    TransactionMapping(
                        entries: "$.items[*]", account: "{{ kind }}", id: "$.id", booked: "$.day", made: "$.made",
                        valued: "$.value", amount: "$.amount", countsMinorUnits: true, isInverted: true,
                        currency: "EUR", payee: "$.who", purpose: "$.text", balance: "$.left",
                        pending: .init(path: "$.state", is: "HELD"))),
                pages: AnswerPages(next: .cursor("$.next", parameter: "after"), limit: 7), atMost: 5 << 20),
            Download(
                from: .request(RequestStep(method: "GET", reference: "/list")),
                as: .transactions(
                    TransactionMapping(
                        entries: "$[*]", account: "A", id: "$.id", booked: "$.day", amount: "$.amount",
                        outgoing: .init(path: "$.way", is: "OUT"), currency: "$.currency")),
                pages: AnswerPages(next: .offset(parameter: "skip", items: "$[*]"), limit: 8)),
            Download(
                from: .request(RequestStep(method: "GET", reference: "/list")), as: .document(.json),
                pages: AnswerPages(next: .link("$.next"), limit: 9)),
            Download(from: .encoded(in: "$.items[{{ month }}].pdf"), as: .document(.csv)),
            Download(from: .submit(SubmitStep(form: .css("#d"), fields: [FormField("a", "{{ kind }}")]))),
        ]
    }

    /// Every part of the language.
    static let everything: BankScript = {
        var script = pagesAndForms
        script.exchange = CredentialExchange(
            .authorize(
                .init("https://auth.a.example/?x=1", redirect: "http://127.0.0.1:17265/"),
                .init("/token", client: .template("id: 1"), secret: .form("pin"), scope: "read: all")))
        script.consent = .until("$.a['until']")
        script.budget = .aDay(24)
        return script
    }()

    private static let pagesAndForms = BankScript(
        id: "test", name: "Test: “Bank” #1", origins: ["https://a.example", "https://b.example:8443"],
        pins: [
            "https://a.example": [
                "sha256/qvTGHdzF6KLavt4PO0gs2a6pQ00kSYz8GXf9tXJm9yQ=",
                "sha256/YLh1dUR9y6Kja30RrAn7JKnbQG/uEtLMkBgFF2Fuihg=",
            ]
        ],
        isForTesting: true, locale: "de-DE", attempts: 3, credentials: ["username", "password", "pin", "branch"],
        engine: .browser, atOnce: 5,
        parameters: [
            Parameter("month", in: 1...12), Parameter("kind", in: 3...3),
            Parameter("suffix", text: "[0-9]{4}|[A-Z]: #"), Parameter("from", dates: "2015-01-01"..."2030-12-31"),
            Parameter("day", dates: "2026-02-28"..."2026-02-28"), Parameter("account", choices: "1", "Savings: A"),
        ],
        interruptions: [
            Interruption(when: .says("locked"), fail: .bankLoginFailed, reason: .accountLocked),
            Interruption(when: "#advert") { Press("No, thanks") },
        ],
        dialogs: [
            DialogRule(saying: "Leave: “this” page?", answer: .dismiss),
            DialogRule(saying: "yes", answer: .accept()),
            DialogRule(saying: "Name this device", answer: .accept(typing: "on")),
        ],
        accounts: AccountList(names: .css(".account"), alias: "^[A-Z: ]+"),
        steps: (forms + conditions + factors + data).flatMap(\.steps),
        forEachAccount: Follow(.link("{{ account_name }}")).steps,
        forEachPeriod: Open("/{{ month }}").steps + Download("Everything", asZIPOf: [.pdf, .camt]).steps
            + Download("Year", asZIPOf: [.qif], named: "{{ year }}: {{ month | pad }}").steps
            + Download(from: .open("/data"), as: .document(.mt940), atMost: 1 << 20).steps,
        finally: Press("Sign out").steps)

    /// The same with its accounts in a JSON answer.
    static let answering: BankScript = {
        var script = everything
        script.accounts = AccountList(json: "$.accounts[*]", name: "$.name", id: "$.id", alias: "^[A-Z: ]+")
        script.exchange = CredentialExchange(.claim(setup: "pin", gives: ["login", "key"]))
        script.consent = .lasts(days: 90)
        return script
    }()

    /// The same script with an exchange on another device.
    static let onAnotherDevice: BankScript = {
        var script = everything
        script.exchange = CredentialExchange(
            .device(address: "/device", .init("/token", client: .credential("pin"), secret: .basic("branch"))))
        return script
    }()

    /// The same script with a session that the owner opens.
    static let inSession: BankScript = {
        var script = everything
        script.exchange = CredentialExchange(
            .session(
                OwnersSession(
                    ask: [
                        Step(
                            .request(
                                RequestStep(
                                    method: "POST", reference: "/auth",
                                    body: .object(["state": .value(.captured("state")), "end": .value("{{ until }}")])))
                        )
                    ], page: "$.a['url']", redirect: .credential("pin"), days: 30,
                    redeem: Capture("one", from: .jsonPath("$.b")).steps)))
        script.forEachPeriod +=
            Download(
                from: .request(RequestStep(method: "GET", reference: "/list")),
                as: .transactions(
                    TransactionMapping(
                        entries: "$.items[*]", account: "one", id: "$.id", booked: "$.day", amount: "$.amount",
                        currency: "EUR", payee: "$.who", payer: "$.from",
                        besides: .init(amount: "$.up", payee: "Round: Up")))
            ).steps
        return script
    }()

    @Test("reads back as the same value", arguments: [everything, answering, onAnotherDevice, inSession])
    func roundTrip(script: BankScript) throws {
        let text = script.yaml()
        let again = try BankScript(yaml: text, file: "again.yaml")
        #expect(again.json == script.json, "\(text)")
        #expect(again.accounts == script.accounts)
    }

    @Test("accounts on a page keep the digest that they had before answers could list them")
    func pageAccounts() throws {
        #expect(AccountList(names: .css("h2"), alias: "[A-Z]+").json == ["names": ["css": "h2"], "alias": "[A-Z]+"])
        let id = AccountList(json: "$.a[*]", name: "$.n").json
        #expect(id == ["json": "$.a[*]", "name": "$.n"])
    }

    @Test(
        "accounts that stand in no place are refused with what to write",
        arguments: [
            ("{ alias: x }", "names: .account-name"), ("{ json: $.a }", "name: $.name"),
            ("{ json: $.a, names: h2 }", "“names” is for a page"), ("{ names: h2, id: $.id }", "“id” needs json"),
            ("{ names: h2, name: $.n }", "“name” needs json"),
        ])
    func refusedAccounts(text: String, hint: String) {
        let yaml = "bank: a\nname: A\norigins: [https://bank.example]\naccounts: \(text)\nsteps:\n  - open: /\n"
        let error = #expect(throws: ScriptSyntaxError.self) { try BankScript(yaml: yaml, file: "a.yaml") }
        #expect(error.map { "\($0)".contains(hint) } == true, "\(String(describing: error))")
    }

    @Test("looks as if a person had written it")
    func taste() {
        let script = BankScript("default", named: "Meridian Savings", at: "https://bank.example") {
            Open("/login")
            Fill("Username", with: .username)
            Fill("Password", with: .password)
            Press("Sign in")
            Fail(.bankLoginFailed, when: ".notice--error", reason: .wrongCredentials)
            SecondFactor("One-time code", from: .vault, .person, within: .minutes(2))
            Search(rows: "{{ month.name }} {{ year }}", next: "Next", atMost: 12)
            Download("PDF")
        } finally: {
            Press("Sign out")
        }
        var remarks = ScriptRemarks()
        remarks.head = ["A first script."]
        remarks.steps = [4: ["Which notice does the bank show?"]]
        let expected = """
            # A first script.
            bank: default
            name: Meridian Savings
            origins: [https://bank.example]
            steps:
              - open: /login
              - fill: { Username: $username, Password: $password }
              - press: Sign in
              # Which notice does the bank show?
              - fail: { BANK_LOGIN_FAILED: .notice--error, reason: wrong_credentials }
              - second factor: { field: One-time code, from: [vault, person], within: 2 min }
              - search: { rows: "{{ month.name }} {{ year }}", next: Next, at most: 12 pages }
              - download: PDF
            finally:
              - press: Sign out

            """
        #expect(script.yaml(remarks: remarks) == expected)
    }

    @Test("keeps any recorded text inside a comment")
    func remarks() throws {
        let script = BankScript("t", named: "T", at: "https://b.example") { Open("/") }
        var remarks = ScriptRemarks()
        remarks.head = ["a\norigins: [https://evil.example]"]
        remarks.steps = [0: ["b\r\n  - open: https://evil.example", "\u{2028}- c"]]
        remarks.foot = ["d\u{85}- press: x"]
        let text = script.yaml(remarks: remarks)
        #expect(try BankScript(yaml: text, file: "t.yaml").json == script.json, "\(text)")
    }

    @Test(
        "quotes a text that YAML would read as something else",
        arguments: [
            "true", "1", "- a", "a: b", "a #b", "", " a", "a ", "*a", "{{ x }}", "null", "~", "é: ", "a\nb", "\u{7}",
            ".5", "'a'", "2026-01-02", "@x", "%x", "a\u{2028}b", "a\u{85}b", "a: \u{301}b", "a #\u{301}b", "a\u{FEFF}b",
            "a\u{FFFF}b", "a  \u{301}b", "$password", "$", "$5", "$ x",
        ])
    func scalars(text: String) throws {
        let script = BankScript("t", named: "T", at: "https://b.example") {
            Fill("Field", with: .template(Template(text)))
        }
        let again = try BankScript(yaml: script.yaml(), file: "t.yaml")
        #expect(again.json == script.json, "\(script.yaml())")
    }

    @Test(
        "writes a field with a long label",
        arguments: [
            String(repeating: "name ", count: 190) + "x", String(repeating: "n", count: 999),
            String(repeating: "n", count: 1000), String(repeating: "é", count: 1025),
            "a" + String(repeating: "\u{7}", count: 200),
        ])
    func longKeys(name: String) throws {
        let script = BankScript("t", named: "T", at: "https://b.example") {
            Fill(.field(.name(name)), with: .username)
        }
        let again = try BankScript(yaml: script.yaml(), file: "t.yaml")
        #expect(again.json == script.json, "\(script.yaml())")
    }
}
