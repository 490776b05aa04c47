import BankScript
import Foundation
import Testing

@testable import Automation

/// Scripts and banks that are wrong, where a run once went on, or blamed something else.
@Suite("Nothing wrong passes quietly")
struct WrongScriptTests {
    private static let table = """
        <table><tr><th>Statement<th></tr><tr><td>January 2026<td><a href=/1.pdf>PDF</a></tr></table>
        """

    @Test(
        "takes a file for a PDF by its structure",
        arguments: ["PK\u{3}\u{4} %PDF-1.4 startxref 0 %%EOF", "%PDF-1.4 no end %%EOF", "%PDF-1.4 startxref 0"])
    func structure(body: String) async throws {
        let bank = StagedBank { line, _ in line.contains("pdf") ? .pdf(body) : .page("<a href=/1.pdf>PDF</a>") }
        let run = try await StagedRun.perform("steps:\n  - open: /\n  - download: PDF\n", at: bank)
        #expect(run.failure?.reason == .notAPDF)
        #expect(run.files == [])
    }

    @Test("takes a PDF after a byte order mark, and with an end of its own")
    func whole() async throws {
        let bank = StagedBank { line, _ in
            line.contains("pdf")
                ? .pdf("\u{FEFF}\n%PDF-1.7\nx\nstartxref\n9\n%%EOF\n\n") : .page("<a href=/1.pdf>PDF</a>")
        }
        let run = try await StagedRun.perform("steps:\n  - open: /\n  - download: PDF\n", at: bank)
        #expect(run.failure == nil)
    }

