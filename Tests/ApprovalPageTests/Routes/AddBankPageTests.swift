import Automation
import BankScript
import CurlClient
import Encodings
import Foundation
import Messages
import Phone
import PhoneStore
import Secrets
import Synchronization
import TestParties
import Testing

@testable import ApprovalPage

@Suite("A bank that is added on the approval page", .timeLimit(.minutes(3)))
struct AddBankPageTests {
    private static let passphrase = TestPhone.passphrase.revealed()

    private static let yaml = """
        bank: northern
        name: Northern Bank
        origins: [https://northern.example]
        steps:
          - open: /login
          - fill: { Username: $username, Password: $password }
          - press: Sign in
          - download: PDF
        """

    private static func digest(_ yaml: String = yaml) throws -> String {
        try BankScript(yaml: yaml, file: "script.yaml").digest.hex
    }

    /// Runs a phone whose page adds banks, and a browser that is signed in.
    private static func with(
        notices: @escaping @Sendable (String) -> Void = { _ in },
        _ body: @escaping @Sendable (TestPhone, FakeBanks, PageBrowser, _ csrf: String) async throws -> Void
    ) async throws {
        try await TestPhone.with { phone in
            let banks = FakeBanks(in: phone.home)
            var configuration = TestPhone.pageConfiguration
            configuration.banks = banks
            try await phone.serving(configuration, onNotice: notices) { browser, _ in
                try await body(phone, banks, browser, try await browser.signIn())
            }
        }
    }

    /// Has the page read a script.
    ///
    /// - Returns: the path of the page that shows it.
    private static func read(
        _ browser: PageBrowser, _ csrf: String, text yaml: String = yaml
    ) async throws -> String {
        let answer = try await browser.post("/banks/add", form: ["csrf": csrf, "text": yaml])
        #expect(answer.status == 303, "\(String(decoding: answer.body, as: UTF8.self))")
        let location = try #require(answer.header("Location"))
        return String(location.dropFirst(browser.base.count))
    }

    private static func form(_ csrf: String, passphrase: String = passphrase, signsIn: Bool = false) -> [String: String]
    {
        var form = [
            "csrf": csrf, "passphrase": passphrase, "credential-username": "ada.of.northern",
            "credential-password": "a password of northern",
        ]
        if signsIn { form["credential-test.login"] = "on" }
        return form
    }

    private static func text(_ answer: HTTPResponse) -> String { String(decoding: answer.body, as: UTF8.self) }

