import Encodings
import Foundation
import Testing

@testable import BankScript

/// A script with every word of the language. A word that the reader, the writer, the JSON form, the schema, lint or the
/// disclosure forgets fails a test here.
@Suite("Every word of the language")
struct VocabularyTests {
    private static let yaml = """
        bank: every-word
        name: Every Word
        source: web
        origins: [https://bank.example]
        pins: { https://bank.example: [sha256/YLh1dUR9y6Kja30RrAn7JKnbQG/uEtLMkBgFF2Fuihg=] }
        locale: de
        attempts: 2
        at once: 3
        engine: html
        testing: true
        credentials: [username, password, pin, word]
        device: [leaf-d6]
        exchange: { authorize: https://auth.bank.example/leaf-d0, redirect: http://127.0.0.1:4711/leaf-d1, token: /leaf-d2, client: leaf-d3, secret: $word, scope: leaf-d4 }
        consent: { until: $.leafd5 }
        budget: 24 a day
        parameters: { month: 1..12, year: 2000..2100, account: 0..9, suffix: { text: "leaf-76[0-9]{4}" }, from: { date: 2015-01-01..2030-12-31 }, kind: { choice: [leaf-77, leaf-78] } }
        interruptions:
          - { when: { titled: leaf-01 }, fail: NAVIGATION_FAILED, reason: maintenance }
          - { when: { titled: leaf-02 }, pass: [follow: leaf-03] }
        dialogs:
          - { says: leaf-92, answer: accept, text: leaf-93 }
          - { says: leaf-94, answer: dismiss }
        accounts: { names: "#leaf-87", alias: "leaf-88 ([A-Z]+)" }
        steps:
          - open: /leaf-04
            expecting: 404..410
          - follow: leaf-05
            expecting: 451
          - press: { any: [{ button: leaf-06 }, { css: "#leaf-07" }] }
            within: 29 s
          - press each: { $pin: { button: { exact: "leaf-08 {{ digit }}" } } }
          - submit: { form: "#leaf-09", with: { leaf-10: leaf-11, b: $password } }
          - fill: { "leaf-12 {{ position }}": { $word: character at position } }
          - fill: { css: "#leaf-13", with: "leaf-14 {{ year }}" }
          - choose: { leaf-15: "leaf-16 {{ month }}" }
          - choose: { css: "#leaf-80", option: $word }
          - check: leaf-17
          - uncheck: leaf-18
          - enter: "#leaf-19"
          - second factor: { field: leaf-20, picture: "#leaf-21", press: leaf-22, question: leaf-23, token: leaf-24, from: [vault, person], tries: 3, within: 2 min }
          - second factor: { push until: { json: $.leaf25, is: leaf-26 }, polling: { GET: /leaf-27 }, every: 3 s, from: [person], within: 1 min }
          - second factor: { choice: "#leaf-28", from: [person], within: 1 min }
          - second factor: { as: code, from: [person], within: 1 min }
          - expect: { all: [{ shows: { row: { regex: leaf-29 }, containing: leaf-30, nth: 2, in: leaf-31 } }, { not: { says: leaf-32 } }] }
          - expect: { any: [{ path: /leaf-33 }, { status: 217 }, { equal: ["leaf-34 {{ account }}{{ suffix }}{{ kind }}{{ from | plus: 1 month }}", leaf-35] }] }
          - expect: { shows: { cell: leaf-36, in: { heading: leaf-37 } } }
          - expect: { shows: { xpath: //leaf-38 } }
          - expect: { shows: { text: leaf-39 } }
          - fail: { BANK_LOGIN_FAILED: "#leaf-40", reason: code_expired }
          - when: { shows: { link: leaf-41 } }
            then: [follow: leaf-42]
            otherwise: [check: leaf-43]
          - search: { rows: leaf-44, next: leaf-45, last: { says: leaf-46 }, at most: 13 pages }
          - request: { PUT: /leaf-47, headers: { leaf-48: { scheme: leaf-49, captured: code } }, body: { leaf50: [leaf-51, { number: "{{ year }}" }, true, null, 5.5] }, expecting: 219 }
          - request: { GET: /leaf-95, headers: { leaf-96: Bearer $word, X-Plain: { template: leaf-97 } }, basic: { user: $username, password: $password }, query: { leaf-98: leaf-99 } }
          - request: { POST: /leaf-52, form: { leaf-53: "leaf-54" } }
          - search: { json: $.leaf55, next: { GET: "/leaf-56{{ cursor | urlencode }}" }, cursor: $.leaf57, at most: 14 pages }
          - capture: { leaf58: { css: "#leaf-59", attribute: leaf-60, matching: leaf-61, filter: "upper | trim", secret: true } }
          - capture: { leafc2: { sign: { ES256: $pin, header: { leafc3: leaf-c4 }, claims: { leafc5: leaf-c6, n: 1 }, life: 11 min, skew: 45 s } } }
          - capture: { signed2: { sign: { RS256: $pin, claims: {}, life: 1 min } } }
          - capture: { signed3: { sign: { EdDSA: $pin, claims: {}, life: 1 min } } }
          - request: { GET: /leaf-c7, headers: { Authorization: { scheme: Bearer, captured: leafc2 } } }
          - capture: { leaf62: { cookie: leaf-63 } }
          - capture: { leaf64: { header: leaf-65 } }
          - capture: { leaf66: { json: $.leaf67 } }
          - capture: { leaf68: { template: "leaf-69 {{ first_day | plus: 1 month }}" } }
          - request: { POST: /leaf-70, body: { a: { captured: leaf58 }, b: "{{ leaf62 }}{{ leaf64 }}{{ leaf66 }}{{ leaf68 }}", user: $username } }
          - search: { for: { css: "#leaf-85" }, next: { button: leaf-86 }, at most: 15 pages }
          - request: { PATCH: /leaf-81, body: {} }
          - request: { DELETE: /leaf-82 }
          - fill: { css: "#leaf-83", with: { template: $leaf-84 } }
          - wait until: { page: { status: 218 }, reload: true, within: 3 min }
          - wait until: { json: $.leaf71, is: leaf-72, polling: { GET: /leaf-73 }, every: 4 s, within: 3 min }
        for each account:
          - open: "/leaf-89/{{ account_name }}"
        for each period:
          - open: "/leaf-79/{{ year }}/{{ account_alias }}"
          - download: { request: { POST: /leaf-74 }, as: csv, at most: 7 MB }
          - download: { control: leaf-90, as: zip, holding: [xlsx, ofx], named: "leaf-91 {{ month }}" }
          - download: { submit: { form: "#leaf-00", with: { nr: "{{ month }}" } }, as: mt940 }
          - download: { print: page, at most: 6 MB }
          - when: { says: Bookings }
            then:
              - download: { request: { GET: /leaf-a1 }, pages: { next: $.leafa2, as: leaf-a3, at most: 16 pages }, as: transactions, account: leaf-a4, each: $.leafa5, entry: { id: $.leafa6, booked: $.leafa7, made: $.leafa8, valued: $.leafa9, amount: $.leafb0, currency: $.leafb1, payee: $.leafb2, payer: $.leafd7, purpose: $.leafb3, balance: $.leafb4, in: minor units, outgoing: { json: $.leafb5, is: leaf-b6 }, pending: { json: $.leafb7, is: leaf-b8 } } }
            otherwise:
              - download: { request: { GET: /list }, as: transactions, account: A, each: $.items, entry: { id: $.id, booked: $.day, amount: $.sum, currency: EUR, besides: { amount: $.leafd8, payee: leaf-d9 } } }
          - download: { request: { GET: /leaf-b9 }, pages: { offset: leaf-c0, of: $.leafc1, at most: 17 pages }, as: json }
        finally:
          - follow: { control: leaf-75 }
        """

