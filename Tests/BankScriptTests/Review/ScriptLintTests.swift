import Selectors
import Testing

@testable import BankScript

@Suite("Lint")
struct ScriptLintTests {
    private func findings(
        origins: [String] = ["https://bank.example"], isForTesting: Bool = false,
        @StepBuilder _ steps: () -> [Step]
    ) -> [Finding] {
        ScriptLint.findings(
            in: BankScript(
                id: "test", name: "Test", origins: origins, isForTesting: isForTesting, steps: steps()))
    }

    @Test("finds nothing in a good script")
    func clean() {
        let findings = findings {
            Open("/login")
            Fill("Username", with: .username)
            Capture("token", from: .header("X-Token"), isSecret: true)
            Fill("Token", with: .captured("token"))
            Search(rows: "{{ month.name }} {{ year }}", next: "Next", atMost: 3)
            Download("PDF")
        }
        #expect(findings.isEmpty, "\(findings)")
    }

    @Test(
        "reports steps that cannot work or are not allowed",
        arguments: [
            ("unknown-name", Open("/{{ mnth }}").steps),
            ("unknown-filter", Open("/{{ month | padd }}").steps),
            ("template", Open("/{{ month").steps),
            ("used-before-captured", Open("/{{ a }}").steps + Capture("a", from: .cookie("c")).steps),
            (
                "secret-place",
                Capture("a", from: .cookie("c"), isSecret: true).steps + Open("/{{ a }}").steps
            ),
            ("undeclared-origin", Open("https://elsewhere.example/x").steps),
            ("undeclared-origin", Request("GET", "https://elsewhere.example/x").steps),
            ("undeclared-credential", Fill("PIN", with: .credential("pin")).steps),
            ("filter-argument", Open("/{{ month | pad: two }}").steps),
            ("filter-argument", Open("/{{ first_day | date }}").steps),
            ("filter-argument", Open("/{{ month | upper: 3 }}").steps),
            ("second-download", Download("PDF").steps),
            ("unused", Capture("a", from: .cookie("c")).steps),
            (
                "unreachable",
                When(
                    .titled("a"), then: { Fail(.navigationFailed, when: "html") },
                    otherwise: {
                        Fail(.navigationFailed, when: .equal("{{ year }}", "{{ year }}"))
                    }
                ).steps + Open("/").steps
            ),
            (
                "push-without-polling",
                SecondFactor(untilNot: .json("$.state", is: "open"), within: .minutes(1)).steps
            ),
            ("selector", Follow(.css("a[")).steps),
            ("fragile-selector", Follow(.css("li:nth-child(2) a")).steps),
            ("fragile-selector", Follow(.css(".css-1x2y3z9")).steps),
            ("fragile-selector", Follow(.xpath("//div[3]/a")).steps),
            ("fragile-selector", Follow(.link("PDF").nth(2)).steps),
            ("limit", SecondFactor("Code", from: .person, within: .minutes(11)).steps),
            ("tries", SecondFactor("TAN", from: .person, tries: 0, within: .minutes(1)).steps),
            ("tries", SecondFactor("TAN", from: .person, tries: 4, within: .minutes(1)).steps),
            ("tries", SecondFactor("TAN", from: .vault, tries: 3, within: .minutes(1)).steps),
            (
                "tries",
                SecondFactor(SecondFactorStep(method: .choice(among: .css(".way")), tries: 2, limit: .minutes(1))).steps
            ),
            ("unreachable", Fail(.navigationFailed, when: .equal("a", "a")).steps + Open("/").steps),
            ("error-code", Fail(.pairingOver, when: .titled("Sorry")).steps),
            ("regex", Capture("a", from: .cookie("c"), matching: "(").steps),
            ("shadowed-name", Capture("year", from: .cookie("c")).steps),
            ("shadowed-name", Capture("first_day", from: .cookie("c")).steps),
            ("name", Capture("a b", from: .cookie("c")).steps),
            ("json-path", Capture("a", from: .jsonPath("$.a[")).steps),
            ("json-path", Expect(.json("a.b", is: nil)).steps),
            ("regex", Press(.button(.regex("["))).steps),
            ("selector", Follow(.xpath("//a[@href='x]")).steps),
            ("selector", Follow(.xpath("//a[@href='x')]")).steps),
            ("path", Expect(.path("login")).steps),
            ("empty-name", Press(" ").steps),
            ("secret-in-script", Fill("Password", with: "hunter2").steps),
            ("open-question", Fill("User name", with: "…").steps),
            ("open-question", Fill("PIN", with: " ... ").steps),
            ("open-question", Request("POST", "/x", body: .object(["user": .value("…")])).steps),
            ("secret-place", Open("/login?user=$username").steps),
            (
                "secret-in-script",
                Request("POST", "/x", body: .object(["pin": .value("1234")])).steps
            ),
            (
                "secret-place",
                SecondFactor(SecondFactorStep(method: .captured(as: "code"), limit: .minutes(1))).steps
                    + Open("/{{ code }}").steps
            ),
            ("unreachable", When(.equal("a", "b")) { Open("/") }.steps),
        ] as [(String, [Step])])
    func finds(rule: String, steps: [Step]) {
        let findings = findings {
            steps
            Download("PDF")
        }
        #expect(findings.map(\.rule).contains(rule), "\(findings)")
        #expect(findings.allSatisfy { $0.mark != nil || $0.rule == "no-download" })
        #expect(findings.allSatisfy { $0.hint != nil }, "\(findings)")
    }

