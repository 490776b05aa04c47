import Automation
import BankScript
import CurlClient
import Messages
import Synchronization
import Testing

@Suite("A wrong password")
struct WrongPasswordPagesTests {
    /// A sign-in page, and the answers after the password, in turn.
    struct SignIn: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var before = ""
        var field = "<label>Password <input name=p type=password></label>"
        var steps = "  - press: Sign in\n"
        let answers: [StagedBank.Answer]
        var reason = FailureReason.signInNotConfirmed

        var form: String {
            "\(before)<form method=post action=/in><label>Username <input name=u></label>\(field)<button>Sign in</button></form>"
        }
    }

    private static func page(_ body: String, _ status: Int = 200) -> StagedBank.Answer { .page(body, status: status) }
    private static let form = SignIn(testDescription: "", answers: []).form
    private static let code = "  - second factor: { field: Code, from: [person], within: 1 min }\n"

    static let pages: [SignIn] = [
        .init(testDescription: "a text, with the form", answers: [page("<p>Wrong.\(form)")], reason: .wrongCredentials),
        .init(testDescription: "a text alone", answers: [page("<p>These details are not right.")]),
        .init(testDescription: "status 401 with a page", answers: [page("<h1>No", 401)], reason: .wrongCredentials),
        .init(testDescription: "status 403 with a page", answers: [page("<h1>No", 403)]),
        .init(testDescription: "status 422 with a page", answers: [page("<h1>No", 422)]),
        .init(testDescription: "status 400 with nothing", answers: [page("", 400)]),
        .init(testDescription: "a redirect back with ?error", answers: [.redirect("/?error=1"), page("<p>Wrong")]),
        .init(
            testDescription: "a redirect back to the form", answers: [.redirect("/"), page(form)],
            reason: .wrongCredentials),
        .init(testDescription: "the form again, without a word", answers: [page(form)], reason: .wrongCredentials),
        .init(testDescription: "a banner", answers: [page("<div role=alert aria-live=assertive>Try again</div>")]),
        .init(testDescription: "a JSON answer", answers: [.json(#"{"error":"invalid_grant"}"#)]),
        .init(testDescription: "a JSON answer with status 400", answers: [.json(#"{"error":"invalid"}"#, status: 400)]),
        .init(
            testDescription: "a modal over the form",
            answers: [page("<dialog open><p>Sorry</p><button>OK</button></dialog>\(form)")], reason: .wrongCredentials),
        .init(
            testDescription: "an error element that is always there", before: "<p class=error></p>",
            answers: [page("<p class=error>Sorry</p>\(form)")], reason: .wrongCredentials),
        .init(testDescription: "a locked notice", answers: [page("<h1>Your access is locked. Call us.")]),
        .init(
            testDescription: "a captcha instead", answers: [page("<p>Please verify you are human <img src=/c alt=''>")]),
        .init(testDescription: "a firewall that counts refusals", answers: [page("<h1>Slow down", 429)]),
        .init(
            testDescription: "a page to choose a method, then the refusal",
            steps: "  - press: Sign in\n  - press: Text message\n",
            answers: [page("<form method=post action=/m><button>Text message</button></form>"), page("<p>Sorry")]),
        .init(
            testDescription: "a choice of methods, then the refusal",
            steps: "  - press: Sign in\n  - second factor: { choice: button, from: [person], within: 1 min }\n",
            answers: [page("<form method=post action=/m><button>App</button></form>"), page("<p>Sorry")]),
        .init(
            testDescription: "no field for the code that is expected next", steps: "  - press: Sign in\n" + code,
            answers: [page("<p>Sorry")]),
        .init(
            testDescription: "a page that only scripts fill",
            answers: [page("<div id=app></div><script src=/a></script>")]),
        .init(
            testDescription: "two forms, to sign in and to register",
            answers: [page("\(form)<form><label>New password <input type=password></label></form>")]),
        .init(testDescription: "a document instead of a page", answers: [.pdf()]),
        .init(
            testDescription: "an alert above the form",
            answers: [page("<p role=alert>Your password is not right.</p>\(form)")], reason: .wrongCredentials),
        .init(testDescription: "status 200 and JSON that says no", answers: [.json(#"{"ok":false}"#)]),
        .init(testDescription: "a blank page", answers: [page("")]),
        .init(testDescription: "nothing at all", answers: [.init(body: [])]),
        .init(
            testDescription: "a redirect with the error in its query",
            answers: [.redirect("/?error=bad_credentials"), page("<p>Try again \(form)")], reason: .wrongCredentials),
        .init(testDescription: "German words", answers: [page("<p>Die PIN ist falsch. Noch 2 Versuche.")]),
        .init(testDescription: "French words", answers: [page("<p>Identifiant ou mot de passe incorrect.")]),
        .init(testDescription: "Italian words", answers: [page("<p>Le credenziali non sono valide.")]),
        .init(testDescription: "words in the title alone", answers: [.page("<p>-", title: "Sign-in failed")]),
        .init(
            testDescription: "a dialog",
            answers: [page("<div role=dialog aria-modal=true>Wrong <button>OK</button></div>")]
        ),
        .init(
            testDescription: "a frame with the words", answers: [page("<iframe srcdoc='<p>Wrong password'></iframe>")]),
        .init(
            testDescription: "a captcha above the form",
            answers: [page("<div class=captcha>Type the characters <img src=/c alt=''></div>\(form)")]),
        .init(testDescription: "a robot wall", answers: [page("<p>Verify you are human", 200)]),
        .init(testDescription: "a firewall's 403", answers: [page("<h1>Access denied</h1><p>Reference 18.ab", 403)]),
        .init(testDescription: "JSON with status 403", answers: [.json(#"{"error":"denied"}"#, status: 403)]),
        .init(testDescription: "JSON with status 401", answers: [.json("{}", status: 401)], reason: .wrongCredentials),
        .init(
            testDescription: "the user name again, alone",
            answers: [page("<form><label>Username <input name=u></label>")]),
        .init(testDescription: "a page of a missing place", answers: [page("<h1>Not found", 404)]),
        .init(testDescription: "a server in trouble", answers: [page("<h1>Error", 500)]),
        .init(testDescription: "a server under maintenance", answers: [page("<h1>Maintenance", 503)]),
        .init(
            testDescription: "a password by characters",
            field: "<label>Character 1 <input name=a></label><label>Character 3 <input name=b></label>",
            answers: [page("<p>Sorry")]),
    ]

    @Test("is sent once, and holds the bank", arguments: pages)
    func held(signIn: SignIn) async throws {
        let answers = Mutex(signIn.answers)
        let bank = StagedBank { line, _ in
            if line == "GET /" && answers.withLock({ $0.count == signIn.answers.count }) { return .page(signIn.form) }
            return answers.withLock { $0.isEmpty ? .page("<p>Nothing") : $0.removeFirst() }
        }
        let fill =
            signIn.field.contains("Character")
            ? "  - fill: { Username: $username, \"Character {{ position }}\": { $password: character at position } }\n"
            : "  - fill: { Username: $username, Password: $password }\n"
        let run = try await StagedRun.perform(
            "steps:\n  - open: /\n\(fill)\(signIn.steps)  - follow: Statements\n  - download: PDF\n", at: bank,
            code: signIn.steps.contains("choice") ? "App" : "1")
        let failure = try #require(run.failure)
        #expect(failure.code == .bankLoginFailed, "\(failure)")
        #expect(failure.reason == signIn.reason, "\(failure)")
        #expect(failure.isSignInUnconfirmed)
        let sent = bank.seen.count { $0.body.contains("p=") || $0.body.contains("a=") }
        #expect(sent == 1)
    }

    @Test(
        "may have been right, where a firewall or a server in trouble answers",
        arguments: [
            (403, "<h1>Forbidden", "turns this program away"), (429, "<h1>Slow down", "asked too often"),
            (200, "<p>Verify you are human", "page against robots"), (500, "<h1>Error", "answered 500"),
            (503, "<h1>Maintenance", "answered 503"),
        ])
    func wall(status: Int, html: String, words: String) async throws {
        let bank = StagedBank { line, _ in line == "GET /" ? .page(Self.form) : Self.page(html, status) }
        let run = try await StagedRun.perform(
            "steps:\n  - open: /\n  - fill: { Username: $username, Password: $password }\n  - press: Sign in\n"
                + "  - download: PDF\n", at: bank)
        let failure = try #require(run.failure)
        #expect(failure.code == .bankLoginFailed && failure.reason == .signInNotConfirmed, "\(failure)")
        #expect(failure.message.contains(words) && !failure.message.contains("name it in the script"), "\(failure)")
        #expect(bank.seen.count { $0.body.contains("p=") } == 1)
    }

    /// Pages that a bank shows after a right password, at which a script can stop.
    static let pagesAfterRight = [
        "<form method=post><label>Memorable word <input name=w type=password></label><button>Next</button></form>",
        "<form method=post><label>One-time code <input name=c type=password></label><button>Next</button></form>",
        "<form><label>New password <input type=password></label><label>Again <input type=password></label></form>",
        "<h1>Welcome</h1><template><p class=error>Wrong password</p></template><a href=/list>Overview</a>",
        "<h1>Welcome</h1><p class=error hidden>Wrong password</p><dialog>\(form)</dialog>",
        "<h1>Welcome</h1><div style='display: none'>\(form)</div>",
        "<h1>Our new terms</h1><form method=post><label><input type=checkbox> I agree</label><button>Next</button></form>",
        "<p>Approve the sign-in in your app.", "<h1>Survey</h1><a href=/skip>Not now</a>",
    ]

    @Test("is not seen in what a bank shows after a right one", arguments: pagesAfterRight)
    func rightPassword(page: String) async throws {
        let bank = StagedBank { line, _ in .page(line == "GET /" ? Self.form : page) }
        let run = try await StagedRun.perform(
            "steps:\n  - open: /\n  - fill: { Username: $username, Password: $password }\n  - press: Sign in\n"
                + "  - fail: { BANK_LOGIN_FAILED: .error, reason: wrong_credentials }\n  - follow: Statements\n  - download: PDF\n",
            at: bank)
        let failure = try #require(run.failure)
        #expect(failure.reason == .signInNotConfirmed, "\(failure)")
    }
}