    /// Names that the reader takes, but that nothing writes any more.
    private static let olderWords = ["confirm"]

    private static let script = Result { try BankScript(yaml: yaml, file: "every-word.yaml") }
    private static let leaves = Set(yaml.matches(of: /leaf-?[\da-z]\d/).map { String($0.output) })

    @Test("has no leaf that these tests pass over")
    func everyLeaf() {
        #expect(Self.yaml.matches(of: /leaf-?[\da-z]\d/).count == Self.yaml.ranges(of: "leaf").count)
    }

    @Test("is read, and written back to the same digest")
    func writes() throws {
        let script = try Self.script.get()
        let again = try BankScript(yaml: script.yaml(), file: "again.yaml")
        #expect(again.digest == script.digest, "\(script.yaml())")
    }

    @Test("counts in the digest, and is told to the person who accepts the script")
    func disclosed() throws {
        let script = try Self.script.get()
        let json = script.json.compactText()
        let words = ScriptDisclosure(script).lines.joined(separator: "\n")
        for leaf in Self.leaves.sorted() {
            #expect(json.contains(leaf), "the digest forgets \(leaf)")
            #expect(words.contains(leaf), "the disclosure forgets \(leaf)")
        }
        for detail in [
            "404", "410", "451", "waits 29 s at most", "217", "219", "13 pages", "14 answers", "2015-01-01",
            "2030-12-31", "urlencode",
            "plus: 1 month", "upper | trim", "as csv", "as zip of ofx and xlsx", "printed as a PDF", "at once 3",
            "at most 3 in all", "header leaf-96: Bearer and the word",
            "sends your word, in a header, to https://bank.example and nowhere else",
            "sends your password, by Basic authentication, to https://bank.example and nowhere else",
            "accept it with the text “leaf-93”", "dismiss it",
            "a token that your pin signs; the key stays on the phone", "signed with ES256",
            "valid for 11 min, dated 45 s back", "at most 24 requests and downloads in 24 hours",
            "with your word in a form", "sealed in the vault, and sent to this bank only",
            "at most 16 pages", "at most 17 pages", "as json", "as transactions", "amounts are in hundredths",
            "an amount has left the account where $.leafb5 is “leaf-b6”",
            "the amount at $.leafd8 is a booking of its own, to “leaf-d9”",
        ] {
            #expect(words.contains(detail), "the disclosure forgets \(detail)")
        }
    }

