import Automation
import Encodings
import Foundation
import Messages
import Notifications
import PhoneStore
import Secrets
import Storage
import TestParties
import TestServers
import Testing

@testable import ApprovalPage
@testable import Phone

@Suite("The places of the approval page", .timeLimit(.minutes(3)))
struct PlacesPageTests {
    @Test("each place is one tap away, marked where one is, and asks for a sign-in with the way back")
    func places() async throws {
        try await TestPhone.with { phone in
            try await phone.serving { browser, server in
                for path in ["/documents", "/banks", "/settings", "/audit"] {
                    let answer = try await browser.get(path)
                    #expect(answer.status == 303 && answer.header("Location") == browser.base + "/?back=\(path)")
                }
                #expect(try await browser.page("/?back=/banks").contains(#"name="back" value="/banks""#))
                for foreign in ["//evil.example", "https://evil.example", "/../..", "/requests/1/deny"] {
                    #expect(
                        try await browser.page("/?back=\(foreign)").contains(#"name="back" value="/""#), "\(foreign)")
                }
                let form = [
                    "csrf": try await browser.token(), "passphrase": TestPhone.passphrase.revealed(), "back": "/banks",
                ]
                #expect(try await browser.post("/sign-in", form: form).header("Location") == browser.base + "/banks")
                for (path, name) in [
                    ("/", "Inbox"), ("/documents", "Documents"), ("/banks", "Banks"), ("/settings", "Settings"),
                ] {
                    let page = try await browser.page(path)
                    #expect(page.contains("aria-current=\"page\">\(name)</a>"), "\(path)")
                }
                withExtendedLifetime(server) {}
            }
        }
    }

    @Test("the browsers are listed, and a forgotten one needs another code")
    func browsers() async throws {
        try await TestPhone.with { phone in
            try await phone.serving { browser, server in
                let csrf = try await browser.signIn()
                let other = try await phone.anotherBrowser(browser.origin)
                _ = try await other.signIn()
                let id = try #require(await server.state.browsers.first { other.base.hasSuffix($0.place) }).browser.id
                let own = try #require(await server.state.browsers.first { browser.base.hasSuffix($0.place) }).browser
                    .id
                let settings = try await browser.page("/settings")
                #expect(settings.contains("This browser") && settings.contains("/browsers/\(id)/forget"))
                #expect(!settings.contains("/browsers/\(own)/forget") && !settings.contains(other.base))

                for (path, form, status) in [
                    ("/browsers/\(id)/forget", ["csrf": "guess"], 403),
                    ("/browsers/\(own)/forget", ["csrf": csrf], 404),
                    ("/browsers/unknown/forget", ["csrf": csrf], 404), ("/browsers/\(id)/forget", ["csrf": csrf], 303),
                ] {
                    #expect(try await browser.post(path, form: form).status == status, "\(path)")
                }
                let forgotten = try await browser.page("/settings?forgotten=\(id)")
                #expect(forgotten.contains("A browser was forgotten. It needs another code from the terminal"))
                #expect(try await !browser.page("/settings?forgotten=\(own)").contains("was forgotten"))
                #expect(try await other.get("/settings").status != 200)
                #expect(try await !other.page().contains("type=\"password\""), "not even a passphrase is asked")
                #expect(try await browser.get("/settings").status == 200)
                let audited = try await server.state.store.audit.records(AuditFilter(type: "page.browser_forgotten"))
                #expect(audited.count == 1)
            }
        }
    }

    @Test(
        "a browser is called by its program and system",
        arguments: [
            ("Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0", "Firefox on Linux"),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 "
                    + "Mobile/15E148 Safari/604.1", "Safari on iPhone"
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 "
                    + "Safari/537.36 Edg/131.0.0.0", "Edge on Windows"
            ), ("<script>alert(1)</script>", "A browser"), ("", "A browser"),
        ])
    func browserName(userAgent: String, name: String) {
        #expect(KnownBrowser.name(of: userAgent) == name)
    }