    @Test(
        "takes no choice, switch or name of an interface for a secret",
        arguments: [
            #"choose: { "Passwort-Verfahren": PIN }"#, #"choose: { "Clave de moneda": EUR }"#,
            "open: /login?passwordless=false", #"open: "/login?reset-pwd=1""#,
            "request: { GET: /api, headers: { X-Secret-Version: v2 } }",
            "request: { GET: /api, query: { password-policy: strict } }",
        ])
    func noSecret(step: String) throws {
        let script = try BankScript(
            yaml: "bank: test\nname: Test\norigins: [https://bank.example]\nsteps:\n  - \(step)\n"
                + "  - download: \"{{ month.name }} {{ year }}\"\n", file: "a.yaml")
        #expect(ScriptLint.findings(in: script).isEmpty, "\(ScriptLint.findings(in: script))")
    }

    @Test(
        "asks what the page shows when the bank refuses the sign-in",
        arguments: [
            ("", true), ("  - fail: { BANK_LOGIN_FAILED: .error }\n", false),
            ("  - fail: { NAVIGATION_FAILED: .error }\n", true),
            ("  - when: .new\n    then:\n      - fail: { BANK_LOGIN_FAILED: .error }\n", false),
        ])
    func refusal(steps: String, isAsked: Bool) throws {
        let head = "bank: test\nname: Test\norigins: [https://bank.example]\n"
        let signIn = "steps:\n  - fill: { Username: $username, Password: $password }\n  - press: Sign in\n"
        for (before, asks) in [
            ("", isAsked),
            (
                "interruptions:\n  - { when: { titled: No }, fail: BANK_LOGIN_FAILED, reason: wrong_credentials }\n",
                false
            ),
        ] {
            let script = try BankScript(yaml: head + before + signIn + steps + "  - download: PDF\n", file: "a.yaml")
            let findings = ScriptLint.findings(in: script).filter { $0.rule == "no-refusal" }
            #expect(findings.count == (asks ? 1 : 0))
            #expect(findings.allSatisfy { $0.severity == .warning && $0.mark?.line == (before.isEmpty ? 5 : 7) })
        }
        let fetching = "steps:\n  - fill: { Username: $username }\n  - download: \"{{ month.name }} {{ year }}\"\n"
        #expect(ScriptLint.findings(in: try BankScript(yaml: head + fetching, file: "b.yaml")).isEmpty)
    }

    @Test("reports a language that does not exist, and declared names that nothing uses")
    func declared() {
        var script = BankScript(
            "test", named: "Test", at: "https://bank.example", locale: "xx-XX",
            credentials: ["username", "password", "memorable_word"],
            parameters: Parameter.statementPeriod + [Parameter("account", in: 1...9)]
        ) {
            Fill("Username", with: .username)
            Fill("Password", with: .password)
            Fail(.bankLoginFailed, when: ".error", reason: .wrongCredentials)
            Download("{{ month.name }} {{ year }}")
        }
        let findings = ScriptLint.findings(in: script)
        #expect(findings.map(\.rule) == ["locale", "unused", "unused"], "\(findings)")
        #expect(findings.compactMap(\.subject) == ["locale", "account", "memorable_word"])
        script.locale = "fr-CH"
        script.credentials = BankScript.usualCredentials
        script.parameters = Parameter.statementPeriod
        #expect(ScriptLint.findings(in: script).isEmpty)
    }

    @Test(
        "warns of a script whose document is the same for every month",
        arguments: [
            ("  - download: PDF\n", true),
            ("  - follow: Archive\n  - download: \"{{ month.name }} {{ year }}\"\n", false),
            ("  - open: /{{ first_day }}\n  - download: PDF\n", false),
            ("  - when: .new\n    then:\n      - download: PDF\n    otherwise:\n      - download: Newest\n", true),
        ])
    func sameDocument(steps: String, isSame: Bool) throws {
        let head = "bank: test\nname: Test\norigins: [https://bank.example]\n"
        let script = try BankScript(yaml: head + "steps:\n" + steps, file: "a.yaml")
        let findings = ScriptLint.findings(in: script)
        #expect(findings.map(\.rule) == (isSame ? ["turn"] : []), "\(findings)")
        #expect(findings.allSatisfy { $0.severity == .warning && ($0.mark?.line ?? 0) > 4 })
        let own = try BankScript(yaml: head + "parameters: {}\nsteps:\n" + steps, file: "a.yaml")
        #expect(!ScriptLint.findings(in: own).contains { $0.rule == "turn" }, "the script says that it has no month")
    }