    @Test("passes lint")
    func lints() throws {
        // Pins need the engine html, and printing needs the browser.
        let errors = ScriptLint.findings(in: try Self.script.get()).filter {
            $0.severity == .error && $0.rule != "print"
        }
        #expect(errors.isEmpty, "\(errors)")
    }

    /// Leaves in which a placeholder has no meaning: names of captures, headers, cookies and fields, patterns, paths of
    /// conditions, tokens, the choices of a parameter, and dialogs.
    private static let plainLeaves = [
        "10", "24", "29", "33", "48", "49", "50", "53", "58", "60", "61", "62", "63", "64", "65", "66", "68", "76",
        "77",
        "78", "88", "92", "93", "94", "96", "98", "a3", "c0", "c2", "c3", "c5",
        "d0", "d1", "d3", "d4", "d6",
    ].map { "leaf-" + $0 }

    /// The same script with its accounts in a JSON answer.
    private static let answering = yaml.replacing(
        "accounts: { names: \"#leaf-87\",", with: #"accounts: { json: "$.leaf89[*]", name: "$.leaf90", id: "$.leaf91","#
    ).replacing("outgoing: { json: $.leafb5, is: leaf-b6 }", with: "sign: inverted")
        .replacing(/exchange: \{.*\}/, with: "exchange: { claim: $word, gives: [login, key] }")
        .replacing("until: $.leafd5", with: "lasts: 90 days")

    /// The same script with an exchange on another device.
    private static let onAnotherDevice = yaml.replacing(
        /exchange: \{.*\}/, with: "exchange: { device: /device, token: /token, client: $word, basic: $word }")