    @Test("a script that is refused is named once, with the reason")
    func refusedScript() async throws {
        try await TestPhone.with { phone in
            let folder = phone.home.folder.appending(path: "scripts", directoryHint: .isDirectory)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data("bank: northern".utf8).write(to: folder.appending(path: "northern.yaml"))
            var services = phone.services()
            services.scripts = try ScriptRegistry(
                [TestPhone.script], folder: ScriptFolder(folder), accepted: AcceptedScripts(home: phone.home.folder))
            try await phone.serving(services: services) { browser, _ in
                _ = try await browser.signIn()
                let page = try await browser.page("/banks")
                #expect(page.contains("A script is not used: ") && page.contains("the script has no “"), "\(page)")
                #expect(page.matches(of: /northern\.yaml/).count == 1, "\(page)")
            }
        }
    }

    @Test("a bank's card lists its accounts by their aliases, not by the bank's names of them")
    func accounts() async throws {
        try await TestPhone.with { phone in
            try await phone.serving { browser, server in
                _ = try await browser.signIn()
                #expect(try await !browser.page("/banks").contains("<dt>Accounts</dt>"))
                let listed = [("Everyday 4711-0815", "Everyday"), ("Holiday Pot 4711-0816", "Holiday Pot")]
                try await server.state.store.keep(
                    try listed.map { ($0.0, try #require(AccountAlias($0.1))) }, ofBank: "default")
                let page = try await browser.page("/banks")
                #expect(page.contains("<dt>Accounts</dt><dd>Everyday, Holiday Pot</dd>"))
                #expect(!page.contains("4711") && !page.contains("<dt>Offers</dt>"))
            }
        }
    }

    @Test("a bank's card says since when the bank knows this device, and a button forgets it")
    func knownDevice() async throws {
        try await TestPhone.with { phone in
            try await phone.serving { browser, server in
                let csrf = try await browser.signIn()
                #expect(try await !browser.page("/banks").contains("knows this device"))
                let day = Date(timeIntervalSince1970: 1_795_000_000)
                #expect(try await server.state.store.rememberKnown(byBank: "default", since: day))
                let page = try await browser.page("/banks")
                #expect(page.contains("Meridian Savings knows this device since <time datetime=\"2026-11-18"))
                let path = "/banks/default/forget-device"
                #expect(page.contains("action=\"\(browser.base)\(path)\""))
                // Without the form's token nothing happens.
                #expect(try await browser.post(path, form: [:]).status != 303)
                #expect(try await browser.page("/banks").contains("knows this device"))
                let answer = try await browser.post(path, form: ["csrf": csrf])
                let told = try ToldPlace(answer, in: browser)
                #expect(
                    answer.header("Location") == browser.base + "/banks?changed=\(told.number)#bank-default")
                #expect(try await !browser.page("/banks").contains("this device"))
                let words = "Meridian Savings does not know this device any more, and asks for a code"
                #expect(try await browser.page(told.path).contains(words))
                for query in ["forgotten=default", "changed=\(told.number + 1)"] {
                    #expect(try await !browser.page("/banks?\(query)").contains(words), "\(query)")
                }
                let events = try await server.state.store.audit.records(AuditFilter(type: "bank")).map(\.event.type)
                #expect(events == ["bank.forgot_phone"])
            }
        }
    }

    @Test("new credentials of a bank are stored with the passphrase, end its hold, and appear nowhere")
    func credentials() async throws {
        try await TestPhone.with { phone in
            try await phone.serving { browser, server in
                let csrf = try await browser.signIn()
                let store = await server.state.store
                let version = try await store.credentialsVersion(forBank: "default")
                try await store.record(
                    .refused(.wrongCredentials), ofBank: "default", credentials: version, request: RequestID(),
                    at: Date())
                #expect(
                    try await browser.page("/banks").contains("On hold: Meridian Savings refused these credentials"))
                var form = [
                    "csrf": csrf, "passphrase": "no passphrase of this phone",
                    "credential-username": "ada-of-the-new-login",
                    "credential-password": "new-canary-9",
                ]
                let path = "/banks/default/credentials"
                #expect(try await browser.post(path, form: form).status == 403)
                form["passphrase"] = TestPhone.passphrase.revealed()
                #expect(
                    try await browser.post(path, form: form.merging(["credential-password": ""]) { $1 }).status == 400)
                #expect(try await browser.post("/banks/other/credentials", form: form).status == 404)
                #expect(try await browser.post(path, form: form.merging(["csrf": "guess"]) { $1 }).status == 403)
                #expect(try await store.hold(onBank: "default") != nil)
                let answer = try await browser.post(path, form: form)
                #expect(answer.status == 303)
                let told = try ToldPlace(answer, in: browser)
                #expect(try await store.hold(onBank: "default") == nil)
                let secrets = try await phone.verification.open(phone.vault, reason: "a test")
                #expect(try await secrets.secret(named: "credential/default/password")?.revealed() == "new-canary-9")
                let words = "The credentials of Meridian Savings were stored."
                #expect(try await browser.page(told.path).contains(words))
                #expect(try await !browser.page("/banks?stored=default").contains("were stored."))
                for page in [told.path, "/audit"] {
                    #expect(try await !browser.page(page).contains("new-canary-9"))
                }
                #expect(try await browser.page("/audit").contains("Credentials of Meridian Savings were stored"))
            }
        }
    }