    @Test("asks the bank's JSON for the approval, and tells the person to approve")
    func push() async throws {
        let polls = Counter()
        let bank = StagedBank { line, _ in
            switch line {
            case "GET /api/approval": .json(polls.next() < 3 ? #"{"state":"open"}"# : #"{"state":"approved"}"#)
            case "GET /1.pdf": .pdf()
            default: .page("<p>Loading")
            }
        }
        let run = try await StagedRun.perform(
            """
            steps:
              - open: /
              - second factor: { push until: { json: $.state, is: approved }, polling: { GET: /api/approval }, within: 1 min }
              - download: { open: /1.pdf }
            """, at: bank)
        #expect(run.failure == nil, "\(run.failure?.description ?? "")")
        #expect(bank.lines == ["GET /"] + Array(repeating: "GET /api/approval", count: 3) + ["GET /1.pdf"])
        #expect(run.prompts.map(\.question) == ["Approve the sign-in in the bank's app."])
    }

    @Test("keeps the reason that the script declares")
    func declaredReason() async throws {
        let bank = StagedBank { _, _ in .page("<div id=app></div><script src=a.js></script><i class=none></i>") }
        let run = try await StagedRun.perform(
            """
            steps:
              - open: /
              - fail: { NAVIGATION_FAILED: { not: { titled: Statements } }, reason: statement_missing }
              - download: PDF
            """, at: bank)
        #expect(run.failure?.reason == .statementMissing)
    }

    @Test("a next link that is never there is a changed page, not a missing statement")
    func renamedNext() async throws {
        let bank = StagedBank { _, _ in .page(Self.table + "<a href=/2>Weiter</a>") }
        let steps =
            "steps:\n  - open: /\n  - search: { rows: March 2026, next: Next, at most: 9 pages }\n  - download: PDF\n"
        let run = try await StagedRun.perform(steps, at: bank)
        #expect(run.failure?.reason == .layoutChanged)
        #expect(run.failure?.message.contains("“next” names nothing") == true)
    }

    @Test(
        "knows the last page by a disabled link, by a link that went, and by the script's own word",
        arguments: ["<button disabled>Next</button>", "<a href=/2 aria-disabled=true>Next</a>", "<p>End of list</p>"])
    func lastPage(foot: String) async throws {
        let bank = StagedBank { _, _ in .page(Self.table + foot) }
        let run = try await StagedRun.perform(
            """
            steps:
              - open: /
              - search: { rows: March 2026, next: Next, last: { says: End of list }, at most: 9 pages }
              - download: PDF
            """, at: bank)
        #expect(run.failure?.reason == .statementMissing)
        #expect(bank.lines == ["GET /"])
    }

    @Test("knows the last page by a link that went, after it was there")
    func lastPageWithoutLink() async throws {
        let bank = StagedBank { line, _ in
            .page(Self.table + (line == "GET /" ? "<a href=/2>Next</a>" : "<p>Page 2 of 2"))
        }
        let run = try await StagedRun.perform(
            "steps:\n  - open: /\n  - search: { rows: March 2026, next: Next, at most: 9 pages }\n  - download: PDF\n",
            at: bank)
        #expect(run.failure?.reason == .statementMissing)
        #expect(bank.lines == ["GET /", "GET /2"])
    }

    @Test(
        "does not call a statement missing where the step's own limit ended the search",
        arguments: [(1, "on the first page; there are more"), (3, "on the first 3 pages; there are more")])
    func limit(pages: Int, words: String) async throws {
        let bank = StagedBank { line, _ in
            let number = line == "GET /" ? 1 : Int(line.suffix(1)) ?? 0
            return .page(
                "<table><tr><td>\(number)/2025<td>PDF</table>" + (number < 9 ? "<a href=/\(number + 1)>Next</a>" : ""))
        }
        let run = try await StagedRun.perform(
            "steps:\n  - open: /\n  - search: { rows: March 2026, next: Next, at most: \(pages) pages }\n  - download: PDF\n",
            at: bank)
        let failure = try #require(run.failure)
        #expect(failure.reason == .searchLimit && failure.concernsOneDocument)
        #expect(failure.message.contains(words), "\(failure.message)")
        #expect(!failure.message.contains("the page before"), "\(failure.message)")
        #expect(failure.place?.words.hasSuffix(pages == 1 ? "at most 1 page" : "at most 3 pages") == true)
        #expect(bank.lines.count == pages)
    }

    @Test("says that “next” leads to the same rows again")
    func samePage() async throws {
        let bank = StagedBank { _, _ in .page(Self.table + "<a href=/2>Next</a>") }
        let run = try await StagedRun.perform(
            "steps:\n  - open: /\n  - search: { rows: March 2026, next: Next, at most: 4 pages }\n  - download: PDF\n",
            at: bank)
        #expect(run.failure?.reason == .searchLimit)
        #expect(run.failure?.message.contains("3 pages had the rows of the page before") == true)
    }

    @Test("does not call an item missing where the step's own limit ended the search among answers")
    func answerLimit() async throws {
        let bank = StagedBank { _, _ in .json(#"{"items":[{"period":"2026-01"}],"next":"a"}"#) }
        let run = try await StagedRun.perform(
            """
            steps:
              - request: { GET: /api }
              - search: { json: "$.items[?@.period == '2026-03']", next: { GET: "/api?c={{ cursor }}" }, cursor: $.next, at most: 2 pages }
              - download: { open: /x }
            """, at: bank)
        #expect(run.failure?.reason == .searchLimit)
        #expect(run.failure?.message.contains("is not in the first 2 answers; there are more") == true)
    }

    @Test("names the language of the rows when it is not the script's")
    func otherLanguage() async throws {
        let bank = StagedBank { _, _ in
            .page(
                "<table><tr><th>Auszug<tr><td>Januar 2026<td>PDF<tr><td>Dezember 2025<td>PDF</table><button disabled>Next</button>"
            )
        }
        let run = try await StagedRun.perform(
            "steps:\n  - open: /\n  - search: { rows: \"{{ month.name }} {{ year }}\", next: Next, at most: 9 }\n  - download: PDF\n",
            at: bank)
        #expect(run.failure?.message.hasSuffix("; the rows name months in another language: write locale: de") == true)
        #expect(run.failure?.candidates.first?.contains("Januar 2026") == true)
    }

    @Test("offers a button of the same name where the script follows a link")
    func otherKind() async throws {
        let bank = StagedBank { _, _ in
            .page("<a href=/a>Accounts</a><a href=/b>Statutes</a><form><button>Statements</button></form>")
        }
        let run = try await StagedRun.perform(
            "steps:\n  - open: /\n  - follow: Statements\n  - download: PDF\n", at: bank)
        #expect(
            run.failure?.candidates.first?.contains("button “Statements”") == true, "\(run.failure?.candidates ?? [])")
    }

    @Test("shows the text that a pattern does not match, unless it is a secret", arguments: [false, true])
    func pattern(isSecret: Bool) async throws {
        let bank = StagedBank { _, _ in .page("<p class=reference>Reference 77-B</p>") }
        let run = try await StagedRun.perform(
            """
            steps:
              - open: /
              - capture: { number: { css: .reference, matching: "No\\\\. (\\\\d+)", secret: \(isSecret) } }
              - download: { open: "/{{ number }}" }
            """, at: bank)
        #expect(run.failure?.message.contains("does not match") == true)
        #expect(run.failure?.message.contains("“Reference 77-B”") == !isSecret, "\(run.failure?.message ?? "")")
    }

    @Test("masks a secret in the text that a pattern does not match before it cuts the text")
    func cutSecret() async throws {
        let bank = StagedBank { _, _ in
            .page(
                "<form method=post><label>PIN <input type=password name=pin></label></form><p class=reference>"
                    + String(repeating: "x", count: 52) + "correct horse battery</p>")
        }
        let run = try await StagedRun.perform(
            """
            steps:
              - open: /
              - fill: { PIN: $password }
              - capture: { number: { css: .reference, matching: "No (\\\\d+)" } }
              - download: { open: "/{{ number }}" }
            """, at: bank, credentials: ["password": "correct horse battery"])
        #expect(run.failure?.message.contains("does not match") == true)
        #expect(run.failure?.message.contains("correct") == false, "\(run.failure?.message ?? "")")
    }

    @Test("an error status ends a submitted form, and a search that turns to it")
    func statusElsewhere() async throws {
        let bank = StagedBank { line, _ in
            line == "GET /"
                ? .page(Self.table + "<form id=f action=/gone></form><a href=/gone>Next</a>")
                : .page("<h1>Not here</h1>", status: 404)
        }
        for step in ["submit: { form: \"#f\" }", "search: { rows: March 2026, next: Next, at most: 9 pages }"] {
            let run = try await StagedRun.perform(
                "steps:\n  - open: /\n  - \(step)\n  - download: PDF\n", at: bank)
            #expect(run.failure?.place?.number == 2)
            #expect(run.failure?.message.contains("answered 404") == true, "\(run.failure?.message ?? "")")
            #expect(run.failure?.bankWords == "Not here")
        }
    }

    @Test("an error status ends the step that met it", arguments: ["open: /gone", "follow: Gone", "press: Gone"])
    func status(step: String) async throws {
        let bank = StagedBank { line, _ in
            line.contains("gone")
                ? .page("<h1>Not here</h1><a href=/1.pdf>PDF</a>", status: 404)
                : line.contains("pdf") ? .pdf() : .page("<a href=/gone>Gone</a>")
        }
        let refused = try await StagedRun.perform(
            "steps:\n  - open: /\n  - \(step)\n  - download: PDF\n", at: bank)
        #expect(refused.failure?.place?.number == 2)
        #expect(refused.failure?.message.contains("answered 404") == true)
        #expect(refused.failure?.bankWords == "Not here")
        let expected = try await StagedRun.perform(
            "steps:\n  - open: /\n  - \(step)\n    expecting: 404\n  - download: PDF\n", at: bank)
        #expect(expected.failure == nil, "\(expected.failure?.description ?? "")")
    }

    @Test("a fail step that knows the error page speaks first")
    func explainedStatus() async throws {
        let bank = StagedBank { line, _ in
            line == "GET /"
                ? .page("<a role=button href=/in>Sign in</a>")
                : .page("<p class=error>The PIN is wrong</p>", status: 401)
        }
        let run = try await StagedRun.perform(
            """
            steps:
              - open: /
              - press: Sign in
              - fail: { BANK_LOGIN_FAILED: .error, reason: wrong_credentials }
              - download: PDF
            """, at: bank)
        #expect(run.failure?.code == .bankLoginFailed)
        #expect(run.failure?.reason == .wrongCredentials)
    }

    @Test("shows what stands in noscript, because no script runs")
    func noscript() async throws {
        let bank = StagedBank { line, _ in
            line == "GET /1.pdf" ? .pdf() : .page("<noscript><a href=/1.pdf>Statement</a></noscript><p>Welcome")
        }
        let run = try await StagedRun.perform("steps:\n  - open: /\n  - download: Statement\n", at: bank)
        #expect(run.failure == nil, "\(run.failure?.description ?? "")")
    }

    private static let interruptions = """
        interruptions:
          - { when: { titled: An offer }, pass: [follow: No, thank you] }
          - { when: { titled: Maintenance }, fail: NAVIGATION_FAILED, reason: maintenance }

        """.replacing("[follow: No, thank you]", with: "[follow: \"No, thank you\"]")

    @Test("leaves an offer and reports maintenance while it turns pages")
    func interruptedSearch() async throws {
        let bank = StagedBank { line, _ in
            switch line {
            case "GET /": .page(Self.table + "<a href=/2>Next</a>")
            case "GET /2": .page("<a href=/3>No, thank you</a>", title: "An offer")
            case "GET /3": .page(Self.table + "<a href=/4>Next</a>")
            default: .page("<h1>Back soon</h1>", title: "Maintenance")
            }
        }
        let run = try await StagedRun.perform(
            Self.interruptions
                + "steps:\n  - open: /\n  - search: { rows: March 2026, next: Next, at most: 9 pages }\n  - download: PDF\n",
            at: bank)
        #expect(run.failure?.reason == .maintenance)
        #expect(bank.lines == ["GET /", "GET /2", "GET /3", "GET /4"])
    }

    @Test(
        "reports an ended session while it asks the bank's JSON",
        arguments: [
            "search: { json: \"$.items[?@.m == 3]\", next: { GET: \"/api?{{ cursor }}\" }, cursor: $.next, at most: 9 pages }",
            "wait until: { json: $.state, is: ready, polling: { GET: /api }, within: 1 min }",
            "second factor: { push until: { json: $.state, is: ready }, polling: { GET: /api }, within: 1 min }",
        ])
    func interruptedJSON(step: String) async throws {
        let asked = Counter()
        let bank = StagedBank { _, _ in
            asked.next() < 3
                ? .json(#"{"items":[],"next":"2","state":"waiting"}"#)
                : .json(#"{"error":"SESSION_EXPIRED","next":"3"}"#)
        }
        let run = try await StagedRun.perform(
            """
            interruptions:
              - { when: { json: $.error, is: SESSION_EXPIRED }, fail: NAVIGATION_FAILED, reason: session_expired }
            steps:
              - request: { GET: /api }
              - \(step)
              - download: { open: /1.pdf }
            """, at: bank)
        #expect(run.failure?.reason == .sessionExpired, "\(run.failure?.description ?? "")")
        #expect(bank.lines.count == 3)
    }

    @Test("leaves an offer while it waits, and before it signs out")
    func interruptedEnd() async throws {
        let visits = Counter()
        let bank = StagedBank { line, _ in
            switch line {
            case "GET /":
                visits.next() == 1
                    ? .page("<p>Working on it") : .page("<a href=/3>No, thank you</a>", title: "An offer")
            case "GET /3": .page("<p class=ready>Ready<a href=/offer>Offer</a>")
            case "GET /offer": .page("<a href=/5>No, thank you</a>", title: "An offer")
            case "GET /5": .page("<a href=/out>Sign out</a>")
            case "GET /1.pdf": .pdf()
            default: .page("<h1>Goodbye</h1>")
            }
        }
        let run = try await StagedRun.perform(
            Self.interruptions + """
                steps:
                  - open: /
                  - wait until: { page: .ready, within: 1 min }
                  - download: { open: /1.pdf }
                finally:
                  - follow: Offer
                  - follow: Sign out
                """, at: bank)
        #expect(run.failure == nil, "\(run.failure?.description ?? "")")
        #expect(bank.lines == ["GET /", "GET /", "GET /3", "GET /3", "GET /1.pdf", "GET /offer", "GET /5", "GET /out"])
    }

    @Test("leaves no file behind when it fails")
    func noFile() async throws {
        let bank = StagedBank { line, _ in
            line == "GET /1.pdf" ? .pdf() : .page("<a href=/1.pdf>First</a><a href=/2>Second</a>")
        }
        let run = try await StagedRun.perform(
            "steps:\n  - open: /\n  - download: First\n  - download: Second\n", at: bank)
        #expect(run.failure?.reason == .notAPDF)
        #expect(run.files == [])
    }

    @Test("sends a code with the button that the script names")
    func button() async throws {
        let bank = StagedBank { line, body in
            switch line {
            case "GET /":
                .page(
                    "<form method=post action=/><input name=q><button name=go value=search>Search</button>"
                        + "<label>TAN<input name=tan></label><button name=go value=tan>Send</button></form>")
            case "GET /1.pdf": .pdf()
            default: .page(body.contains("go=tan") ? "<p>Welcome" : "<p>Nothing found", title: "After")
            }
        }
        let run = try await StagedRun.perform(
            """
            steps:
              - open: /
              - second factor: { field: TAN, press: Send, from: [person], within: 1 min }
              - expect: { says: Welcome }
              - download: { open: /1.pdf }
            """, at: bank, code: "424242")
        #expect(run.failure == nil, "\(run.failure?.description ?? "")")
        #expect(bank.seen.contains { $0.body.contains("tan=424242") })
    }

    @Test("says which button sent a code when the script names none")
    func defaultButton() async throws {
        let bank = StagedBank { line, _ in
            line == "GET /1.pdf"
                ? .pdf()
                : .page(
                    "<form method=post action=/><label>TAN<input name=tan></label><button>Search</button><button>Send</button></form>"
                )
        }
        let run = try await StagedRun.perform(
            """
            steps:
              - open: /
              - second factor: { field: TAN, from: [person], within: 1 min }
              - download: { open: /1.pdf }
            """, at: bank, code: "424242")
        #expect(run.warnings.contains { $0.contains("sent with the button “Search”") && $0.contains("press") })
    }

    @Test("sends a parameter in a JSON body as a number")
    func number() async throws {
        let bank = StagedBank { line, _ in line == "GET /1.pdf" ? .pdf() : .json("{}") }
        let run = try await StagedRun.perform(
            """
            steps:
              - request: { POST: /api, body: { year: { number: "{{ year }}" }, text: "{{ year }}" } }
              - download: { open: /1.pdf }
            """, at: bank)
        #expect(run.failure == nil, "\(run.failure?.description ?? "")")
        #expect(bank.seen.first?.body == #"{"text":"2026","year":2026}"#)
    }
}
