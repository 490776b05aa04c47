import BankScript
import CurlClient
import Foundation
import Testing

@testable import Automation

/// The ways of real banks that a page of fields and buttons does not have.
@Suite("What real banks do")
struct RealBankTests {
    private func expectDocument(
        _ yaml: String, at bank: StagedBank, credentials: [String: String] = [:], code: String? = nil
    ) async throws -> StagedRun {
        let run = try await StagedRun.perform(
            yaml, at: bank,
            credentials: ["username": "robin-of-the-stage", "password": "a long passphrase"].merging(credentials) {
                $1
            },
            code: code)
        #expect(run.failure == nil, "\(run.failure?.description ?? "")")
        return run
    }

    @Test("sends a form by hand, and reads the JSON that comes")
    func form() async throws {
        let bank = StagedBank { line, _ in
            line.hasPrefix("POST /token") ? .json(#"{"href":"/1.pdf"}"#) : .pdf()
        }
        _ = try await expectDocument(
            """
            steps:
              - request: { POST: /token, form: { grant: password, user: $username, "a b": "{{ year }}&x" } }
              - capture: { href: { json: $.href } }
              - download: { open: "{{ href }}" }
            """, at: bank)
        #expect(bank.seen.first?.body == "grant=password&user=robin-of-the-stage&a+b=2026%26x")
        #expect(
            bank.seen.first?.headers.contains(HTTPHeader("Content-Type", "application/x-www-form-urlencoded")) == true)
    }

    @Test("submits a form as the page's script would, hidden fields included")
    func postBack() async throws {
        let bank = StagedBank { line, body in
            switch line {
            case "GET /":
                .page(
                    "<form method=post action=/><input type=hidden name=__VIEWSTATE value=abc>"
                        + "<input type=hidden name=__EVENTTARGET></form>")
            case "GET /1.pdf": .pdf()
            default: .page(body == "__VIEWSTATE=abc&__EVENTTARGET=lnkPDF&extra=1" ? "<a href=/1.pdf>PDF</a>" : body)
            }
        }
        _ = try await expectDocument(
            """
            steps:
              - open: /
              - submit: { form: form, with: { __EVENTTARGET: lnkPDF, extra: "1" } }
              - download: PDF
            """, at: bank)
    }

    @Test(
        "follows a form that the page submits by itself",
        arguments: [
            "<body onload='document.forms[0].submit()'><noscript>Press the button</noscript>",
            "<script>window.onload = function () { document.forms[0].submit() }</script>",
        ])
    func formPost(script: String) async throws {
        let bank = StagedBank { line, body in
            switch line {
            case "GET /":
                .page(
                    script + "<form method=post action=/acs><input type=hidden name=SAMLResponse value='a+b='>"
                        + "<noscript><button>Continue</button></noscript></form>")
            case "POST /acs": body == "SAMLResponse=a%2Bb%3D" ? .redirect("/in") : .page("wrong")
            case "GET /in": .page("<a href=/1.pdf>PDF</a>")
            default: .pdf()
            }
        }
        _ = try await expectDocument("steps:\n  - open: /\n  - download: PDF\n", at: bank)
        #expect(bank.lines == ["GET /", "POST /acs", "GET /in", "GET /1.pdf"])
    }

    @Test("leaves a form alone that a person fills in, and never follows one to a foreign origin")
    func noFormPost() async throws {
        let page =
            "<script>document.forms[0].submit()</script><form method=post action=/x><input type=hidden name=a><input name=b></form>"
        let filled = StagedBank { line, _ in line == "GET /1.pdf" ? .pdf() : .page(page) }
        _ = try await expectDocument("steps:\n  - open: /\n  - download: { open: /1.pdf }\n", at: filled)
        #expect(filled.lines == ["GET /", "GET /1.pdf"])
        let foreign = StagedBank { _, _ in
            .page(
                "<script>document.forms[0].submit()</script>"
                    + "<form method=post action='https://elsewhere.example/'><input type=hidden name=a></form>")
        }
        let run = try await StagedRun.perform("steps:\n  - open: /\n  - download: PDF\n", at: foreign)
        #expect(run.failure?.reason == .foreignOrigin)
        #expect(foreign.lines == ["GET /"])
    }