    /// The same script with a session that the owner opens.
    private static let inSession = yaml.replacing(
        /exchange: \{.*\}/,
        with: """
            exchange: { ask: [request: { POST: /ask, body: { state: { captured: state } } }], page: $.page, redirect: $word, \
            lasts: 90 days, redeem: [capture: { one: { json: $.one } }] }
            """)

    @Test("is visited by lint, also in the places of accounts in a JSON answer", arguments: ["89[*]", "90", "91"])
    func visitedInAnswers(leaf: String) throws {
        let changed = Self.answering.replacing("$.leaf\(leaf)", with: "$.{{ nope }}")
        #expect(changed != Self.answering)
        let script = try BankScript(yaml: changed, file: "\(leaf).yaml")
        #expect(
            ScriptLint.findings(in: script).contains { $0.rule == "unknown-name" && $0.message.contains("nope") },
            "lint does not visit \(leaf)")
    }

    @Test("is visited by lint: a: a placeholder that is unknown is found in each text")
    func visited() throws {
        // Placeholders need quotes in YAML.
        let quoted = Self.yaml.replacing(/(: |\[|[{,] )([#\/$.]*leaf-[\da-z]\d|\$\.leaf[\da-z]\d)(?=,| }|\]|\n|:)/) {
            "\($0.output.1)\"\($0.output.2)\""
        }
        for leaf in Self.leaves.sorted() where !Self.plainLeaves.contains(leaf.replacing(/leaf-?/, with: "leaf-")) {
            let changed = quoted.replacing(leaf, with: "{{ nope }}")
            let script = try BankScript(yaml: changed, file: "\(leaf).yaml")
            #expect(
                ScriptLint.findings(in: script).contains { $0.rule == "unknown-name" && $0.message.contains("nope") },
                "lint does not visit \(leaf)")
        }
    }

    @Test("stands in this script and in the schema")
    func complete() {
        let schema = ScriptSchema.json.compactText()
        let words =
            StepList.standard.names + StepList.standard.companionNames + ScriptNode.targets + ScriptNode.conditions
            + [
                "any", "pages", "entry", "containing", "in", "nth", "polling", "press", "last", "cursor", "form",
                "filter", "credentials",
            ]
        for word in words where word != "titled" && word != "link" {
            #expect(schema.contains("\"\(word)\":"), "the schema forgets \(word)")
            #expect(Self.yaml.contains("\(word): "), "this script forgets \(word)")
        }
        let inYAML = Self.yaml + Self.answering + Self.onAnotherDevice + Self.inSession
        let inSwift =
            ScriptWriterTests.everything.yaml() + ScriptWriterTests.answering.yaml()
            + ScriptWriterTests.onAnotherDevice.yaml() + ScriptWriterTests.inSession.yaml()
        for (part, names) in ScriptNode.parts.sorted(by: { $0.key < $1.key }) {
            for name in names where !Self.olderWords.contains(name) {
                #expect(schema.contains("\"\(name)\":"), "the schema forgets \(name) of \(part)")
                #expect(inYAML.contains("\(name):"), "this script forgets \(name) of \(part)")
                #expect(inSwift.contains("\(name):"), "the script in Swift forgets \(name) of \(part)")
            }
        }
        for kind in Parameter.kindNames {
            // “text” is a locator too, so the schema of a parameter is looked at by itself.
            let parameter = ScriptSchema.json.objectValue?["$defs"]?.objectValue?["parameter"]?.compactText() ?? ""
            #expect(parameter.contains("\"required\":[\"\(kind)\"]"), "the schema forgets \(kind)")
            #expect(Self.yaml.contains(": { \(kind): "), "this script forgets \(kind)")
        }
        for reason in FailureReason.allCases { #expect(schema.contains("\"\(reason.rawValue)\""), "\(reason)") }
    }

    @Test("is the same value in Swift")
    func builders() throws {
        let swift = BankScript(
            "s", named: "S", at: "https://bank.example", credentials: ["pin", "word"],
            parameters: Parameter.statementPeriod + [
                Parameter("suffix", text: "[0-9]{4}"), Parameter("from", dates: "2015-01-01"..."2030-12-31"),
                Parameter("kind", choices: "Current", "Savings"),
            ],
            accounts: AccountList(names: .css("h2"), alias: "[A-Z]+")
        ) {
            Open("/a", expecting: 404...404)
            PressEach("pin", on: .css("img[alt='{{ digit }}']"))
            Submit(form: .css("#f"), with: [FormField("a", "b")])
            Fill("Character {{ position }}", with: .character(of: "word"))
            Press(.any(.button("Sign in"), .css("#login")))
            Request("POST", "/t", form: [FormField("a", "{{ year }}")])
            Request(
                "GET", "/h", headers: [.init("Authorization", .credential("pin"), scheme: "Bearer")],
                basic: .init(user: .username, password: .password), query: [FormField("key", .credential("word"))])
            Search(
                json: "$.items[0]", next: RequestStep(method: "GET", reference: "/n?{{ cursor }}"), cursor: "$.next",
                atMost: 3)
            Search(rows: "{{ month.name }}", next: "Next", last: .says("End"), atMost: 4)
            SecondFactor(
                until: .json("$.s", is: "ok"), polling: RequestStep(method: "GET", reference: "/p"), within: .minutes(1)
            )
            Capture("x", from: .cookie("c"), filter: "urldecode")
            Request("POST", "/n", body: .object(["y": .value(.number("{{ year }}")), "x": .value("{{ x }}")]))
            Follow("Statements")
            Choose("Year", "{{ year }}")
            Check("I agree")
            Check("Send offers", false)
            Enter(frame: .css("iframe"))
            Expect(
                .all([
                    .shows(.row("Total").containing("EUR").nth(2).within(.heading("Accounts"))),
                    .not(.says("Error")),
                ]))
            Expect(
                .any([.titled("Overview"), .path("/a*"), .status(200...204), .equal("{{ year }}", "2026")]))
            Expect(.all([.shows(.cell(header: "Balance")), .shows(.xpath("//main")), .shows(.text("Welcome"))]))
            Expect(.all([.shows(.field("Code")), .shows(.control("PDF"))]))
            Fail(.bankLoginFailed, when: ".error", reason: .codeExpired)
            When(.shows(.link("Archive"))) {
                Follow("Archive")
            } otherwise: {
                Press("Show")
            }
            WaitUntil(
                .json("$.state", is: "ready"), polling: RequestStep(method: "GET", reference: "/s"),
                within: .minutes(1))
        } forEachAccount: {
            Open("/a/{{ account_name }}")
        } forEachPeriod: {
            Open("/y/{{ year }}")
            Download("PDF")
            Download("Data", as: .csv)
            Download("All", asZIPOf: [.ofx, .camt])
            Download("Year", asZIPOf: [.qif], named: "{{ year }}-{{ month | pad }}")
            Download(from: .encoded(in: "$.document.content"))
            Download(from: .submit(SubmitStep(form: .css("#d"), fields: [FormField("a", "b")])), as: .document(.mt940))
            Download(from: .printedPage)
        }
        let text = """
            bank: s
            name: S
            origins: [https://bank.example]
            credentials: [pin, word]
            parameters:
              month: 1..12
              year: 1990..2100
              suffix: { text: "[0-9]{4}" }
              from: { date: 2015-01-01..2030-12-31 }
              kind: { choice: [Current, Savings] }
            accounts: { names: h2, alias: "[A-Z]+" }
            steps:
              - open: /a
                expecting: 404
              - press each: { $pin: "img[alt='{{ digit }}']" }
              - submit: { form: "#f", with: { a: b } }
              - fill: { "Character {{ position }}": { $word: character at position } }
              - press: { any: [{ button: Sign in }, { css: "#login" }] }
              - request: { POST: /t, form: { a: "{{ year }}" } }
              - request: { GET: /h, headers: { Authorization: Bearer $pin }, basic: { user: $username, password: $password }, query: { key: $word } }
              - search: { json: "$.items[0]", next: { GET: "/n?{{ cursor }}" }, cursor: $.next, at most: 3 }
              - search: { rows: "{{ month.name }}", next: Next, last: { says: End }, at most: 4 pages }
              - second factor: { push until: { json: $.s, is: ok }, polling: { GET: /p }, from: [person], within: 1 min }
              - capture: { x: { cookie: c, filter: urldecode } }
              - request: { POST: /n, body: { y: { number: "{{ year }}" }, x: "{{ x }}" } }
              - follow: Statements
              - choose: { Year: "{{ year }}" }
              - check: I agree
              - uncheck: Send offers
              - enter: iframe
              - expect: { all: [{ shows: { row: Total, containing: EUR, nth: 2, in: { heading: Accounts } } }, { not: { says: Error } }] }
              - expect: { any: [{ titled: Overview }, { path: /a* }, { status: 200..204 }, { equal: ["{{ year }}", "2026"] }] }
              - expect: { all: [{ shows: { cell: Balance } }, { shows: { xpath: //main } }, { shows: { text: Welcome } }] }
              - expect: { all: [{ shows: { field: Code } }, { shows: { control: PDF } }] }
              - fail: { BANK_LOGIN_FAILED: .error, reason: code_expired }
              - when: { shows: { link: Archive } }
                then: [follow: Archive]
                otherwise: [press: Show]
              - wait until: { json: $.state, is: ready, polling: { GET: /s }, within: 1 min }
            for each account:
              - open: "/a/{{ account_name }}"
            for each period:
              - open: "/y/{{ year }}"
              - download: PDF
              - download: { control: Data, as: csv }
              - download: { control: All, as: zip, holding: [camt, ofx] }
              - download: { control: Year, as: zip, holding: [qif], named: "{{ year }}-{{ month | pad }}" }
              - download: { json: $.document.content, decode: base64 }
              - download: { submit: { form: "#d", with: { a: b } }, as: mt940 }
              - download: { print: page }
            """
        let yaml = try BankScript(yaml: text, file: "s.yaml")
        #expect(swift.digest == yaml.digest)
        #expect(swift.json.compactText() == yaml.json.compactText())
        // A new word has to be added to the YAML above, and so to the Swift that equals it.
        for word in StepList.standard.names + StepList.standard.companionNames + ScriptNode.targets
            + ScriptNode.conditions
        {
            #expect(text.contains("\(word): "), "this script in Swift forgets \(word)")
        }
    }

    @Test("has filters that do what they say")
    func filters() throws {
        let values = ["d": "2026-01-31", "t": "a b/ü", "k": "key", "m": "The quick brown fox jumps over the lazy dog"]
        for (text, wanted) in [
            ("{{ d | plus: 1 month }}", "2026-02-28"), ("{{ d | minus: 31 days }}", "2025-12-31"),
            ("{{ t | urlencode }}", "a%20b%2F%C3%BC"), ("{{ t | urlencode | urldecode }}", "a b/ü"),
            ("{{ k | base64 }}", "a2V5"),
            ("{{ k | sha256 }}", "2c70e12b7a0646f92279f427c7b38e7334d8e5389cff167a1dc30e73f826b683"),
            ("{{ m | hmac: k }}", "f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8"),
        ] {
            #expect(try Template(text).filled(with: values, locale: "en") == wanted)
        }
    }

    @Test(
        "suggests the reason that another word means",
        arguments: [
            ("wrong_tan", "wrong_code"), ("invalid_code", "wrong_code"), ("wrong_pin", "wrong_credentials"),
            ("tan_expired", "code_expired"), ("locked", "account_locked"),
        ])
    func synonyms(word: String, reason: String) {
        let head = "bank: a\nname: A\norigins: [https://bank.example]\nsteps:\n"
        let error = #expect(throws: ScriptSyntaxError.self) {
            try BankScript(yaml: head + "  - fail: { BANK_LOGIN_FAILED: .e, reason: \(word) }\n", file: "a.yaml")
        }
        #expect(error?.hint == "did you mean “\(reason)”?")
    }
}