    @Test("a passkey stores credentials only for the bank that it was asked about")
    func credentialsByPasskey() async throws {
        try await TestPhone.with { phone in
            try await phone.serving { browser, server in
                let csrf = try await browser.signIn()
                let passkey = SoftPasskey()
                passkey.origin = browser.origin
                let registration = try passkey.registration(
                    try await browser.post("/passkeys/begin", [:], csrf: csrf).json, named: "Mine",
                    passphrase: TestPhone.passphrase.revealed(), code: try await phone.passkeyCode())
                #expect(try await browser.post("/passkeys", registration, csrf: csrf).status == 200)
                let credentials: JSONValue = ["username": "ada-of-the-other-login", "password": "another-canary-9"]
                func begin() async throws -> JSONValue {
                    try passkey.answer(
                        try await browser.post("/banks/default/credentials/begin", [:], csrf: csrf).json)
                }
                let path = "/banks/default/credentials/passkey"
                let body: JSONValue = ["assertion": try await begin(), "credentials": credentials]
                #expect(try await browser.post(path, body, csrf: csrf).status == 200)
                #expect(try await browser.post(path, body, csrf: csrf).status == 403, "an answer counts once")
                let signIn = try passkey.answer(
                    try await browser.post("/sign-in/passkey/begin", [:], csrf: csrf).json)
                let foreign: JSONValue = ["assertion": signIn, "credentials": credentials]
                #expect(
                    try await browser.post(path, foreign, csrf: csrf).status == 403, "an answer to another question")
                let incomplete: JSONValue = [
                    "assertion": try await begin(), "credentials": ["username": "ada-of-the-other-login"],
                ]
                #expect(try await browser.post(path, incomplete, csrf: csrf).status == 400)
                withExtendedLifetime(server) {}
            }
        }
    }

    @Test("past requests come in pages, each request once")
    func paging() async throws {
        try await TestPhone.with { phone in
            let ids = (0..<120).map { _ in RequestID() }
            await phone.broker.offer(try ids.map { try phone.envelope(id: $0, expires: 30) })
            try await phone.serving { browser, server in
                _ = try await browser.signIn()
                try await phone.until(server) { try await server.state.store.requests(limit: 200).count == ids.count }
                var (path, seen): (String?, [String]) = ("/history", [])
                var pages = 0
                while let next = path {
                    let page = try await browser.page(next)
                    seen += page.matches(of: /<li id="r-([0-9a-f]+)"/).map { String($0.1) }
                    path = page.firstMatch(of: /\/history\?after=([0-9a-f-]+)/).map { "/history?after=\($0.1)" }
                    pages += 1
                    try #require(pages < 10)
                }
                #expect(
                    pages == 3 && seen.count == 120 && Set(seen) == Set(ids.map(\.short)), "\(pages), \(seen.count)")
            }
        }
    }

    @Test(
        "a picture of each usual kind is shown, and another one is named in a sentence",
        arguments: [
            ("image/svg+xml", true), ("image/png; charset=x", true), ("image/tiff", false), ("text/html", false),
        ])
    func pictures(_ type: String, _ isShown: Bool) async throws {
        try await TestPhone.with { phone in
            try await phone.serving(unlocked: true) { browser, server in
                _ = try await browser.signIn()
                let prompt = Prompt(
                    kind: .code(picture: .init(bytes: Array("<svg/>".utf8), mediaType: type)),
                    bankName: "Meridian Savings",
                    question: "Code?", deadline: Date().addingTimeInterval(60))
                let asking = Task { try await server.state.prompt.answer(prompt) }
                try await phone.until(server) { try await browser.page().contains("Meridian Savings asks") }
                let page = try await browser.page()
                #expect(page.contains("<img src=\"data:image/") == isShown)
                #expect(page.contains("of a kind that this page does not show") != isShown)
                asking.cancel()
            }
        }
    }

    @Test("a card warns of other phones that have the bank, with their names as text")
    func otherPhones() async throws {
        try await TestPhone.with { phone in
            await phone.broker.offer([try phone.envelope()])
            await phone.broker.name(otherPhones: ["<b>Bob"])
            try await phone.serving { browser, server in
                _ = try await browser.signIn()
                try await phone.until(server) {
                    try await browser.page().contains("This bank is also on “&lt;b&gt;Bob”, as the broker says.")
                }
            }
        }
    }

    @Test("a card warns of a month that was fetched before")
    func cautions() async throws {
        try await TestPhone.with { phone in
            let (first, second) = (RequestID(), RequestID())
            await phone.broker.offer([try phone.envelope(id: first)])
            try await phone.serving { browser, server in
                let csrf = try await browser.signIn()
                try await phone.until(server) { try await browser.page().contains(first.short) }
                #expect(try await !browser.page().contains("was fetched already"))
                let form = [
                    "csrf": csrf, "script": TestPhone.script.digest.hex, "passphrase": TestPhone.passphrase.revealed(),
                ]
                #expect(try await browser.post("/requests/\(first)/approve", form: form).status == 303)
                try await phone.until(server) { try await server.state.store.request(first)?.status == .completed }
                await phone.broker.offer([try phone.envelope(id: second)])
                try await phone.until(server) { try await browser.page().contains("d-\(second.short)") }
                #expect(try await browser.page().contains("The same was fetched already, on"))
                #expect(try await !browser.page().contains("script has changed"))
            }
        }
    }

    @Test("Banks names the program that gives a credential, and no argument of its command")
    func credentialProgram() async throws {
        try await TestPhone.with { phone in
            try await phone.serving { browser, server in
                _ = try await browser.signIn()
                #expect(try await !browser.page("/banks").contains("Given by"))
                let secrets = try await phone.home.open(phone.verification, reason: "a test")
                let program = try CredentialProgram(["/bin/echo", "banks/canary"])
                try await CredentialVault(secrets, store: await server.state.store).set(
                    program, for: "password", ofBank: "default")
                secrets.close()
                let page = try await browser.page("/banks")
                #expect(page.contains("<dt>Given by</dt><dd>Password: echo</dd>"), "\(page)")
                #expect(!page.contains("canary"))
            }
        }
    }

    // MARK: Notifications

    @Test("a subscribed browser hears of a request, encrypted, and a browser that is gone is forgotten")
    func notifications() async throws {
        try await FakePushService.with { service, origin, http in
            try await TestPhone.with { phone in
                var configuration = TestPhone.pageConfiguration
                configuration.notifications = NotificationsConfiguration(
                    subject: try VAPIDSubject("mailto:robin@provider.net"), http: http)
                try await phone.serving(configuration) { browser, server in
                    let csrf = try await browser.signIn()
                    let key = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
                    let present = try #require(await server.state.announcements?.publicKey)
                    let subscription: JSONValue = [
                        "endpoint": .string(origin + "/push/a"), "p256dh": .string(key),
                        "auth": "BTBZMqHH6r4Tts7J_aSIgg", "key": .string(present),
                    ]
                    #expect(try await browser.post("/notifications", subscription, csrf: "guess").status == 403)
                    // One to another key would never be heard of, so the browser learns the present key instead.
                    for stale in [.string(key), .null] as [JSONValue] {
                        var members = try #require(subscription.objectValue)
                        members["key"] = stale
                        let answer = try await browser.post("/notifications", .object(members), csrf: csrf)
                        #expect(answer.json == ["key": .string(present)])
                        #expect(try await server.state.store.pushSubscriptions().isEmpty)
                    }
                    let plain: JSONValue = ["endpoint": "http://a.example/", "p256dh": .string(key), "auth": "AAAA"]
                    #expect(try await browser.post("/notifications", plain, csrf: csrf).status == 400)
                    for _ in 0..<2 {
                        #expect(try await browser.post("/notifications", subscription, csrf: csrf).status == 200)
                    }
                    #expect(try await browser.page("/settings").contains("localhost · since"))
                    await phone.broker.offer([try phone.envelope()])
                    await service.awaitPushes(1)
                    let push = try #require(await service.pushes.first)
                    #expect(push.path == "/push/a" && push.headers["ttl"].flatMap { Int($0) } ?? 0 > 200)
                    try await phone.until(server) {
                        try await server.state.store.pushSubscriptions().first?.deliveredAt != nil
                    }
                    await service.answer(with: 410)
                    await phone.broker.offer([try phone.envelope(month: 2)])
                    try await phone.until(server) { try await server.state.store.pushSubscriptions().isEmpty }
                    #expect(await service.pushes.count == 2)
                }
            }
        }
    }

    @Test("an agent that asks all day holds back no notification of another agent's request")
    func eachAgent() async throws {
        try await FakePushService.with { service, origin, http in
            try await TestPhone.with { phone in
                var configuration = TestPhone.pageConfiguration
                configuration.notifications = NotificationsConfiguration(
                    subject: try VAPIDSubject("mailto:robin@provider.net"), http: http)
                configuration.notifications?.perHour = 2
                try await phone.serving(configuration) { browser, server in
                    let csrf = try await browser.signIn()
                    let present = try #require(await server.state.announcements?.publicKey)
                    let subscription: JSONValue = [
                        "endpoint": .string(origin + "/push/a"),
                        "p256dh":
                            "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
                        "auth": "BTBZMqHH6r4Tts7J_aSIgg", "key": .string(present),
                    ]
                    #expect(try await browser.post("/notifications", subscription, csrf: csrf).status == 200)
                    let loud = try (1...5).map { try phone.envelope(month: $0, client: AgentName("loud")) }
                    await phone.broker.offer(loud)
                    await service.awaitPushes(2)
                    await phone.broker.offer(loud + [try phone.envelope(month: 6, client: AgentName("books"))])
                    await service.awaitPushes(3)
                    #expect(await service.pushes.count == 3, "two of one agent, and one of the other")
                }
            }
        }
    }

    @Test("without a contact for push services the page says how to have notifications, and takes no subscription")
    func noContact() async throws {
        try await TestPhone.with { phone in
            try await phone.serving { browser, server in
                let csrf = try await browser.signIn()
                #expect(try await browser.page("/settings").contains("VAPID_SUBJECT"))
                #expect(try await browser.post("/notifications", [:], csrf: csrf).status == 404)
                withExtendedLifetime(server) {}
            }
        }
    }

    @Test("what an app needs is served, and holds nothing of this phone")
    func app() async throws {
        try await TestPhone.with { phone in
            try await phone.serving { browser, server in
                let stranger = PageBrowser(browser.origin)
                for (path, type) in [
                    ("/worker.js", "text/javascript; charset=utf-8"), ("/offline.html", "text/html; charset=utf-8"),
                    ("/icon.svg", "image/svg+xml"), ("/icon-192.png", "image/png"), ("/icon-512.png", "image/png"),
                    ("/icon-180.png", "image/png"), ("/badge.png", "image/png"),
                ] {
                    let file = try await stranger.get(path)
                    #expect(file.status == 200 && file.header("Content-Type") == type, "\(path)")
                    #expect(file.header("Content-Security-Policy")?.contains("worker-src 'self'") == true)
                }
                let manifest = try JSONReader.read(Data(try await browser.get("/app.webmanifest").body))
                #expect(manifest["start_url"] == "./" && manifest["display"] == "standalone")
                for icon in manifest["icons"]?.arrayValue ?? [] {
                    #expect(try await stranger.get(icon["src"]?.stringValue ?? "").status == 200)
                }
                withExtendedLifetime(server) {}
            }
        }
    }

    @Test(
        "a request of which some documents are missing says so, with the way to the others",
        arguments: [("1 of 2 documents", "1 of 2\u{A0}documents came"), ("2 documents", "Completed")])
    func partly(kept: String, words: String) async throws {
        try await TestPhone.with { phone in
            let id = try await phone.offered(months: 2)
            let store = try await phone.knowing()
            try await store.interrupt(id, now: phone.clock.now)
            #expect(try await store.recordDelivery(of: id, as: kept, at: phone.clock.now))
            try await phone.serving(services: phone.services(TestPhone.severalMonths)) { browser, _ in
                _ = try await browser.signIn()
                for path in ["/", "/history"] {
                    let page = try await browser.page(path)
                    #expect(page.contains(">\(words)<") && page.contains("/documents?bank=default"), "\(page)")
                }
            }
        }
    }
}