    @Test("gives the characters of a memorable word that the labels ask for, to fields and to lists")
    func memorableWord() async throws {
        let options = "qwertyuiop".map { "<option>\($0)</option>" }.joined()
        let bank = StagedBank { line, body in
            switch line {
            case "GET /":
                .page(
                    "<form method=post action=/><label>Character 2<input name=a type=password></label>"
                        + "<label>Character 10<select name=b><option value=''>-</option>\(options)</select></label>"
                        + "<button>Go</button></form>")
            case "GET /1.pdf": .pdf()
            default: .page(body == "a=w&b=p" ? "<p class=in>Welcome" : "<p>Wrong")
            }
        }
        let run = try await expectDocument(
            """
            credentials: [memorable_word]
            steps:
              - open: /
              - fill: { "Character {{ position }}": { $memorable_word: character at position } }
              - press: Go
              - expect: .in
              - download: { open: /1.pdf }
            """, at: bank, credentials: ["memorable_word": "qwertyuiop"])
        #expect(!run.steps.joined().contains("qwerty"))
    }

    @Test("counts the characters of a word as one submission of the word")
    func memorableWordTwice() async throws {
        let page =
            "<form method=post action=/><label>Character 1<input name=a></label><label>Character 2<input name=b></label>"
            + "<button>Go</button></form>"
        let bank = StagedBank { _, _ in .page(page) }
        let fill =
            "  - fill: { \"Character {{ position }}\": { $memorable_word: character at position } }\n  - press: Go\n"
        let run = try await StagedRun.perform(
            "credentials: [memorable_word]\nsteps:\n  - open: /\n" + fill + fill + "  - download: PDF\n", at: bank,
            credentials: ["memorable_word": "qwertyuiop"])
        #expect(run.failure?.reason == .attemptsUsed)
        #expect(bank.lines == ["GET /", "POST /"])
    }

    @Test("presses a key for each digit of a PIN, and counts the PIN once")
    func pad() async throws {
        let typed = Typed()
        let bank = StagedBank { line, body in
            if line == "GET /1.pdf" { return .pdf() }
            if line == "POST /", body.hasPrefix("key=") { typed.add(String(body.dropFirst(4))) }
            let keys = (0...9).map { "<button name=key value=\($0)><img alt='\($0)'></button>" }.joined()
            return .page(
                "<form method=post action=/>\(keys)</form><a href=/in>Sign in</a><p class=n>\(typed.text.count)")
        }
        let run = try await expectDocument(
            """
            credentials: [pin]
            steps:
              - open: /
              - press each: { $pin: "img[alt='{{ digit }}']" }
              - follow: Sign in
              - download: { open: /1.pdf }
            """, at: bank, credentials: ["pin": "40713"])
        #expect(typed.text == "40713")
        #expect(!run.steps.joined().contains("40713"))
    }

    @Test("does not say which digit the pad lacks")
    func lackingPad() async throws {
        let bank = StagedBank { _, _ in .page("<form method=post action=/><button name=key value=1>1</button></form>") }
        let run = try await StagedRun.perform(
            """
            credentials: [pin]
            steps:
              - open: /
              - press each: { $pin: { button: { exact: "{{ digit }}" } } }
              - download: PDF
            """, at: bank, credentials: ["pin": "8"])
        #expect(run.failure?.reason == .layoutChanged)
        #expect(run.failure?.message.contains("{{ digit }}") == true)
        #expect(run.failure?.description.contains("8") == false, "\(run.failure?.description ?? "")")
    }

