import Automation
import BankScript
import CurlClient
import Foundation
import Messages
import Testing

@Suite("A sign-in that no page confirms")
struct UnconfirmedSignInTests {
    private static let signIn = """
        steps:
          - open: /
          - fill: { Username: $username, Password: $password }
          - press: Sign in

        """
    private static let form = """
        <form method=post action=/in><label>Username <input name=u></label><label>Password <input name=p type=password></label>
        <button>Sign in</button></form>
        """

    private func run(_ steps: String, _ answer: StagedBank.Answer) async throws -> RunFailure? {
        let bank = StagedBank { line, _ in line == "GET /" ? .page(Self.form) : answer }
        return try await StagedRun.perform(Self.signIn + steps, at: bank).failure
    }

    /// The pages of banks that refuse a password, none of them named in the script.
    private static let refusals = [
        "<p class=error>The username or password is not right.</p>\(form)", "<p>Wrong password</p>",
        "<h1>Error 4711</h1>",
        "<h1>Access denied</h1><p>Call us.", "<p>Your login was not successful. <a href=/>Try again</a>",
        "<script>alert('Wrong')</script><p>Please go back.", "", "<div class=error></div><p>We could not sign you in",
        "<form method=post><label>Username <input name=u></label><button>Next</button></form>",
        "<p>Questo utente non esiste</p>", "<table><tr><td>Fehler<td>E-17</table>", "<h1>Zugang gesperrt</h1>",
    ]

    @Test("is one of a bank that may have refused the password", arguments: refusals)
    func follow(page: String) async throws {
        let failure = try await run("  - follow: Statements\n  - download: PDF\n", .page(page))
        #expect(failure?.code == .bankLoginFailed)
        #expect(failure?.reason == (page.contains("type=password") ? .wrongCredentials : .signInNotConfirmed))
        #expect(failure?.isSignInUnconfirmed == true)
    }

    @Test(
        "is that, whatever the next step is",
        arguments: [
            "expect: { says: Welcome }", "download: PDF", "enter: iframe", "choose: { Year: \"2026\" }",
            "press: Continue",
            "second factor: { field: Code, from: [person], within: 1 min }", "fill: { Character 3: x }",
            "capture: { t: { css: .token } }", "expect: { path: /overview }",
        ])
    func anyStep(step: String) async throws {
        let failure = try await run("  - \(step)\n", .page("<p>Sorry"))
        #expect(failure?.code == .bankLoginFailed, "\(failure?.description ?? "")")
        #expect(failure?.reason == .signInNotConfirmed)
    }

    @Test("is confirmed by a step that finds a page behind it")
    func confirmed() async throws {
        let bank = StagedBank { line, _ in
            switch line {
            case "GET /": .page(Self.form)
            case "POST /in": .page("<a href=/list>Statements</a>")
            default: .page("<p>No statements yet")
            }
        }
        let run = try await StagedRun.perform(
            Self.signIn + "  - follow: Statements\n  - follow: March\n", at: bank)
        #expect(run.failure?.code == .navigationFailed)
        #expect(run.failure?.reason == .layoutChanged)
        #expect(run.failure?.isSignInUnconfirmed == false)
    }

    @Test("is refused where the password is asked for instead of a document")
    func instead() async throws {
        let bank = StagedBank { line, _ in
            line == "POST /in" ? .page("<a href=/1.pdf>PDF</a>") : .page(Self.form)
        }
        let failure = try await StagedRun.perform(Self.signIn + "  - download: PDF\n", at: bank).failure
        #expect(failure?.code == .bankLoginFailed)
        #expect(failure?.reason == .wrongCredentials)
    }

    @Test(
        "does not fail by an error element without a word in it",
        arguments: [
            "<span class=error></span>", "<div class=error role=alert>&nbsp;</div>",
            "<p class=error hidden>Wrong password</p>",
            "<div class=error style='display:none'>Wrong</div>", "<dialog><p class=error>Wrong</p></dialog>",
        ])
    func emptyError(error: String) async throws {
        let bank = StagedBank { line, _ in
            switch line {
            case "GET /": .page(error + Self.form)
            case "POST /in": .page(error + "<a href=/1.pdf>PDF</a>")
            default: .pdf()
            }
        }
        let run = try await StagedRun.perform(
            Self.signIn + "  - fail: { BANK_LOGIN_FAILED: .error, reason: wrong_credentials }\n  - download: PDF\n",
            at: bank)
        #expect(run.failure == nil, "\(run.failure?.description ?? "")")
    }

    @Test("fails by one with a word in it")
    func error() async throws {
        let failure = try await run(
            "  - fail: { BANK_LOGIN_FAILED: .error, reason: wrong_credentials }\n",
            .page("<p class=error>Wrong password</p>"))
        #expect(failure?.reason == .wrongCredentials)
        #expect(failure?.bankWords == "Wrong password")
    }

    @Test(
        "is not looked for where a firewall turns the program away",
        arguments: [
            (403, "<h1>Forbidden</h1>"), (429, "<h1>Slow down</h1>"),
            (200, "<title>Just a moment...</title><p>Verifying you are human. This may take a few seconds."),
            (200, "<p>Request unsuccessful. Incapsula incident ID: 443000270"), (503, "<p>Pardon Our Interruption..."),
            (200, "<p>The requested URL was rejected. Your support ID is: 1234"),
            (200, "<script src=/cdn-cgi/challenge-platform/h/b/jsch></script><noscript>Enable JavaScript</noscript>"),
            (200, "<iframe src='/_Incapsula_Resource?CWUDNSAI=9'></iframe>"),
            (200, "<p>I\u{2019}m not a robot <input type=checkbox>"),
            (200, "<p>Bitte bestätigen Sie, dass Sie kein Roboter sind."),
            (429, "<div id=a></div><script src=/ips.js></script>"),
            (405, "<script src='https://token.awswaf.com/c.js'></script><div id=c></div>"),
        ])
    func firewall(status: Int, page: String) async throws {
        let bank = StagedBank { _, _ in .page(page, status: status) }
        let failure = try await StagedRun.perform(
            "steps:\n  - open: /\n  - follow: Sign in\n  - download: PDF\n", at: bank
        ).failure
        #expect(failure?.reason == .refusedByBank, "\(failure?.description ?? "")")
        #expect(failure?.message.contains("expecting") == false)
        #expect(failure?.message.contains("browser") == true)
    }

    @Test("is one whose list does not have the month, on a page that asks for no password")
    func missingMonth() async throws {
        let lists = "<select aria-label=Year><option>2024<option>2023</select>"
        for (page, reason) in [(lists, FailureReason.statementMissing), (lists + Self.form, .wrongCredentials)] {
            let failure = try await run("  - choose: { Year: \"{{ year }}\" }\n  - download: PDF\n", .page(page))
            #expect(failure?.reason == reason, "\(failure?.description ?? "")")
        }
    }
}
