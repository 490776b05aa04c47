import Automation
import CurlClient
import Encodings
import Foundation
import Messages
import PhoneStore
import Secrets
import Synchronization
import TestParties
import Testing
import WebServing

@testable import ApprovalPage
@testable import Phone

@Suite("The approval page", .timeLimit(.minutes(3))) struct PageTests {
    @Test("a locked phone shows only how to unlock it")
    func locked() async throws {
        try await TestPhone.with { phone in
            await phone.broker.offer([try phone.envelope()])
            try await phone.serving(unlocked: true) { browser, _ in
                let page = try await browser.page()
                #expect(page.contains("Unlock"))
                #expect(!page.contains("Meridian"))
                for path in ["/history", "/audit", "/audit/export?format=csv", "/passkeys", "/events"] {
                    #expect(try await browser.get(path).status == 303, "\(path)")
                }
                let wrong = try await browser.signIn(passphrase: "not the passphrase")
                #expect(wrong.status == 403)
                #expect(try await browser.csrf().isEmpty)
            }
        }
    }

    @Test("a request shows everything that the person needs to know, and a click denies it")
    func denies() async throws {
        try await TestPhone.withCard { _, browser, server, id, csrf in
            let page = try await browser.page()
            for words in [
                "Meridian Savings", "Account statement", "January 2026", TestPhone.script.digest.short, "Deny",
            ] {
                #expect(page.contains(words), "\(words)")
            }
            #expect(page.contains("data-waiting=\"1\"") && !page.contains("<p class=\"notice\""))
            #expect(try await browser.post("/requests/\(id)/deny", form: ["csrf": csrf]).status == 303)
            #expect(try await server.state.store.request(id)?.status == .denied)
            #expect(try await browser.page("/history").contains("Denied"))
        }
    }

    @Test("an agent's reason is shown as its words, in one line and without markup")
    func reason() async throws {
        let words = "<b>tax</b>\nApproved by your bank\u{202E}"
        try await TestPhone.withCard(reason: AgentReason(words)) { _, browser, _, _, _ in
            let page = try await browser.page()
            #expect(
                page.contains(
                    "<p class=\"reason\">The agent's own words, not checked: <q lang=\"\" dir=\"auto\">&lt;b&gt;tax&lt;/b&gt;"
                        + "\\u000aApproved by your bank\\u202e</q></p>"), "\(page)")
        }
    }

    @Test("the history shows what a run warned of")
    func warnings() async throws {
        try await TestPhone.withCard { _, browser, server, id, _ in
            let warning = RunWarning(step: 4, message: "the page has changed: way 2 of 2 matched, css <b>")
            try await server.state.store.keepWarnings([warning], of: id)
            let page = try await browser.page("/history")
            #expect(page.contains("! step 4: the page has changed: way 2 of 2 matched, css &lt;b"), "\(page)")
        }
    }

    @Test("how a request ended stays above the others for ten minutes from the first look at it")
    func unseenEnd() async throws {
        try await TestPhone.withCard { phone, browser, server, id, csrf in
            let form = [
                "csrf": csrf, "script": TestPhone.script.digest.hex, "passphrase": TestPhone.passphrase.revealed(),
            ]
            #expect(try await browser.post("/requests/\(id)/approve", form: form).status == 303)
            try await phone.until(server) { try await server.state.store.request(id)?.status == .completed }
            phone.clock.advance(by: 3600)
            for _ in 0..<2 {
                let renewal = HTTPRequest(
                    "GET", browser.url("/"), headers: [HTTPHeader("X-Page-Renewal", "hidden")])
                let hidden = String(decoding: try await browser.session.send(renewal).body, as: UTF8.self)
                #expect(hidden.contains("Just ended") && !hidden.contains("Lately"), "\(hidden)")
            }
            #expect(try await browser.page().contains("Just ended"))
            phone.clock.advance(by: 300)
            #expect(try await browser.page().contains("Just ended"), "it stays for ten minutes from the first look")
            phone.clock.advance(by: 301)
            let later = try await browser.page()
            #expect(!later.contains("Just ended") && later.contains("Lately"), "\(later)")
        }
    }

    @Test("a request approved with the passphrase runs, and the page shows the PDF")
    func approves() async throws {
        try await TestPhone.with { phone in
            let (id, other) = (RequestID(), RequestID())
            await phone.broker.offer([try phone.envelope(id: id), try phone.envelope(month: 2, id: other)])
            try await phone.serving { browser, server in
                let csrf = try await browser.signIn()
                try await phone.until(server) { try await browser.page().contains(other.short) }
                let form = [
                    "csrf": csrf, "script": TestPhone.script.digest.hex, "passphrase": TestPhone.passphrase.revealed(),
                ]
                #expect(try await browser.get("/requests/\(id)/statement").status == 404)
                #expect(try await browser.post("/requests/\(id)/approve", form: form).status == 303)
                try await phone.until(server) { try await server.state.store.request(id)?.status == .completed }
                let inbox = try await browser.page()
                let (ended, waiting) = (inbox.range(of: "id=\"r-\(id.short)"), inbox.range(of: "id=\"r-\(other.short)"))
                #expect(
                    try #require(ended).lowerBound < #require(waiting).lowerBound,
                    "how it ended stands above what waits: \(inbox)")
                #expect(!inbox.contains("Lately"))
                let pdf = try await browser.get("/requests/\(id)/statement")
                #expect(pdf.header("Content-Type") == "application/pdf")
                #expect(pdf.body.starts(with: Array("%PDF".utf8)))
                #expect(try await browser.page("/audit").contains("request.completed"))
                #expect(try await browser.page("/audit").contains("unbroken"))
                #expect(try await browser.page("/audit/export?format=csv").contains("request.completed"))
                #expect(try await browser.post("/requests/\(id)/approve", form: form).status == 409)
            }
        }
    }

    @Test("the page asks the bank's question once")
    func question() async throws {
        try await TestPhone.with { phone in
            try await phone.serving(unlocked: true) { browser, server in
                let csrf = try await browser.signIn()
                let deadline = Date().addingTimeInterval(60)
                let asking = Task {
                    try await server.state.prompt.answer(
                        Prompt(
                            kind: .code(picture: .init(bytes: [1, 2, 3], mediaType: "image/png")),
                            bankName: "Meridian Savings", question: "Code from <b>your</b> device?", deadline: deadline)
                    )
                }
                try await phone.until(server) { try await browser.page().contains("Meridian Savings asks") }
                let page = try await browser.page()
                #expect(page.contains("Code from &lt;b&gt;your&lt;/b&gt; device?"))
                #expect(page.contains("data:image/png;base64,AQID"))
                let id = try #require(page.firstMatch(of: /data-question="([^"]+)"/)).1
                #expect(try await browser.post("/questions/\(id)", form: ["answer": "135790"]).status == 403)
                let answer = ["csrf": csrf, "answer": "135790"]
                #expect(try await browser.post("/questions/other", form: answer).status == 404)
                #expect(try await browser.post("/questions/\(id)", form: answer).status == 303)
                #expect(try await asking.value.revealed() == "135790")
                #expect(try await browser.post("/questions/\(id)", form: answer).status == 404)
                #expect(try await !browser.page().contains("asks"))
            }
        }
    }

    @Test("pages use no script, style or picture from other sites, and none inline")
    func selfContained() async throws {
        try await TestPhone.with { phone in
            await phone.broker.offer([try phone.envelope(), try phone.envelope(bank: "other")])
            try await phone.serving { browser, server in
                _ = try await browser.signIn()
                try await phone.until(server) { try await browser.page().contains("A request was refused") }
                for path in ["/", "/history", "/audit", "/passkeys", "/nowhere"] {
                    let response = try await browser.get(path)
                    let page = String(decoding: response.body, as: UTF8.self)
                    #expect(page.firstMatch(of: /(src|href|action)="(?!\/)/) == nil, "\(path)")
                    #expect(page.firstMatch(of: /<script(?![^>]*src=)|<style|\sstyle=|\son[a-z]+=/) == nil, "\(path)")
                    let policy = response.header("Content-Security-Policy") ?? ""
                    #expect(policy.contains("default-src 'none'") && !policy.contains("unsafe"))
                    #expect(response.header("Cache-Control") == "no-store")
                    for canary in ["analytical engine", FakeBroker.token, FakeBroker.secretText] {
                        #expect(!page.contains(canary))
                    }
                }
            }
        }
    }

    @Test("requests from another site or a rebound name are refused")
    func foreign() async throws {
        try await TestPhone.with { phone in
            await phone.broker.offer([try phone.envelope()])
            try await phone.serving { browser, server in
                let csrf = try await browser.signIn()
                var other = PageBrowser(browser.origin)
                other.host = "evil.example"
                #expect(try await other.get("/").status == 421)
                other = browser
                for origin in ["https://evil.example", "null", nil] {
                    other.sentOrigin = origin
                    #expect(try await other.post("/sign-out", form: ["csrf": csrf]).status == 403)
                }
                #expect(try await browser.post("/sign-out", form: ["csrf": "guess"]).status == 403)
                #expect(try await browser.post("/passkeys/begin", [:], csrf: "guess").status == 403)
                #expect(try await browser.csrf() == csrf)
                #expect(try await browser.post("/sign-out", form: ["csrf": csrf]).status == 303)
                #expect(try await browser.csrf().isEmpty)
                withExtendedLifetime(server) {}
            }
        }
    }

    @Test("the cookie is for this site, this port and one folder only")
    func cookie() {
        var sessions = PageSessions(lifetime: .seconds(60), idleLifetime: .seconds(60))
        let (session, _) = sessions.admit(KnownBrowser(userAgent: nil))
        let site = RelyingParty(id: "localhost", origin: "http://localhost:8766")
        let plain = PageCookie(isTLS: false).make("v", for: session, at: site).description
        #expect(plain.hasPrefix("countersign-8766=v") && plain.contains("Path=\(session.base)"))
        #expect(plain.contains("HttpOnly") && plain.contains("SameSite=Strict"))
        let tls = RelyingParty(id: "phone.example", origin: "https://phone.example")
        let secure = PageCookie(isTLS: true).make("v", for: session, at: tls).description
        #expect(secure.hasPrefix("__Secure-countersign-443=v") && secure.contains("; Secure"))
    }

    @Test("a browser has one session, also after a double click, and none once it is forgotten")
    func forgotten() {
        var sessions = PageSessions(lifetime: .seconds(60), idleLifetime: .seconds(60))
        let (session, _) = sessions.admit(KnownBrowser(userAgent: nil))
        // Both clicks come from the page before the sign-in.
        let first = sessions.signIn(session)?.session
        let second = sessions.signIn(session)?.session
        #expect(first != nil && second != nil && first != second)
        #expect(sessions.all.count == 1 && sessions.all.first == second)
        let forgotten = sessions.forget(browser: session.browser.id)
        #expect(forgotten == second)
        #expect(sessions.all.isEmpty)
        // Requests that were under way bring it back neither way.
        let late = sessions.signIn(session)?.session
        let out = sessions.signOut(session)?.session
        let again = sessions.forget(browser: session.browser.id)
        #expect(late == nil && out == nil && again == nil)
        #expect(sessions.all.isEmpty)
    }

    @Test("a bare address never asks for the passphrase, and a code opens the page once")
    func door() async throws {
        try await TestPhone.with { phone in
            try await phone.opening(unlocked: true) { page, _ in
                let code = TestPhone.code(in: page)
                let stranger = PageBrowser(page.origin)
                let door = try await stranger.page()
                #expect(door.contains("Code from the terminal") && !door.contains("type=\"password\""))
                #expect(try await stranger.enter(Secret("AAAA-BBBB-CCCC-DDDD")) == 403)
                #expect(try await stranger.enter(Secret("")) == 403)
                let browser = PageBrowser(page.origin)
                #expect(try await browser.enter(code.map { $0.lowercased() }) == 303)
                #expect(try await browser.page().contains("Unlock with passphrase"))
                #expect(try await stranger.enter(code) == 403, "a code works once")
                #expect(try await !browser.signIn().isEmpty)
            }
        }
    }

    @Test("it tells its program of each request once")
    func requests() async throws {
        try await TestPhone.with { phone in
            let told = Mutex(0)
            let envelopes = try (1...4).map { try phone.envelope(month: $0) }
            await phone.broker.offer(Array(envelopes[..<2]))
            try await phone.opening(unlocked: true, onRequest: { _ in told.withLock { $0 += 1 } }) { _, server in
                try await phone.until(server) { told.withLock(\.self) >= 2 }
                await phone.broker.offer(Array(envelopes[..<3]))
                let heard = await phone.broker.heard
                try await phone.until(server) { await phone.broker.heard >= heard + 3 }
                // Requests are told of in their order: with the fourth, all that came before it was told.
                await phone.broker.offer(envelopes)
                try await phone.until(server) { told.withLock(\.self) >= 4 }
                #expect(told.withLock(\.self) == 4)
            }
        }
    }

    @Test("a sign-in ends after a pause, and the browser signs in again without another code")
    func idle() async throws {
        try await TestPhone.with { phone in
            var configuration = TestPhone.pageConfiguration
            // Long enough that signing in is never slower, even on a busy machine.
            configuration.idleLifetime = .seconds(5)
            try await phone.serving(configuration) { browser, _ in
                #expect(try await !browser.signIn().isEmpty)
                // A page that renews itself does not count as use, so these looks do not keep the sign-in alive.
                let renewal = HTTPRequest(
                    "GET", browser.url("/history"), headers: [HTTPHeader("X-Page-Renewal", "1")])
                let deadline = ContinuousClock.now + .seconds(60)
                while try await browser.session.send(renewal).status == 200, ContinuousClock.now < deadline {
                    try await Task.sleep(for: .milliseconds(100))
                }
                #expect(try await browser.get("/history").status == 303)
                #expect(try await browser.page().contains("Unlock with passphrase"))
                #expect(try await !browser.signIn().isEmpty)
            }
        }
    }

    @Test(
        "plain http stays on this machine",
        arguments: [
            ("localhost", "0.0.0.0"), ("phone.local", "127.0.0.1"), ("localhost", "192.168.1.2"),
            ("Local Host", "127.0.0.1"),
        ])
    func plain(_ name: String, _ address: String) {
        #expect(throws: PhoneError.self) {
            try PageServerConfiguration(hostName: name, address: address).check()
        }
    }
}