    @Test("searches JSON answers by their cursor, and looks inside the item it found")
    func cursor() async throws {
        let bank = StagedBank { line, _ in
            switch line {
            case "GET /api": .json(#"{"items":[{"period":"2026-01","href":"/9"}],"next":"a b"}"#)
            case "GET /api?cursor=a%20b": .json(#"{"items":[{"period":"2026-03","href":"/1.pdf"}],"next":null}"#)
            default: .pdf()
            }
        }
        func script(_ month: String) -> String {
            """
            steps:
              - request: { GET: /api }
              - search: { json: "$.items[?@.period == '2026-\(month)']", next: { GET: "/api?cursor={{ cursor | urlencode }}" }, cursor: $.next, at most: 12 pages }
              - capture: { href: { json: $.href } }
              - download: { open: "{{ href }}" }
            """
        }
        _ = try await expectDocument(script("{{ month | pad: 2 }}"), at: bank)
        #expect(bank.lines == ["GET /api", "GET /api?cursor=a%20b", "GET /1.pdf"])
        let missing = try await StagedRun.perform(script("07"), at: bank)
        #expect(missing.failure?.reason == .statementMissing)
        #expect(missing.failure?.message.contains("is not in 2 answers") == true)
    }

    @Test("sends Angular's token from its cookie, decoded, and captures headers of JSON answers")
    func angular() async throws {
        let cookie = HTTPCookie(
            name: "XSRF-TOKEN", value: "a%2Fb%3D", domain: "bank.example", isSecure: true)
        let bank = StagedBank(cookies: [cookie]) { line, _ in
            line == "GET /1.pdf" ? .pdf() : .json("{}", headers: [HTTPHeader("X-Session", "s-77")])
        }
        _ = try await expectDocument(
            """
            steps:
              - request: { GET: /api }
              - capture: { xsrf: { cookie: XSRF-TOKEN, filter: urldecode, secret: true } }
              - capture: { session: { header: X-Session } }
              - request: { POST: /api, headers: { X-XSRF-TOKEN: { captured: xsrf }, X-Session: "{{ session }}" }, body: {} }
              - download: { open: /1.pdf }
            """, at: bank)
        #expect(bank.seen[1].headers.contains(HTTPHeader("X-XSRF-TOKEN", "a/b=")))
        #expect(bank.seen[1].headers.contains(HTTPHeader("X-Session", "s-77")))
    }

    @Test("goes another way when the first finds nothing, and says so once")
    func fallback() async throws {
        let bank = StagedBank { line, _ in line == "GET /1.pdf" ? .pdf() : .page("<a id=doc href=/1.pdf>Auszug</a>") }
        let run = try await expectDocument(
            """
            steps:
              - open: /
              - expect: { shows: { any: [{ link: Statement }, { css: "#doc" }] } }
              - download: { any: [{ link: Statement }, { css: "#doc" }] }
            """, at: bank)
        #expect(run.warnings == ["the page has changed: way 2 of 2 matched, css “#doc”"])
    }

    @Test(
        "tells kinds of refused codes apart, with the tries that are left",
        arguments: [
            ("wrong_code", "did not accept the code; 2 tries are left"), ("code_expired", "no longer accepts the code"),
            ("too_many_codes", "takes no more codes"), ("approval_cancelled", "was told in its app"),
        ])
    func refusedCode(reason: String, words: String) async throws {
        let bank = StagedBank { _, _ in .page("<p class=bad>Not accepted. You have 2 attempts left.</p>") }
        let run = try await StagedRun.perform(
            "steps:\n  - open: /\n  - fail: { BANK_LOGIN_FAILED: .bad, reason: \(reason) }\n  - download: PDF\n",
            at: bank)
        #expect(run.failure?.reason?.rawValue == reason)
        #expect(run.failure?.message.contains(words) == true, "\(run.failure?.message ?? "")")
    }

    @Test(
        "finds how many tries are left in the bank's words",
        arguments: [
            ("You have 2 attempts left.", 2), ("Only one more try!", 1), ("Attempts remaining: 2", 2),
            ("Verbleibende Versuche: 1", 1), ("Die PIN ist falsch. Sie haben noch zwei Versuche.", 2),
            ("Noch 2 Mal", 2), ("Noch 3 weitere Versuche", 3), ("Il vous reste deux essais", 2),
            ("Le quedan 2 intentos", 2), ("U heeft nog één poging", 1),
            ("Ihnen verbleibt noch ein Versuch.", 1), ("You have 1 attempt left before your account is blocked", 1),
            ("You have made more than 3 attempts", nil), ("After 3 failed attempts further access is blocked", nil),
            ("Nach drei Versuchen ist die weitere Nutzung gesperrt", nil),
            ("Locked after 3 attempts; call us for more help", nil),
            ("After 3 attempts your account is locked.", nil), ("Wrong code.", nil), ("Order 2 more cards", nil),
        ] as [(String, Int?)])
    func triesLeft(words: String, count: Int?) {
        #expect(RunFailure.triesLeft(in: words) == count)
    }

    @Test("chooses a credential from a list, and a secret that was captured")
    func chosenSecret() async throws {
        let list = "<select name=branch><option>North<option>Southern Branch 7</select>"
        let bank = StagedBank { line, _ in
            switch line {
            case "GET /":
                .page(
                    "<p id=word>Southern Branch 7</p><form method=post action=/in><label>Branch \(list)</label><button>Go</button></form>"
                )
            case "POST /in": .page("<a href=/1.pdf>PDF</a>")
            default: .pdf()
            }
        }
        _ = try await expectDocument(
            """
            credentials: [branch]
            steps:
              - open: /
              - choose: { Branch: $branch }
              - press: Go
              - download: PDF
            """, at: bank, credentials: ["branch": "Southern Branch 7"])
        #expect(bank.seen[1].body == "branch=Southern+Branch+7")
        _ = try await expectDocument(
            """
            steps:
              - open: /
              - capture: { word: { css: "#word", secret: true } }
              - choose: { field: Branch, option: { captured: word } }
              - press: Go
              - download: PDF
            """, at: bank)
        #expect(bank.seen[4].body == "branch=Southern+Branch+7")
    }

    @Test("repeats the bank's own words in every failure, also those of a JSON answer")
    func words() async throws {
        let page = StagedBank { _, _ in
            .page("<div class=fehlermeldung>Your account is locked.</div><a href=/>zurück</a>")
        }
        let lost = try await StagedRun.perform(
            "steps:\n  - open: /\n  - fail: { BANK_LOGIN_FAILED: .error }\n"
                + "  - second factor: { field: { css: \"input[name=tan]\" }, within: 1 min }\n  - download: PDF\n",
            at: page)
        #expect(lost.failure?.bankWords == "Your account is locked.")
        let app = StagedBank { _, _ in .json(#"{"error":{"message":"Your account is locked."}}"#) }
        let refused = try await StagedRun.perform(
            "steps:\n  - request: { GET: /api }\n  - capture: { a: { json: $.href } }\n  - download: { open: \"{{ a }}\" }\n",
            at: app)
        #expect(refused.failure?.bankWords == "Your account is locked.")
    }

    @Test(
        "repeats the paragraph below the heading of a page that ends the run, up to the next part of the page",
        arguments: [
            ("<h1>Access locked</h1><p>Your access was locked.</p>", "Access locked: Your access was locked."),
            ("<header><h1>Sorry!</h1></header><div><p> </p><p>Come <b>again</b></p>", "Sorry! Come again"),
            ("<h1><span>Access locked</span></h1><form><p>Your name</p></form>", "Access locked"),
            ("<h1>Access locked</h1><ul><li>x</ul><p>Call us</p>", "Access locked"),
            ("<h1>Access locked</h1><p hidden>Hidden</p><p>Call us</p>", "Access locked: Call us"),
            (
                "<h1>Locked</h1><p>" + String(repeating: "long ", count: 60) + "</p>",
                "Locked: " + String(repeating: "long ", count: 47) + "long…"
            ),
            ("<p class=error>Locked for good</p><h1>Access locked</h1><p>Call us</p>", "Locked for good"),
        ])
    func belowHeading(html: String, words: String) async throws {
        let declared = try await StagedRun.perform(
            "steps:\n  - open: /\n  - fail: { BANK_LOGIN_FAILED: { titled: Locked }, reason: account_locked }\n"
                + "  - download: PDF\n",
            at: StagedBank { _, _ in .page(html, title: "Locked") })
        #expect(declared.failure?.bankWords == words)
        let status = try await StagedRun.perform(
            "steps:\n  - open: /\n  - download: PDF\n", at: StagedBank { _, _ in .page(html, status: 404) })
        #expect(status.failure?.bankWords == words)
        // What another page has below its heading is the owner's own.
        let lost = try await StagedRun.perform(
            "steps:\n  - open: /\n  - follow: Statements\n  - download: PDF\n",
            at: StagedBank { _, _ in .page("<h1>Overview</h1><p>Good morning, Robin</p>") })
        #expect(lost.failure?.bankWords == "Overview")
    }
}