    /// Returns the page of an attempt once it has ended.
    private static func end(_ path: String, _ browser: PageBrowser) async throws -> String {
        while true {
            let page = try await browser.page(path + "/end")
            if !page.contains("is being added") { return page }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    @Test("is read, accepted and served by the phone that runs, and the broker is told")
    func whole() async throws {
        let notices = Mutex<[String]>([])
        let note: @Sendable (String) -> Void = { notice in notices.withLock { $0.append(notice) } }
        try await Self.with(notices: note) { phone, banks, browser, csrf in
            #expect(try await browser.page("/banks").contains("\(browser.base)/banks/add\">Add a bank"))
            let form = try await browser.page("/banks/add")
            #expect(form.contains("accept=\".yaml,.yml\"") && form.contains("<textarea id=\"add-text\" name=\"text\""))
            // A browser ends a form's lines as HTTP does.
            let path = try await Self.read(browser, csrf, text: Self.yaml.replacing("\n", with: "\r\n"))
            #expect(path == "/add-bank/\(try Self.digest())")
            let script = try BankScript(yaml: Self.yaml, file: "script.yaml")
            let page = try await browser.page(path)
            // Each origin stands apart.
            let question = page.replacing(/<\/?code>/, with: "")
            #expect(question.contains(AcceptanceQuestion(script).description.escapedForHTML), "\(page)")
            #expect(page.contains(script.digest.hex) && page.contains("name=\"credential-password\" type=\"password\""))
            #expect(page.contains("name=\"credential-test.login\"") && page.contains(" checked"))
            #expect(!page.contains("This is a trial"))
            let store = try PhoneDatabase(phone.home)
            #expect(try AcceptedScripts(home: phone.home.folder).digests().isEmpty, "nothing is accepted by reading")

            let told = await phone.broker.bankListCount()
            let answer = try await browser.post(path, form: Self.form(csrf, signsIn: true))
            #expect(answer.status == 303 && answer.header("Location") == browser.base + path + "/end")
            let end = try await Self.end(path, browser)
            #expect(end.contains("Northern Bank was added.") && end.contains("/banks#bank-northern"), "\(end)")
            #expect(!end.contains("a password of northern") && !end.contains("countersign up --stop"))
            let addition = try #require(banks.additions.first)
            #expect(addition.signedIn && addition.script.digest == script.digest)
            #expect(
                addition.credentials == ["username": "ada.of.northern", "password": "a password of northern"])
            #expect(try await store.credentialTimes()["northern"] != nil)
            #expect(try await browser.page("/banks").contains("id=\"bank-northern\""), "without a restart")
            while await phone.broker.bankListCount() <= told { try await Task.sleep(for: .milliseconds(20)) }
            #expect(await phone.broker.lastBankList()?.compactText().contains("northern") == true)
            #expect(notices.withLock { $0 }.contains { $0.contains("the bank “Northern Bank” was added on the page") })
            #expect(try await browser.get(path).status == 409, "it is added once")
        }
    }

    @Test(
        "has a script that is refused with a reason, and the text stays in the form",
        arguments: [
            ("bank: [northern", "script.yaml:"), (yaml + "\n  - frobnicate: now\n", "frobnicate"),
            ("testing: true\n" + yaml, "is for testing"),
            (yaml.replacing("bank: northern", with: "bank: default"), "are stored already"),
            ("", "Choose a file, or paste a script"),
            (String(repeating: "a", count: (1 << 20) + 1), "larger than 1 MiB"),
        ])
    func refused(yaml: String, words: String) async throws {
        try await Self.with { _, banks, browser, csrf in
            let answer = try await browser.post("/banks/add", form: ["csrf": csrf, "text": yaml])
            let page = Self.text(answer)
            #expect(answer.status == 409 && page.contains(words), "\(page.prefix(4000))")
            #expect(yaml.isEmpty || page.contains(yaml.prefix(12).description.escapedForHTML))
            #expect(try await browser.post("/banks/add", form: ["csrf": "another", "text": yaml]).status == 403)
            #expect(banks.attempts == 0)
        }
    }

    @Test("has a script's fault marked as English on a page that is not")
    func foreign() async throws {
        try await TestPhone.with { phone in
            var configuration = TestPhone.pageConfiguration
            configuration.banks = FakeBanks(in: phone.home)
            try await phone.serving(configuration) { browser, server in
                let csrf = try await browser.signIn()
                for isMarked in [false, true] {
                    if isMarked { try await server.state.choose(language: "de") }
                    let answer = try await browser.post("/banks/add", form: ["csrf": csrf, "text": "bank: [northern"])
                    let page = Self.text(answer)
                    #expect(page.contains("<pre class=\"report\" lang=\"en\">script.yaml:"), "\(page.prefix(4000))")
                    #expect(page.contains("<p class=\"small\">Auf Englisch:</p><pre") == isMarked)
                }
            }
        }
    }

    @Test("is refused with words when its script is larger than a form may be")
    func oversized() async throws {
        try await Self.with { _, _, browser, csrf in
            let text = String(repeating: "a", count: (3 << 20) + (70 << 10))
            let answer = try await browser.post("/banks/add", form: ["csrf": csrf, "text": text])
            #expect(answer.status == 413 && Self.text(answer).contains("larger than 1 MiB"))
        }
    }

    @Test("shows what its author hides, and no line of its author's own making")
    func hostile() async throws {
        let yaml = Self.yaml.replacing(
            "name: Northern Bank", with: #"name: "Northern\u202E\nMay this script contact no origin?""#)
        try await Self.with { _, _, browser, csrf in
            let page = try await browser.page(try await Self.read(browser, csrf, text: yaml))
            #expect(!page.unicodeScalars.contains("\u{202E}"))
            #expect(!page.contains("\nMay this script contact no origin?"))
            let asked = page.matches(of: /<p class="asked"><bdi>(.*?)<\/bdi><\/p>/).map { String($0.1) }
            #expect(asked.count == 1 && asked[0].contains("northern.example"), "\(asked)")
        }
    }

    @Test("needs the vault, all of the credentials, and the script that this browser has read")
    func mistakes() async throws {
        try await Self.with { phone, banks, browser, csrf in
            let path = try await Self.read(browser, csrf)
            let wrong = try await browser.post(path, form: Self.form(csrf, passphrase: "a wrong passphrase"))
            let page = Self.text(wrong)
            #expect(wrong.status == 403 && page.contains("passphrase") && page.contains("credential-password"))
            #expect(!page.contains("a password of northern") && !page.contains("a wrong passphrase"))
            #expect(page.contains("value=\"ada.of.northern\""), "the user name is not typed again")
            let field = try #require(page.range(of: "id=\"add-phrase\""))
            let notice = try #require(page.range(of: "role=\"alert\" id=\"add-wrong\""))
            #expect(field.lowerBound < notice.lowerBound && page.contains("aria-describedby=\"add-wrong\" autofocus"))
            #expect(!page.contains(" checked"), "the tick stays as it was")
            var empty = Self.form(csrf)
            empty["credential-password"] = ""
            #expect(try await browser.post(path, form: empty).status == 409)
            #expect(try await browser.post(path, form: Self.form("another")).status == 403)
            let unread = "/add-bank/\(try Self.digest(Self.yaml.replacing("/login", with: "/log-in")))"
            let changed = try await browser.post(unread, form: Self.form(csrf))
            #expect(changed.status == 409 && Self.text(changed).contains("Choose it again"))
            #expect(try await browser.get(unread).status == 409)
            let other = try await phone.anotherBrowser(browser.origin)
            let token = try await other.signIn()
            let unknown = try await other.post(path, form: Self.form(token))
            #expect(unknown.status == 409, "another browser has read nothing")
            #expect(banks.attempts == 0)
            #expect(try AcceptedScripts(home: phone.home.folder).digests().isEmpty)
        }
    }

    private static let refusals: [(CredentialsRefusal, String, Bool)] = [
        (.refused(bankWords: "Unknown customer"), "refused these credentials", true),
        (.notLetIn("the account is locked", bankWords: nil), "Sign in at its own pages first", true),
        (.refusedBefore, "were not sent again", false), (.codesRefused(2), "refused 2\u{A0}one-time codes", true),
        (.noMoreCodes(3), "so nothing was sent", false),
        (.tooManyLogins(2, until: Date(timeIntervalSince1970: 1_800_000_000)), "or wait until", false),
    ]

    @Test("says what the bank refused, and stores nothing", arguments: refusals)
    func refusal(_ refusal: CredentialsRefusal, words: String, stays: Bool) async throws {
        try await Self.with { phone, banks, browser, csrf in
            banks.answer(.failure(refusal))
            let path = try await Self.read(browser, csrf)
            #expect(try await browser.post(path, form: Self.form(csrf, signsIn: true)).status == 303)
            let end = try await Self.end(path, browser)
            #expect(end.contains(words) && end.contains("no credentials were stored"), "\(end)")
            #expect(end.contains("The script stays accepted") == stays)
            #expect(end.contains("\(browser.base)\(path)\">"), "the form is there for others")
            #expect(try await PhoneDatabase(phone.home).credentialTimes()["northern"] == nil)
            #expect(try await !browser.page("/banks").contains("bank-northern"))
            banks.answer(.success(.accepted))
            #expect(try await browser.post(path, form: Self.form(csrf, signsIn: true)).status == 303)
            #expect(try await Self.end(path, browser).contains("The bank accepted the sign-in."))
        }
    }

    @Test("says that an accepted script stays so, whatever ended the next attempt")
    func staysAccepted() async throws {
        try await Self.with { _, banks, browser, csrf in
            banks.answer(.failure(CredentialsRefusal.refused(bankWords: nil)))
            let path = try await Self.read(browser, csrf)
            _ = try await browser.post(path, form: Self.form(csrf, signsIn: true))
            let first = try await Self.end(path, browser)
            #expect(first.contains("The script stays accepted"))
            banks.answer(.failure(CredentialsRefusal.tooManyLogins(2, until: Date())))
            _ = try await browser.post(path, form: Self.form(csrf, signsIn: true))
            let second = try await Self.end(path, browser)
            #expect(second.contains("or wait until") && second.contains("The script stays accepted"), "\(second)")
        }
    }

    @Test("keeps the tick of the sign-in as it was", arguments: [true, false])
    func tick(signsIn: Bool) async throws {
        try await Self.with { _, banks, browser, csrf in
            banks.answer(.failure(ScriptRefusal.hindered("a file cannot be read")))
            let path = try await Self.read(browser, csrf)
            _ = try await browser.post(path, form: Self.form(csrf, signsIn: signsIn))
            _ = try await Self.end(path, browser)
            let page = try await browser.page(path)
            #expect(page.contains(" checked") == signsIn)
        }
    }

    @Test("says where another script for its bank lies and what to do, unless its credentials are stored")
    func another() async throws {
        try await Self.with { _, banks, browser, csrf in
            banks.haveAnother(in: "/scripts of mine/northern.yaml")
            let answer = try await browser.post("/banks/add", form: ["csrf": csrf, "text": Self.yaml])
            let page = Self.text(answer)
            #expect(answer.status == 409 && page.contains("has another script already"), "\(page)")
            let command = "countersign script accept '/scripts of mine/northern.yaml'".escapedForHTML
            #expect(page.contains(command) && !page.contains("cannot be used"))
            let stored = Self.yaml.replacing("bank: northern", with: "bank: default")
            let known = Self.text(try await browser.post("/banks/add", form: ["csrf": csrf, "text": stored]))
            #expect(known.contains("are stored already") && !known.contains("has another script"))
        }
    }

    @Test("can be cancelled while its bank asks, and stores nothing")
    func cancelled() async throws {
        try await Self.with { phone, banks, browser, csrf in
            banks.ask(
                Prompt(
                    kind: .code(picture: nil), bankName: "Northern Bank", question: "Code:",
                    deadline: Date().addingTimeInterval(120)))
            let path = try await Self.read(browser, csrf)
            _ = try await browser.post(path, form: Self.form(csrf, signsIn: true))
            var page = ""
            repeat { page = try await browser.page(path + "/end") } while !page.contains("data-question=")
            #expect(page.contains("aria-labelledby=\"question-text\"") && !page.contains("<label for=\"answer\""))
            #expect(!page.contains("A question of the bank appears here") && page.contains(path + "/cancel\""))
            let list = try await browser.page("/banks")
            #expect(list.contains("is being added") && list.contains("\(browser.base)\(path)/end\">"))
            #expect(try await browser.post(path + "/cancel", form: ["csrf": "another"]).status == 403)
            let stopped = try await browser.post(path + "/cancel", form: ["csrf": csrf])
            #expect(stopped.status == 303 && stopped.header("Location") == browser.base + path + "/end")
            repeat { page = try await browser.page(path + "/end") } while page.contains("is being cancelled")
            #expect(page.contains("You cancelled it") && page.contains("no credentials were stored"), "\(page)")
            #expect(try await PhoneDatabase(phone.home).credentialTimes()["northern"] == nil)
            #expect(try await !browser.page("/banks").contains("is being added"))
            #expect(banks.additions.isEmpty)
        }
    }

    @Test("is told by the page's script when its file is empty, and its form opens only where credentials are missing")
    func script() async throws {
        try await Self.with { _, _, browser, _ in
            let script = Self.text(try await browser.get("/page.js"))
            #expect(script.contains("The file is empty."))
            let page = try await browser.page("/banks")
            #expect(page.contains("id=\"c-default\"") && !page.contains("id=\"c-default\" data-missing"))
        }
    }

    @Test("shows the question of its bank, and one bank is added at a time")
    func question() async throws {
        try await Self.with { phone, banks, browser, csrf in
            let prompt = Prompt(
                kind: .code(picture: nil), bankName: "Northern Bank", question: "Which code did you get?",
                deadline: Date().addingTimeInterval(120))
            banks.ask(prompt)
            let path = try await Self.read(browser, csrf)
            #expect(try await browser.post(path, form: Self.form(csrf, signsIn: true)).status == 303)
            var page = ""
            repeat { page = try await browser.page(path + "/end") } while !page.contains("Which code did you get?")
            let id = try #require(page.firstMatch(of: /data-question="([^"]+)"/)).1
            let again = try await browser.post(path, form: Self.form(csrf))
            #expect(again.status == 303 && again.header("Location") == browser.base + path + "/end")
            let other = try await Self.read(browser, csrf, text: Self.yaml.replacing("northern", with: "southern"))
            #expect(try await browser.post(other, form: Self.form(csrf)).status == 409)
            let change = try await browser.post(
                "/passphrase",
                form: [
                    "csrf": csrf, "passphrase": Self.passphrase, "credential-new": "another long passphrase",
                    "credential-again": "another long passphrase",
                ])
            #expect(change.status == 409 && Self.text(change).contains("a bank is being added"))
            let deletion = try await browser.post(
                "/forget", form: ["csrf": csrf, "passphrase": Self.passphrase, "credential-sure": "on"])
            #expect(deletion.status == 409 && Self.text(deletion).contains("a bank is being added"))
            #expect(banks.attempts == 1)
            let answer = try await browser.post("/questions/\(id)", form: ["csrf": csrf, "answer": "123456"])
            #expect(answer.status == 303 && answer.header("Location") == browser.base + path + "/end")
            #expect(try await Self.end(path, browser).contains("was added"))
            #expect(banks.additions.first?.credentials["answer"] == "123456")
        }
    }

    @Test("is added once when its form comes twice at once, as after a double click")
    func twice() async throws {
        try await Self.with { _, banks, browser, csrf in
            let path = try await Self.read(browser, csrf)
            async let first = browser.post(path, form: Self.form(csrf))
            async let second = browser.post(path, form: Self.form(csrf))
            for answer in try await [first, second] {
                #expect(answer.status == 303 && answer.header("Location") == browser.base + path + "/end")
            }
            #expect(try await Self.end(path, browser).contains("Northern Bank was added."))
            #expect(banks.attempts == 1)
        }
    }

    @Test("waits for a run, which has the vault open, whether it signs in or not", arguments: [true, false])
    func besidesRun(signsIn: Bool) async throws {
        try await Self.with { phone, banks, browser, csrf in
            phone.engine.tell { $0.hangsAtPress = true }
            let id = RequestID()
            await phone.broker.offer([try phone.envelope(id: id)])
            while try await !browser.page().contains(id.short) { try await Task.sleep(for: .milliseconds(20)) }
            let approval = ["csrf": csrf, "script": TestPhone.script.digest.hex, "passphrase": Self.passphrase]
            #expect(try await browser.post("/requests/\(id)/approve", form: approval).status == 303)
            while phone.engine.state.withLock({ $0.running }) == 0 {
                try await Task.sleep(for: .milliseconds(20))
            }
            let path = try await Self.read(browser, csrf)
            let answer = try await browser.post(path, form: Self.form(csrf, signsIn: signsIn))
            #expect(answer.status == 409 && Self.text(answer).contains("a statement is being fetched"))
            #expect(banks.attempts == 0)
        }
    }

    private static let hindrances: [(ScriptRefusal, String, Bool)] = [
        (.changedLater(signedIn: false), "Nothing was sent to the bank", true),
        (.changedLater(signedIn: true), "Your credentials were sent once", true),
        (.hindered("a file cannot be read"), "The script is not the reason", false),
        (.uncounted("a file cannot be read"), "its credentials were removed again", true),
        (.changed, "Nothing was accepted or sent", false),
    ]

    @Test("says what hindered it, and what was accepted and sent before", arguments: hindrances)
    func hindered(_ refusal: ScriptRefusal, words: String, stays: Bool) async throws {
        try await Self.with { _, banks, browser, csrf in
            banks.answer(.failure(refusal))
            let path = try await Self.read(browser, csrf)
            #expect(try await browser.post(path, form: Self.form(csrf, signsIn: true)).status == 303)
            let end = try await Self.end(path, browser)
            #expect(end.contains(words) && end.contains("The script stays accepted") == stays, "\(end)")
            #expect(!end.contains("This script cannot be used"))
        }
    }

    @Test("tells what failed after the credentials were stored, and why its script is not used")
    func warned() async throws {
        try await Self.with { _, banks, browser, csrf in
            banks.warn("the file of the household cannot be written")
            banks.refuseToServe(because: "another.yaml is for the bank, too")
            let path = try await Self.read(browser, csrf)
            #expect(try await browser.post(path, form: Self.form(csrf)).status == 303)
            let end = try await Self.end(path, browser)
            #expect(end.contains("Northern Bank was added.") && end.contains("the household cannot be written"))
            #expect(end.contains("another.yaml is for the bank, too") && !end.contains("countersign up --stop"))
        }
    }

    @Test("forgets what banks have refused when its owner signs out")
    func signedOut() async throws {
        try await Self.with { _, banks, browser, csrf in
            #expect(banks.timesForgotten == 0)
            let left = try await browser.post("/sign-out", form: ["csrf": csrf])
            #expect(left.status == 303 && banks.timesForgotten == 1)
        }
    }

    @Test("is added with a passkey, in a vault that needs both, too", arguments: [false, true])
    func passkey(needsBoth: Bool) async throws {
        try await Self.with { phone, banks, browser, csrf in
            let passkey = try await VaultPasskey.add(needsBoth: needsBoth, to: phone, browser, csrf)
            let path = try await Self.read(browser, csrf)
            let page = try await browser.page(path)
            #expect(page.contains(needsBoth ? "value=\"both\"" : "value=\"passkey\""))
            let credentials: JSONValue = ["username": "ada.of.northern", "password": "a password of northern"]
            func json(_ assertion: JSONValue) -> JSONValue {
                [
                    "assertion": assertion, "credentials": credentials,
                    "passphrase": .string(needsBoth ? Self.passphrase : ""),
                ]
            }
            let signIn = try passkey.answer(try await browser.post("/sign-in/passkey/begin", [:], csrf: csrf).json)
            #expect(try await browser.post(path + "/passkey", json(signIn), csrf: csrf).status == 403)
            // An answer for another script, too.
            let other = try await Self.read(browser, csrf, text: Self.yaml.replacing("/login", with: "/log-in"))
            let strange = try passkey.answer(try await browser.post(other + "/begin", [:], csrf: csrf).json)
            #expect(try await browser.post(path + "/passkey", json(strange), csrf: csrf).status == 403)
            #expect(banks.attempts == 0)
            let answer = try passkey.answer(try await browser.post(path + "/begin", [:], csrf: csrf).json)
            #expect(try await browser.post(path + "/passkey", json(answer), csrf: csrf).status == 200)
            #expect(try await Self.end(path, browser).contains("Northern Bank was added."))
            #expect(banks.additions.first?.signedIn == false)
        }
    }

    @Test("is chosen among the scripts at hand, and collections elsewhere are named with the command")
    func atHand() async throws {
        try await Self.with { _, banks, browser, _ in
            banks.show(
                ScriptsAtHand(
                    scripts: [
                        ScriptAtHand(key: "bank:up", bankID: "up", name: "Up", kind: .ready),
                        ScriptAtHand(key: "bank:default", bankID: "default", name: "Stored", kind: .inFolder),
                        ScriptAtHand(
                            key: "collection:known:a.yaml", bankID: "a", name: "<b>A", kind: .collected(in: "known")),
                    ], distantCollections: ["distant"]))
            let page = try await browser.page("/banks/add")
            #expect(page.contains("value=\"bank:up\"") && !page.contains("Stored") && page.contains("&lt;b&gt;A"))
            #expect(page.contains("from the collection “known”"))
            #expect(page.contains("The scripts of <bdi>“distant”</bdi> are not on this machine"))
            #expect(page.contains("countersign script get BANK"))
        }
    }

    @Test("cautions the owner of a trial, whose passphrase lies in a file")
    func trial() async throws {
        try await Self.with { _, banks, browser, csrf in
            banks.beInTrial()
            let page = try await browser.page(try await Self.read(browser, csrf))
            #expect(page.contains("This is a trial") && page.contains("\(browser.base)/passphrase\">"))
        }
    }

    @Test("is not possible without a folder of scripts, and the page says how to name one")
    func folderless() async throws {
        try await TestPhone.with { phone in
            try await phone.serving { browser, _ in
                let csrf = try await browser.signIn()
                let page = try await browser.page("/banks/add")
                #expect(page.contains("countersign phone serve --scripts FOLDER") && !page.contains("<textarea"))
                let answer = try await browser.post("/banks/add", form: ["csrf": csrf, "text": Self.yaml])
                #expect(answer.status == 404)
            }
        }
    }
}