    private static let key = "8f3b2c9d7a6e5f4b3c2d1e0f"

    @Test(
        "reports a secret as plain text in each place, and in each language",
        arguments: [
            (Fill("Ihre Geheimzahl", with: "80413").steps, .error),
            (Fill("Mot de passe", with: "hunter2").steps, .error),
            (Fill("Contraseña", with: "hunter2").steps, .error), (Fill("TAN", with: "123456").steps, .error),
            (Fill("One-time code", with: "123 456").steps, .error), (Fill("TAN", with: "pushTAN").steps, nil),
            (Fill("Clave", with: "{{ year }}").steps, nil), (Fill("Company", with: "Spinner").steps, nil),
            (Open("/x?password=geheim-77").steps, .error), (Open("/x?a=1&pin=80413#top").steps, .error),
            (Open("/x?key=\(key)").steps, .warning), (Open("/x?key=statements").steps, nil),
            (Open("/x?password={{ year }}").steps, nil),
            (Request("GET", "/x?pin=80413").steps, .error),
            (Request("GET", "/x", query: [FormField("key", "\(key)")]).steps, .warning),
            (Request("GET", "/x", headers: [.init("Authorization", "Bearer eyJhbGciOiJIUzI1NiJ9.abc")]).steps, .error),
            (Request("GET", "/x", headers: [.init("authorization", "Basic d2ViOg==")]).steps, .warning),
            (Request("GET", "/x", headers: [.init("X-Api-Key", "\(key)")]).steps, .warning),
            (Request("GET", "/x", headers: [.init("Accept", "application/json")]).steps, nil),
        ] as [([Step], Finding.Severity?)])
    func plainSecret(steps: [Step], severity: Finding.Severity?) {
        let findings = findings {
            steps
            Download("{{ month.name }} {{ year }}")
        }.filter { $0.rule == ScriptLint.secretInScript }
        #expect(findings.map(\.severity) == (severity.map { [$0] } ?? []), "\(findings)")
        #expect(findings.allSatisfy { !$0.message.contains($0.subject ?? "") }, "the value is not shown")
    }

    @Test("reports an interruption that is never reached, and one without steps to leave it")
    func interruptions() {
        let script = BankScript(
            "test", named: "Test", at: "https://bank.example",
            interruptions: [
                Interruption(when: .titled("Offer"), fail: .navigationFailed, reason: .termsToAccept),
                Interruption(when: .titled("Offer")) { Follow("No") },
                Interruption(when: .titled("Another offer")) {},
            ]
        ) {
            Download("PDF")
        }
        let findings = ScriptLint.findings(in: script)
        #expect(findings.map(\.rule) == ["unreachable", "no-steps"])
        #expect(findings.allSatisfy { $0.mark?.file.hasSuffix("ScriptLintTests.swift") == true })
    }

    @Test("knows the days of the period and the code that a second factor captures")
    func names() {
        let findings = findings {
            Open("/{{ first_day | date: dd.MM.yyyy }}-{{ last_day }}")
            SecondFactor(SecondFactorStep(method: .captured(as: "code"), limit: .minutes(1)))
            Request("POST", "/x", body: .object(["code": .value(.captured("code"))]))
            Capture("id", from: .jsonPath("$.items[?@.month == {{ month }}].id"))
            Download(from: .open("/{{ id }}"))
        }
        #expect(findings.isEmpty, "\(findings)")
    }

    @Test(
        "points at the word within the step's own lines",
        arguments: [
            ("  - open: /a\n  - open: \"/{{ x }}\"\n", 6, 6, 16, "x"),
            ("  - fill:\n      Text: \"{{ x }}\"\n", 5, 6, 17, "x"),
            ("  - open: /a\n  - open: /xyz\n", 5, 5, 5, "xyz"),
        ] as [(String, Int, Int, Int, String)])
    func located(steps: String, line: Int, foundLine: Int, foundColumn: Int, subject: String) {
        let text = "bank: b\nname: B\norigins: []\nsteps:\n" + steps
        let step = Mark(file: "b.yaml", line: line, column: 5)
        let found = Finding("rule", .error, "message", at: step, about: subject).located(in: text)
        #expect(found.mark == Mark(file: "b.yaml", line: foundLine, column: foundColumn))
    }

