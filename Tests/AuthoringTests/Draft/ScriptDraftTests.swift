import Automation
import BankScript
import Foundation
import HTMLAutomation
import HTMLEngine
import TestCases
import Testing

@testable import Authoring

@Suite("A script drafted from a recording")
struct ScriptDraftTests {
    private static let login = """
        <html lang=de><title>Anmelden | Beispielbank</title><form method=post action=/login><input type=hidden name=t value=1>
        <label>Anmeldename <input name=user></label><label>PIN <input type=password name=pin></label>
        <input type=submit name=go value=Anmelden></form></html>
        """
    private static func list(_ rows: String) -> String {
        "<html lang=de><title>Postfach | Beispielbank</title><table>\(rows)</table><a href=/logout>Abmelden</a></html>"
    }

    @Test("uses the page's own words, in the page's language")
    func german() throws {
        var visit = ImaginedVisit()
        visit.get("/login", Self.login)
        visit.post(
            "/login", "t=1&user=kim&pin=geheim&go=Anmelden",
            "<html lang=de><title>Start | Beispielbank</title><a href=/post>Postfach</a></html>")
        visit.get(
            "/post",
            Self.list(
                "<tr><td>Kontoauszug März 2025<td><a href=/d/77>Öffnen</a><tr><td>Mai 2025<td><a href=/d/78>Öffnen</a>")
        )
        visit.pdf("/d/77")
        visit.get("/logout", "<title>Bis bald | Beispielbank</title>")
        let (yaml, draft) = try visit.drafted()
        #expect(
            yaml == """
                steps:
                  - open: /login
                  - fill: { Anmeldename: $username, PIN: $password }
                  - press: Anmelden
                  - follow: Postfach
                  - download: { control: Öffnen, in: "{{ month.name }} {{ year }}" }
                finally:
                  - follow: Abmelden
                """)
        #expect(draft.script.locale == "de")
        #expect(draft.script.name == "Beispielbank")
        #expect(draft.script.origins == ["https://www.bank.example"])
        #expect(!draft.yaml.contains("kim") && !draft.yaml.contains("geheim"))
    }

    @Test("declares a third credential that the bank asks for")
    func thirdCredential() throws {
        var visit = ImaginedVisit()
        visit.get(
            "/login",
            """
            <title>Bank</title><form method=post action=/login><label>Branch <input name=branch></label>
            <label>Account <input name=account></label><label>PIN <input type=password name=pin></label>
            <button>Go</button></form>
            """)
        visit.post("/login", "branch=042&account=4711&pin=geheim", "<title>Bank</title><a href=/s/1>May 2025</a>")
        visit.pdf("/s/1")
        let (_, draft) = try visit.drafted()
        #expect(draft.script.credentials == ["username", "account", "password"], "\(draft.yaml)")
    }

    @Test("leaves out detours, reloads and pictures")
    func detours() throws {
        var visit = ImaginedVisit()
        let home = "<title>Home</title><a href=/news>News</a><a href=/docs>Documents</a>"
        visit.get("/", home)
        visit.get("/favicon.ico", "<title>Not found</title>")
        visit.get("/news", "<title>News</title><a href=/offer>Offer</a>", from: "/")
        visit.get("/offer", "<title>Offer</title>", from: "/news")
        visit.get("/docs", "<title>Documents</title><ul><li>2025-03 <a href=/s/2025-03.pdf>Get</a></ul>", from: "/")
        visit.get("/docs", "<title>Documents</title><ul><li>2025-03 <a href=/s/2025-03.pdf>Get</a></ul>", from: "/")
        visit.pdf("/s/2025-03.pdf")
        let (yaml, _) = try visit.drafted()
        #expect(
            yaml == """
                steps:
                  - open: /
                  - follow: Documents
                  - download: { control: Get, in: "{{ year }}-{{ month | pad: 2 }}" }
                """)
    }

    @Test("uses https for a bank entered by http, and takes no frame for a page")
    func entry() throws {
        var visit = ImaginedVisit()
        visit.get("http://www.bank.example/", "<title>Bank</title><a href=https://www.bank.example/s>Statements</a>")
        visit.get("https://consent.example/frame", "<title>We value</title>", destination: "iframe")
        visit.get("/s", "<title>Bank</title><a href=/s/1>May 2025</a>", destination: "document")
        visit.pdf("/s/1")
        let (yaml, draft) = try visit.drafted()
        #expect(draft.script.origins == ["https://www.bank.example"])
        #expect(!draft.script.isForTesting)
        #expect(
            yaml == """
                steps:
                  - open: /
                  - follow: Statements
                  - download: "{{ month.name }} {{ year }}"
                """)
    }

    @Test("enters the frame in which the person went on, and no other")
    func frames() async throws {
        var visit = ImaginedVisit()
        visit.get(
            "/bank", "<title>Bank</title><iframe src=//ads.example/ad></iframe><iframe name=main src=/start></iframe>",
            destination: "document")
        visit.get("https://ads.example/ad", "<title>Ad</title><a href=/buy>Buy</a>", destination: "iframe")
        visit.get("/start", "<p>Hello</p><iframe name=inner src=/inner></iframe>", destination: "iframe")
        visit.get("/inner", "<a href=/s>Statements</a>", destination: "iframe")
        visit.get(
            "/s", "<table><tr><td>May 2025<td><a href=/s/1>PDF</a></table>", from: "/inner", destination: "iframe")
        visit.get("https://consent.example/frame", "<title>We value</title>", destination: "iframe")
        visit.pdf("/s/1", from: "/s")
        let (yaml, draft) = try visit.drafted()
        #expect(draft.script.origins == ["https://www.bank.example"])
        #expect(
            yaml == """
                steps:
                  - open: /bank
                  - enter: "iframe[name=main]"
                  - enter: "iframe[name=inner]"
                  - follow: Statements
                  - download: { control: PDF, in: "{{ month.name }} {{ year }}" }
                """)
        let services = HostServices(
            credentials: TestCredentials(values: [:]), person: TestPerson(),
            downloads: FolderSink(FileManager.default.temporaryDirectory))
        let transport = ReplayTransport(visit.archive)
        let runner = ScriptRunner(services: services) {
            try HTMLNavigationEngine(for: $0, configuration: EngineConfiguration(transport: transport))
        }
        let document = try await runner.run(draft.script, parameters: ["month": 5, "year": 2025])
        try FileManager.default.removeItem(at: document.file)
        #expect(transport.used == 5)
    }

    @Test("fills in a form in a frame that leads to the outer page")
    func formInFrame() throws {
        var visit = ImaginedVisit()
        visit.get("/", "<title>Bank</title><iframe title=login src=/login></iframe>", destination: "document")
        visit.get("/login", Self.login, from: "/", destination: "iframe")
        visit.post("/login", "t=1&user=kim&pin=geheim&go=Anmelden", "<title>Home</title><a href=/s>Statements</a>")
        visit.get("/s", "<title>Docs</title><a href=/s/1>May 2025</a>", destination: "document")
        visit.pdf("/s/1")
        let (yaml, _) = try visit.drafted()
        #expect(
            yaml == """
                steps:
                  - open: /
                  - enter: "iframe[title=login]"
                  - fill: { Anmeldename: $username, PIN: $password }
                  - press: Anmelden
                  - follow: Statements
                  - download: "{{ month.name }} {{ year }}"
                """)
    }

    @Test("recognises a document behind a form, and lists of months and years")
    func form() throws {
        var visit = ImaginedVisit()
        visit.get(
            "/s",
            """
            <title>Statements</title><form method=post action=/pdf><label>Month <select name=m><option value=1>1
            <option value=2>2</select></label><label>Year <select name=y><option>2024<option>2025</select></label>
            <label><input type=checkbox name=d> Details</label><button>Create PDF</button></form>
            """)
        visit.pdf("/pdf", post: "m=2&y=2025&d=on")
        let (yaml, _) = try visit.drafted()
        #expect(
            yaml == """
                steps:
                  - open: /s
                  - choose: { Month: "{{ month }}", Year: "{{ year }}" }
                  - check: Details
                  - download: Create PDF
                """)
    }

    @Test(
        "presses the button of the form that was sent, among forms with the same target",
        arguments: [
            ("t=1&year=2025", "Search"), ("t=1&year=2026&page=2", "More"), ("t=1&year=2026&as=csv", "As a table"),
        ])
    func formsAlike(sent: String, button: String) throws {
        var visit = ImaginedVisit()
        let token = "<input type=hidden name=t value=1>"
        let year = "<input type=hidden name=year value=2026>"
        visit.get(
            "/post",
            """
            <title>Post</title><form method=post action=/post>\(token)\(year)<input type=hidden name=page value=2>
            <button>More</button></form><form method=post action=/post>\(token)\(year)
            <button name=as value=csv>As a table</button></form><form method=post action=/post>\(token)
            <label>Year <select name=year><option>2026<option>2025</select></label><button>Search</button></form>
            """)
        visit.post("/post", sent, "<title>Post</title><table><tr><td>May 2026<td><a href=/d/1>PDF</a></table>")
        visit.pdf("/d/1")
        let (yaml, _) = try visit.drafted()
        #expect(yaml.contains("- press: \(button)\n"), "\(yaml)")
    }

    @Test(
        "knows the user name of a sign-in that asks for the password on its next page",
        arguments: [
            ("<input name=u autocomplete='section-a username'>", "<input type=password name=pin>", true),
            ("<input name=u>", "<input type=password name=pin>", true),
            ("<input name=u>", "<input type=password name=pin></label><label>Branch <input name=b>", false),
            (
                "<input name=u autocomplete=username>",
                "<input type=password name=pin></label><label>Branch <input name=b>", true
            ),
        ])
    func twoPages(field: String, next: String, isKnown: Bool) throws {
        var visit = ImaginedVisit()
        visit.get(
            "/login",
            "<title>Bank</title><form method=post action=/login><label>Number \(field)</label><button>Next</button></form>"
        )
        visit.post(
            "/login", "u=kim4711",
            "<title>Bank</title><form method=post action=/pin><label>PIN \(next)</label><button>Go</button></form>")
        visit.post("/pin", "pin=geheim-77", "<title>Bank</title><a href=/s/1>May 2025</a>")
        visit.pdf("/s/1")
        let yaml = try ScriptDraft(recording: visit.archive).yaml
        #expect(yaml.contains("- fill: { Number: $username }") == isKnown, "\(yaml)")
        #expect(yaml.contains("PIN: $password") && !yaml.contains("kim"), "\(yaml)")
    }

    @Test("follows a page's refresh without a step, but not a late one")
    func refreshes() async throws {
        var visit = ImaginedVisit()
        visit.get("/", "<title>Bank</title><meta http-equiv=refresh content='0; url=https://id.bank.example/login'>")
        visit.get("https://id.bank.example/login", Self.login)
        visit.post("https://id.bank.example/login", "t=1&user=kim&pin=geheim&go=Anmelden", "<title>Wait</title>")
        visit.answerHeader("Refresh", "0;URL='https://www.bank.example/home'")
        visit.get(
            "/home", "<title>Home</title><meta http-equiv=refresh content='600; url=/end'><a href=/s>Statements</a>")
        visit.get("/end", "<title>Still here?</title><a href=/s>Statements</a>")
        visit.get("/s", "<meta http-equiv=refresh content='5; url=/home'><title>Docs</title><a href=/s/1>Mai 2025</a>")
        visit.pdf("/s/1")
        let (yaml, draft) = try visit.drafted()
        #expect(
            yaml == """
                steps:
                  - open: /
                  - fill: { Anmeldename: $username, PIN: $password }
                  - press: Anmelden
                  - open: /end
                  - follow: Statements
                  - download: "{{ month.name }} {{ year }}"
                """)
        #expect(draft.script.origins == ["https://www.bank.example", "https://id.bank.example"])
    }

    @Test("remarks on steps that it could not explain")
    func unexplained() throws {
        var visit = ImaginedVisit()
        visit.get("/a", "<title>A</title>")
        visit.get("/b?x=1", "<title>B</title>")
        visit.post("/c", "x=1", "<title>C</title>")
        let draft = try ScriptDraft(recording: visit.archive)
        #expect(draft.yaml.contains(": How does a person get here? No link on the previous page leads here."))
        #expect(draft.yaml.contains(": What sent this POST with x? No form on the previous page explains it."))
        #expect(draft.yaml.contains("# The recording has no PDF."))
        #expect(draft.yaml.contains("# No month and year were recognised"))
    }

    @Test(
        "knows image buttons, code forms without a length, rows by their hidden values, and the language by its months")
    func difficult() async throws {
        var visit = ImaginedVisit()
        visit.get(
            "/anmeldung",
            """
            <title>Musterstadt</title><form action=/suche><input name=q><input type=submit value=Suchen></form>
            <form method=post action=/anmeldung><label>Kundennummer <input name=kdnr></label>
            <label>PIN <input type=password name=pin></label><button name=aktion value=weiter>Weiter</button></form>
            """)
        visit.post(
            "/anmeldung", "kdnr=4711&pin=12345&aktion=weiter",
            """
            <title>Musterstadt</title><form method=post action=/pruefen><input name=tan>
            <input type=image name=los src=/los.gif alt="Absenden"></form>
            """)
        let row = { (id: Int, month: String) in
            """
            <tr><td>Kontoauszug \(month) 2026</td><td><form method=post action=/auszug><input type=hidden name=nr value=\(id)>
            <button>Öffnen</button></form></td></tr>
            """
        }
        let list = "<table>\(row(9, "April"))\(row(8, "März"))\(row(7, "Februar"))</table><a href=/ende>Abmelden</a>"
        visit.post("/pruefen", "tan=123456&los.x=3&los.y=4", "<title>Musterstadt</title>" + list)
        visit.pdf("/auszug", post: "nr=8")
        visit.get("/ende", "<title>Musterstadt</title>Auf Wiedersehen")
        let (yaml, draft) = try visit.drafted()
        #expect(draft.script.locale == "de")
        #expect(
            yaml == """
                steps:
                  - open: /anmeldung
                  - fill: { Kundennummer: $username, PIN: $password }
                  - press: Weiter
                  - second factor: { field: { css: "input[name=tan]" }, from: [vault, person], within: 2 min, tries: 3 }
                  - download: { control: Öffnen, in: "{{ month.name }} {{ year }}" }
                finally:
                  - follow: Abmelden
                """)
        let check = await draft.check(against: visit.archive)
        #expect(check.outcome == .passed, "\(check.text)")
    }

    @Test("takes a document that the script of a bank's page fetched")
    func fetchedByScript() async throws {
        var visit = ImaginedVisit()
        visit.get("/login", Self.login)
        visit.post(
            "/login", "t=1&user=kim&pin=geheim&go=Anmelden",
            """
            <html lang=de><title>Postfach | Beispielbank</title><input type=hidden name=antrag value=a-4711-b><input type=hidden name=monat value=2025-03>
            <table><tr><td>Kontoauszug März 2025<td><button data-id=7>Öffnen</button></table><a href=/logout>Abmelden</a>
            """)
        visit.answerHeader("Set-Cookie", "XSRF-TOKEN=q-99-z; Path=/")
        visit.fetched(
            "/api/auszug", sent: #"{"monat": "2025-03", "antrag": "a-4711-b"}"#, type: "application/json",
            #"{"href": "/ablage/x-99-y"}"#, headers: [("X-XSRF-TOKEN", "q-99-z")])
        visit.fetched("/ablage/x-99-y", type: "application/pdf", "%PDF-1.7\nstartxref\n0\n%%EOF\n")
        visit.get("/logout", "<title>Bis bald | Beispielbank</title>")
        let (yaml, draft) = try visit.drafted()
        #expect(
            yaml == #"""
                steps:
                  - open: /login
                  - fill: { Anmeldename: $username, PIN: $password }
                  - press: Anmelden
                  - capture: { antrag: { css: "input[name=\"antrag\"]", attribute: value } }
                  - capture: { xsrf_token: { cookie: XSRF-TOKEN, secret: true } }
                  - request: { POST: /api/auszug, headers: { X-XSRF-TOKEN: { captured: xsrf_token } }, body: { antrag: "{{ antrag }}", monat: "{{ year }}-{{ month | pad: 2 }}" } }
                  - capture: { href: { json: $.href } }
                  - download: { request: { GET: "{{ href }}" } }
                finally:
                  - follow: Abmelden
                """#, "\(draft.yaml)")
        #expect(!draft.yaml.contains("has no PDF"))
        let check = await draft.check(against: visit.archive)
        #expect(check.outcome == .passed, "\(check.text)")
    }

    @Test("fails its check for errors only, and names what could not be compared")
    func check() async throws {
        let draft = ScriptDraft(
            script: try BankScript(
                yaml: """
                    bank: test
                    name: Test
                    origins: [https://www.bank.example]
                    steps:
                      - open: /login
                      - fill: { Name: $username, Note: hello }
                      - press: { button: Go, nth: 1 }
                      - download: { open: "/{{ year }}/{{ month }}.pdf" }
                    """, file: "draft.yaml"), remarks: ScriptRemarks(), parameters: ["month": 3, "year": 2026])
        var visit = ImaginedVisit()
        visit.get(
            "/login",
            "<title>L</title><form method=post><label>Name <input name=n></label><label>Note <input name=note></label><button>Go</button></form>"
        )
        visit.post("/login", "n=kim&note=•••", "<title>In</title>")
        visit.pdf("/2026/3.pdf")
        let check = await draft.check(against: visit.archive)
        #expect(check.outcome == .passed, "\(check.text)")
        #expect(check.warnings.count == 1, "\(check.text)")
        #expect(check.hidden == ["note"])
        #expect(
            check.text.contains("Not compared, because the recording hides them or the draft leaves them out: note."))
    }

    @Test("refuses a recording without pages")
    func empty() {
        #expect(throws: DraftError.self) { try ScriptDraft(recording: HTTPArchive([])) }
    }

    @Test("a list of years is one even where a secret hides an option")
    func maskedOption() throws {
        var visit = ImaginedVisit()
        visit.get(
            "/",
            """
            <title>Bank</title><form action=/list><label>Year <select name=year><option selected>2026<option>•••
            <option>2024</select></label><button>Show</button></form>
            """)
        visit.get("/list?year=2026", "<title>Bank</title><table><tr><td>May 2026<td><a href=/d/1>PDF</a></table>")
        visit.pdf("/d/1")
        let (yaml, _) = try visit.drafted()
        #expect(yaml.contains("- choose: { Year: \"{{ year }}\" }"), "\(yaml)")
    }

    @Test("drafts from the masked trace of a run")
    func fromTrace() async throws {
        let run = try await RecordedRun.make(later: 11)
        let draft = try ScriptDraft(recording: run.trace.archive)
        let script = try BankScript(yaml: draft.yaml, file: "draft.yaml")
        // No recording of a right password shows what a wrong one brings.
        #expect(ScriptLint.findings(in: script).map(\.rule) == ["no-refusal"])
        #expect(
            script.steps.map(\.action.words) == [
                "open /login", "fill field “Username” with the username", "fill field “Password” with the password",
                "press button “Sign in”", "second factor: a code for field “One-time code”", "follow link “Statements”",
                "choose “{{ year }}” in field “Year”", "press button “Show”",
                "search for row “{{ month.name }} {{ year }}”, at most 12 pages", "download button or link “PDF”",
            ])
    }

    @Test("the template has no lint finding")
    func template() throws {
        let script = try BankScript(yaml: ScriptDraft.template, file: "template.yaml")
        #expect(ScriptLint.findings(in: script).isEmpty)
    }
}