    @Test("requires a download at the end of every path")
    func downloads() {
        let without = findings {
            When(".a") {
                Download("{{ month.name }} {{ year }}")
            }
        }
        #expect(without.map(\.rule) == ["no-download"])
        let with = findings {
            When(".a") {
                Download("{{ month.name }} {{ year }}")
            } otherwise: {
                Download("Statement")
            }
        }
        #expect(with.isEmpty)
    }

    private static let pin = "sha256/qvTGHdzF6KLavt4PO0gs2a6pQ00kSYz8GXf9tXJm9yQ="
    private static let backup = "sha256/YLh1dUR9y6Kja30RrAn7JKnbQG/uEtLMkBgFF2Fuihg="

    @Test(
        "requires valid pins, and a backup pin for each origin",
        arguments: [
            ("https://bank.example", [pin, backup], []), ("https://bank.example", [pin], ["backup-pin"]),
            ("https://bank.example", [pin, pin], ["backup-pin"]), ("https://bank.example", [], ["backup-pin"]),
            ("https://other.example", [pin, backup], ["pin"]),
            ("https://bank.example", [pin, String(backup.dropFirst(7))], ["pin"]),
            ("https://bank.example", [pin, "sha256/AAAA"], ["pin"]),
            ("https://bank.example", [pin, "sha1/" + backup.dropFirst(7)], ["pin"]),
        ] as [(String, [String], [String])])
    func pins(origin: String, keys: [String], rules: [String]) {
        let script = BankScript("test", named: "Test", at: "https://bank.example", pins: [origin: keys]) {
            Download("{{ month.name }} {{ year }}")
        }
        let findings = ScriptLint.findings(in: script)
        #expect(findings.map(\.rule) == rules, "\(findings)")
        #expect(findings.allSatisfy { $0.hint != nil && $0.mark != nil })
    }

    @Test(
        "requires an identifier that can be part of a file name",
        arguments: [
            ("my-bank", true), ("bank_2", true), ("7", true), (String(repeating: "a", count: 64), true),
            (String(repeating: "a", count: 65), false), ("", false), ("../evil/x", false), ("My Bank", false),
            ("-x", false), ("bänk", false), ("a/b", false), ("a.b", false),
        ])
    func identifier(id: String, isValid: Bool) {
        let script = BankScript(id, named: "Test", at: "https://bank.example") { Download("PDF") }
        #expect(ScriptLint.findings(in: script).contains { $0.rule == "bank-id" } == !isValid)
        let yaml = "bank: \"\(id)\"\nname: Test\norigins: [https://bank.example]\nsteps:\n  - download: PDF\n"
        let read = try? BankScript(yaml: yaml, file: "x.yaml")
        #expect((read != nil) == isValid)
    }

    @Test(
        "requires valid origins",
        arguments: [
            ([], false, "no-origin"), (["bank.example"], false, "origin"),
            (["https://bank.example/login"], false, "origin"),
            (["http://bank.example"], false, "plain-http"), (["http://127.0.0.1:8080"], true, nil),
        ] as [([String], Bool, String?)])
    func origins(origins: [String], isForTesting: Bool, rule: String?) {
        let findings = findings(origins: origins, isForTesting: isForTesting) {
            Download("{{ month.name }} {{ year }}")
        }
        #expect(findings.first?.rule == rule)
    }

    @Test(
        "says which other machines a script for testing contacts",
        arguments: [
            (["http://localhost:99/login"], nil),
            (["http://localhost:99", "https://bank.example"], "https://bank.example"),
        ] as [([String], String?)])
    func otherMachines(origins: [String], named: String?) {
        let warnings = ScriptDisclosure(
            BankScript(id: "test", name: "Test", origins: origins, isForTesting: true, steps: [])
        ).warnings.filter { $0.contains("other machines") }
        #expect(warnings.map { String($0.split(separator: " ").last ?? "") } == (named.map { [$0] } ?? []))
    }

    @Test(
        "tells generated class names from hand-written ones",
        arguments: [
            (".css-1x2y3z9", true), (".sc-bdVaJa", true), (".jss12345", true), (".MuiButton-root", true),
            (".emotion_abcde", true), ("a.Button_a1b2c", true), ("#row--9f8e7", true), (".css-ab", false),
            (".notice--error", false), (".list-2024", true), ("#page-2", false), (".statement-row", false),
            ("a[href$='.pdf']", false), ("main td .note", false),
        ])
    func madeUpClasses(selector: String, isMadeUp: Bool) {
        let findings = findings { Follow(.css(selector)) }
        #expect(findings.contains { $0.rule == "fragile-selector" } == isMadeUp, "\(findings)")
    }
}
