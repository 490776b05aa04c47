import CurlClient
import Encodings
import Foundation
import PhoneStore
import QRCode
import Secrets
import Storage
import Synchronization
import TestParties
import TestServers
import Testing

@testable import ApprovalPage
@testable import Phone

@Suite("A device that is paired on the approval page", .timeLimit(.minutes(3)))
struct PairingPageTests {
    private static let passphrase = TestPhone.passphrase.revealed()

    /// Serves the page of a phone whose broker is on its machine, to a browser that is signed in.
    private static func with(
        _ pairings: FakePairings, onNotice: @escaping @Sendable (String) -> Void = { _ in },
        _ body: @escaping @Sendable (TestPhone, PageBrowser, PageServer, _ csrf: String) async throws -> Void
    ) async throws {
        try await TestPhone.with { phone in
            var configuration = TestPhone.pageConfiguration
            configuration.pairings = pairings
            try await phone.serving(configuration, onNotice: onNotice) { browser, server in
                try await body(phone, browser, server, try await browser.signIn())
            }
        }
    }

    private static func text(_ answer: HTTPResponse) -> String { String(decoding: answer.body, as: UTF8.self) }

    /// Has the page begin a pairing.
    ///
    /// - Returns: the pairing, and the address of its page.
    private static func begin(
        _ browser: PageBrowser, _ csrf: String, named name: String = "", _ pairings: FakePairings
    ) async throws -> (pairing: FakePagePairing, place: String) {
        let answer = try await browser.post(
            "/devices/pair", form: ["csrf": csrf, "passphrase": passphrase, "credential-name": name])
        let place = try Self.place(answer, browser)
        #expect(answer.status == 303 && place.wholeMatch(of: /\/devices\/pair\/[\w-]{43}/) != nil, "\(text(answer))")
        return (try #require(pairings.begun.last), place)
    }

    /// Returns the address to which an answer leads.
    private static func place(_ answer: HTTPResponse, _ browser: PageBrowser) throws -> String {
        String(try #require(answer.header("Location"), "\(text(answer))").dropFirst(browser.base.count))
    }

    /// Presses the button of a page that cancels its pairing.
    private static func cancel(_ page: String, _ browser: PageBrowser, _ csrf: String) async throws -> HTTPResponse {
        try await browser.post(
            "/devices/pair/cancel",
            form: [
                "csrf": csrf, "under-way": try hidden("under-way", in: page),
                "pairing": try hidden("pairing", in: page),
            ])
    }

    /// Returns a hidden value of the page's forms.
    private static func hidden(_ name: String, in page: String) throws -> String {
        let parts = page.components(separatedBy: "name=\"\(name)\" value=\"")
        try #require(parts.count > 1, "\(page)")
        return String(parts[1].prefix { $0 != "\"" })
    }

    private static func claim(
        _ begun: (pairing: FakePagePairing, place: String), _ browser: PageBrowser, _ phone: TestPhone,
        _ server: PageServer, device: String = "Tablet"
    ) async throws -> String {
        begun.pairing.tell(.claimed(device: device, words: "apple river stone cloud"))
        try await phone.until(server) { try await browser.page(begun.place).contains("apple river stone cloud") }
        return try await browser.page(begun.place)
    }

    private static func types(of phone: TestPhone) async throws -> [String] {
        try await PhoneDatabase(phone.home).audit.records(AuditFilter(type: "pairing")).map(\.event.type)
    }

    private static func ended(_ phone: TestPhone) async throws -> String? {
        try await PhoneDatabase(phone.home).audit.records(AuditFilter(type: "pairing.ended")).last?
            .event.details["message"]?.stringValue
    }

    @Test("shows its code as a drawing, as text and in a line, to the browser that has asked and to no other")
    func shown() async throws {
        let pairings = FakePairings()
        try await Self.with(pairings) { phone, browser, _, csrf in
            let other = try await phone.anotherBrowser(browser.origin)
            _ = try await other.signIn()
            #expect(try await browser.page("/devices").contains("Show the code"))
            #expect(try await browser.get("/devices/pair").header("Location") == "\(browser.base)/devices")
            let (pairing, place) = try await Self.begin(browser, csrf, named: " Ada's tablet ", pairings)
            #expect(pairing.name == "Ada's tablet")
            let answer = try await browser.get(place)
            #expect(answer.status == 200 && answer.header("Cache-Control") == "no-store")
            let page = Self.text(answer)
            let drawing = try QRSymbol(Secret(FakePagePairing.uri), correction: .low).svg(
                title: "QR code of the pairing")
            #expect(page.contains(drawing), "\(page)")
            #expect(page.contains("countersign up --phone-only \(FakePagePairing.code)@https://broker.home:8765"))
            #expect(page.contains("<strong><code>\(FakePagePairing.code)</code></strong>") && !page.contains("style="))
            #expect(page.contains("data-live") && page.contains("data-leaving="))

            #expect(try await other.get(place).header("Location") == "\(other.base)/devices/pair")
            let elsewhere = try await other.page("/devices/pair")
            #expect(elsewhere.contains("under way in another browser"))
            #expect(!elsewhere.contains(FakePagePairing.code) && !elsewhere.contains("<svg"))
            let devices = try await other.page("/devices")
            #expect(devices.contains("A pairing is under way.") && !devices.contains("name=\"credential-name\""))
            #expect(try await Self.types(of: phone) == ["pairing.opened"])
            let log = try await other.page("/audit")
            #expect(
                log.contains("A code for another device was shown on the page") && !log.contains(FakePagePairing.code))
        }
    }

    @Test(
        "needs the passphrase, a form token and a name that can be seen",
        arguments: [("a wrong passphrase", "", 403), (passphrase, "a\u{202E}b", 409)])
    func refused(passphrase: String, name: String, status: Int) async throws {
        let pairings = FakePairings()
        try await Self.with(pairings) { phone, browser, _, csrf in
            let form = ["csrf": csrf, "passphrase": passphrase, "credential-name": name]
            let answer = try await browser.post("/devices/pair", form: form)
            #expect(answer.status == status && Self.text(answer).contains("name=\"credential-name\""))
            #expect(try await browser.post("/devices/pair", form: form.merging(["csrf": "x"]) { $1 }).status == 403)
            #expect(try await browser.post("/devices/pair/passkey", [:], csrf: "x").status == 403)
            #expect(pairings.begun.isEmpty)
            #expect(try await Self.types(of: phone).isEmpty)
        }
    }

    @Test("needs a passkey, too, where the vault has one, also in a vault that needs both", arguments: [false, true])
    func passkey(needsBoth: Bool) async throws {
        let pairings = FakePairings()
        try await Self.with(pairings) { phone, browser, _, csrf in
            let passkey = try await VaultPasskey.add(needsBoth: needsBoth, to: phone, browser, csrf)
            #expect(try await browser.page("/devices").contains("Show the code, with a passkey"))
            let alone = try await browser.post(
                "/devices/pair", form: ["csrf": csrf, "passphrase": Self.passphrase])
            #expect(alone.status == 409 && Self.text(alone).contains("passkey, too"))
            func json(_ path: String, passphrase: String = Self.passphrase) async throws -> JSONValue {
                let options = try await browser.post("\(path)/begin", [:], csrf: csrf).json
                return [
                    "assertion": try passkey.answer(options), "passphrase": .string(passphrase),
                    "credentials": ["name": "Tablet"],
                ]
            }
            let refused: [JSONValue] = [
                try await json("/forget"), try await json("/devices/pair", passphrase: "a wrong passphrase"), [:],
            ]
            for json in refused {
                #expect(try await browser.post("/devices/pair/passkey", json, csrf: csrf).status == 403)
            }
            #expect(pairings.begun.isEmpty)
            let answer = try await browser.post("/devices/pair/passkey", try await json("/devices/pair"), csrf: csrf)
            #expect(answer.status == 200 && pairings.begun.last?.name == "Tablet")
            let place = try #require(answer.json["place"]?.stringValue)
            #expect(try await browser.page(place).contains("<svg"))
        }
    }

    @Test("is confirmed once the words are the same; a device's own name is text")
    func confirmed() async throws {
        let pairings = FakePairings()
        let notices = Mutex<[String]>([])
        try await Self.with(pairings) { notice in
            notices.withLock { $0.append(notice) }
        } _: { phone, browser, server, csrf in
            let other = try await phone.anotherBrowser(browser.origin)
            let othersToken = try await other.signIn()
            let begun = try await Self.begin(browser, csrf, pairings)
            let (pairing, place) = begun
            let page = try await Self.claim(
                begun, browser, phone, server, device: "Mine</bdi><b>\u{202E}\n<script>alert(1)</script>")
            #expect(page.contains("<bdi>Mine&lt;/bdi&gt;&lt;b&gt; &lt;script&gt;"), "\(page)")
            #expect(!page.contains("<script>alert") && !page.unicodeScalars.contains("\u{202E}"))
            #expect(!page.contains(FakePagePairing.code) && !page.contains("<svg"), "one device has the code")
            let id = try Self.hidden("pairing", in: page)
            let form = ["csrf": csrf, "pairing": id, "answer": "yes"]
            for (sender, token, answered) in [(other, othersToken, id), (browser, csrf, "another pairing")] {
                _ = try await sender.post(
                    "/devices/pair/answer", form: ["csrf": token, "pairing": answered, "answer": "yes"])
                #expect(pairing.answers.isEmpty)
            }
            #expect(try await !other.page("/devices/pair").contains("apple river"))
            #expect(try await Self.place(browser.post("/devices/pair/answer", form: form), browser) == place)
            #expect(try await browser.page(place).contains("Waiting for the device to finish"))
            _ = try await browser.post("/devices/pair/answer", form: form)
            #expect(pairing.answers == [true], "once")
            pairing.tell(.paired(name: "Mine & Ada's"))
            try await phone.until(server) {
                try await browser.page(place).contains("Paired: <bdi>Mine &amp; Ada&#39;s</bdi>")
            }
            #expect(!pairing.isCancelled)
            // The log and the terminal are told before the page is.
            #expect(notices.withLock { $0 }.contains { $0.contains("was paired on the page") })
            #expect(try await Self.types(of: phone) == ["pairing.opened", "pairing.done"])
            #expect(notices.withLock { $0 }.allSatisfy { !$0.contains(FakePagePairing.code) && !$0.contains("apple") })
            #expect(try await other.page().contains("was paired on the page. Was it you?"), "every browser is told")
            #expect(try await other.get("/devices/pair").header("Location") == "\(other.base)/devices")
        }
    }

    @Test("ends when the words are different, and another one can begin")
    func denied() async throws {
        let pairings = FakePairings()
        try await Self.with(pairings) { phone, browser, server, csrf in
            let begun = try await Self.begin(browser, csrf, pairings)
            let page = try await Self.claim(begun, browser, phone, server)
            let form = ["csrf": csrf, "pairing": try Self.hidden("pairing", in: page), "answer": "no"]
            #expect(try await browser.post("/devices/pair/answer", form: form).status == 303)
            #expect(begun.pairing.answers == [false])
            #expect(try await browser.page(begun.place).contains("No device was paired."))
            #expect(try await Self.ended(phone) == "the words were not confirmed")
            let second = try await Self.begin(browser, csrf, pairings)
            #expect(pairings.begun.count == 2)
            #expect(try await browser.page(second.place).contains("<svg"))
            #expect(try await browser.get(begun.place).header("Location") == "\(browser.base)/devices/pair")
        }
    }

    @Test("ends by Cancel of its browser, also on the page without the code, and not by another's")
    func cancelled() async throws {
        let pairings = FakePairings()
        try await Self.with(pairings) { phone, browser, _, csrf in
            let other = try await phone.anotherBrowser(browser.origin)
            let othersToken = try await other.signIn()
            for hasCode in [true, false] {
                let (pairing, place) = try await Self.begin(browser, csrf, pairings)
                let shown = try await browser.page(hasCode ? place : "/devices/pair")
                _ = try await Self.cancel(shown, other, othersToken)
                #expect(try await Self.cancel(shown, browser, "x").status == 403)
                #expect(!pairing.isCancelled)
                let answer = try await Self.cancel(shown, browser, csrf)
                #expect(answer.status == 303 && pairing.isCancelled)
                #expect(try Self.place(answer, browser) == (hasCode ? place : "/devices/pair"))
                let page = try await browser.page(place)
                #expect(page.contains("The pairing was cancelled.") && !page.contains(FakePagePairing.code))
                #expect(try await Self.ended(phone) == "it was cancelled")
            }
        }
    }

    @Test("ends when its last page is left, and not when that was only loaded again")
    func left() async throws {
        let pairings = FakePairings()
        try await Self.with(pairings) { phone, browser, _, csrf in
            let (pairing, place) = try await Self.begin(browser, csrf, pairings)
            var renewing = browser
            renewing.invented = [HTTPHeader("X-Page-Renewal", "1")]
            let views = [try await browser.page(place), try await browser.page(place), try await browser.page(place)]
            let renewed = try await renewing.page(place)
            #expect(try Self.hidden("view", in: renewed).isEmpty, "no view of its own")
            // A tab that was opened before may be closed after one that was opened later.
            for (number, isLeft) in [(1, false), (1, false), (0, false), (2, true)] {
                let form = [
                    "csrf": csrf, "pairing": try Self.hidden("pairing", in: views[number]),
                    "view": try Self.hidden("view", in: views[number]),
                ]
                #expect(try await browser.post("/devices/pair/leave", form: form).status == 204)
                #expect(pairing.isCancelled == isLeft, "\(number)")
            }
            #expect(try await browser.page(place).contains("This page was left"))
            #expect(try await Self.ended(phone) == "its page was left")
        }
    }

    @Test("ends when its page has no script and another page is loaded, and not by a renewal or before it was shown")
    func leftForAnotherPage() async throws {
        let pairings = FakePairings()
        try await Self.with(pairings) { phone, browser, _, csrf in
            let (pairing, place) = try await Self.begin(browser, csrf, pairings)
            var renewing = browser
            renewing.invented = [HTTPHeader("X-Page-Renewal", "1")]
            _ = try await browser.page("/devices")
            _ = try await browser.page(place)
            _ = try await renewing.page("/")
            _ = try await browser.page(place)
            _ = try await browser.page("/devices/pair")
            _ = try await browser.get("/app.webmanifest")
            let other = try await phone.anotherBrowser(browser.origin)
            _ = try await other.signIn()
            #expect(!pairing.isCancelled)
            _ = try await browser.page("/")
            #expect(pairing.isCancelled)
            #expect(try await Self.ended(phone) == "its page was left")
        }
    }

    @Test("ends when the streams of events to its page have ended, and not when one comes again")
    func silent() async throws {
        let pairings = FakePairings()
        try await Self.with(pairings) { phone, browser, server, csrf in
            let (pairing, place) = try await Self.begin(browser, csrf, pairings)
            let path = "/events?pairing=\(place.split(separator: "/").last ?? "")"
            @Sendable func streams() async -> Int { await server.state.begunPairing?.streams.count ?? 0 }
            _ = try await browser.page(place)
            var first: PageStream? = try await PageStream(browser, path)
            try await phone.until(server) { await streams() == 1 }
            _ = try await browser.page("/")
            // A reload: the page's stream ends, and the page's next load has one of its own.
            withExtendedLifetime(first) {}
            first = nil
            try await phone.until(server) { await streams() == 0 }
            _ = try await browser.page(place)
            var second: PageStream? = try await PageStream(browser, path)
            let other = try await PageStream(browser, "/events?pairing=\(String(repeating: "A", count: 43))")
            try await phone.until(server) { await streams() == 1 }
            try await Task.sleep(for: .seconds(6))
            #expect(!pairing.isCancelled, "also after another page was loaded")
            withExtendedLifetime(second) {}
            second = nil
            try await phone.until(server) { pairing.isCancelled }
            try await phone.until(server) { try await browser.page(place).contains("This page was left") }
            #expect(try await Self.ended(phone) == "its page was left")
            withExtendedLifetime(other) {}
        }
    }

    @Test("is finished by the device once the owner has said yes, also when the page is gone")
    func goneAfterYes() async throws {
        let pairings = FakePairings()
        try await Self.with(pairings) { phone, browser, server, csrf in
            let begun = try await Self.begin(browser, csrf, pairings)
            let page = try await Self.claim(begun, browser, phone, server)
            let form = ["csrf": csrf, "pairing": try Self.hidden("pairing", in: page), "answer": "yes"]
            #expect(try await browser.post("/devices/pair/answer", form: form).status == 303)
            _ = try await browser.page("/")
            #expect(!begun.pairing.isCancelled)
        }
    }

    @Test("tells where the code works, where the documents go, and the name that the owner has given")
    func told() async throws {
        for isHere in [false, true] {
            let pairings = FakePairings(forThisMachine: isHere)
            try await Self.with(pairings) { phone, browser, server, csrf in
                let begun = try await Self.begin(browser, csrf, named: "Ada & co", pairings)
                let shown = try await browser.page(begun.place)
                #expect(shown.contains("<code>/home/ada/inbox</code>") && shown.contains("--inbox"), "\(shown)")
                #expect(shown.contains("Run this line on the other machine") == !isHere)
                #expect(shown.contains("countersign up --broker-only --host-name NAME") == isHere)
                let claimed = try await Self.claim(begun, browser, phone, server)
                #expect(claimed.contains("It will be called “<bdi>Ada &amp; co</bdi>”."), "\(claimed)")
                #expect(!claimed.contains("Cancel") && claimed.contains("data-leaving="), "No ends it, too")
            }
        }
    }

    @Test("shows neither code nor words to a browser with its cookie alone, and takes no answer from it")
    func cookieAlone() async throws {
        let pairings = FakePairings()
        try await Self.with(pairings) { phone, browser, server, csrf in
            let begun = try await Self.begin(browser, csrf, pairings)
            func look() async throws -> String {
                #expect(
                    try await browser.get("/devices/pair/\(String(repeating: "A", count: 43))").header("Location")
                        == "\(browser.base)/devices/pair")
                return try await browser.page("/devices/pair")
            }
            let waiting = try await look()
            #expect(waiting.contains("A pairing is under way.") && waiting.contains("Cancel"), "\(waiting)")
            #expect(!waiting.contains(FakePagePairing.code) && !waiting.contains("<svg"))
            _ = try await Self.claim(begun, browser, phone, server)
            let claimed = try await look()
            #expect(!claimed.contains("apple river") && !claimed.contains("/answer"), "\(claimed)")
            for guess in ["", try Self.hidden("under-way", in: claimed), try Self.hidden("pairing", in: claimed)] {
                let form = ["csrf": csrf, "pairing": guess, "answer": "yes"]
                #expect(
                    try await Self.place(browser.post("/devices/pair/answer", form: form), browser) == "/devices/pair")
            }
            #expect(begun.pairing.answers.isEmpty)
            #expect(try await browser.page(begun.place).contains("apple river"))
        }
    }

    @Test("is not ended by the page of an older one")
    func older() async throws {
        let pairings = FakePairings()
        try await Self.with(pairings) { _, browser, _, csrf in
            let first = try await Self.begin(browser, csrf, pairings)
            let old = try await browser.page(first.place)
            _ = try await Self.cancel(old, browser, csrf)
            let second = try await Self.begin(browser, csrf, pairings)
            _ = try await browser.page(second.place)
            _ = try await Self.cancel(old, browser, csrf)
            let form = ["csrf": csrf, "pairing": try Self.hidden("pairing", in: old), "view": "1"]
            _ = try await browser.post("/devices/pair/leave", form: form)
            #expect(!second.pairing.isCancelled)
            #expect(try await browser.page(second.place).contains("<svg"))
        }
    }

    @Test("tells of a device that was let in while the page ended the pairing")
    func letIn() async throws {
        let pairings = FakePairings()
        let notices = Mutex<[String]>([])
        try await Self.with(pairings) { notice in
            notices.withLock { $0.append(notice) }
        } _: { phone, browser, server, csrf in
            let begun = try await Self.begin(browser, csrf, pairings)
            let page = try await Self.claim(begun, browser, phone, server)
            let form = ["csrf": csrf, "pairing": try Self.hidden("pairing", in: page), "answer": "yes"]
            #expect(try await browser.post("/devices/pair/answer", form: form).status == 303)
            begun.pairing.letIn("Tablet")
            let answered = try await browser.page(begun.place)
            _ = try await Self.cancel(answered, browser, csrf)
            #expect(begun.pairing.isCancelled)
            #expect(try await browser.page(begun.place).contains("Paired: <bdi>Tablet</bdi>"))
            #expect(notices.withLock { $0 }.contains { $0.contains("was paired on the page") })
            #expect(try await Self.types(of: phone) == ["pairing.opened", "pairing.done"])
        }
    }

    @Test("ends with its time")
    func expired() async throws {
        let pairings = FakePairings(lasting: 0.5)
        try await Self.with(pairings) { phone, browser, server, csrf in
            let (pairing, place) = try await Self.begin(browser, csrf, pairings)
            try await phone.until(server) { try await browser.page(place).contains("The pairing expired") }
            #expect(pairing.isCancelled)
            #expect(try await Self.ended(phone) == "it expired")
        }
    }

    @Test("ends when its browser signs out, and when it is forgotten", arguments: [false, true])
    func signedOut(isForgotten: Bool) async throws {
        let pairings = FakePairings()
        try await Self.with(pairings) { phone, browser, _, csrf in
            let other = try await phone.anotherBrowser(browser.origin)
            let othersToken = try await other.signIn()
            let pairing = try await Self.begin(browser, csrf, pairings).pairing
            if isForgotten {
                let settings = try await other.page("/settings")
                let forget = try #require(settings.firstMatch(of: /\/browsers\/([^\/"]+)\/forget/))
                #expect(
                    try await other.post("/browsers/\(forget.1)/forget", form: ["csrf": othersToken]).status == 303)
            } else {
                #expect(try await browser.post("/sign-out", form: ["csrf": csrf]).status == 303)
            }
            #expect(pairing.isCancelled)
            #expect(try await Self.ended(phone) == "it was cancelled")
            #expect(try await other.get("/devices/pair").status == 303, "no pairing is under way")
        }
    }

    @Test("ends with the page")
    func stopped() async throws {
        let pairings = FakePairings()
        try await TestPhone.with { phone in
            var configuration = TestPhone.pageConfiguration
            configuration.pairings = pairings
            try await phone.serving(configuration) { browser, _ in
                let csrf = try await browser.signIn()
                let pairing = try await Self.begin(browser, csrf, pairings).pairing
                #expect(!pairing.isCancelled)
            }
            #expect(pairings.begun.map(\.isCancelled) == [true])
            #expect(try await Self.ended(phone) == "it was cancelled")
        }
    }

    @Test("is under way once, whichever browser asks")
    func once() async throws {
        let pairings = FakePairings()
        try await Self.with(pairings) { phone, browser, _, csrf in
            let other = try await phone.anotherBrowser(browser.origin)
            let othersToken = try await other.signIn()
            let place = try await Self.begin(browser, csrf, pairings).place
            for (sender, token, leads) in [(browser, csrf, place), (other, othersToken, "/devices/pair")] {
                let form = ["csrf": token, "passphrase": Self.passphrase]
                #expect(try await Self.place(sender.post("/devices/pair", form: form), sender) == leads)
            }
            let wrong = ["csrf": csrf, "passphrase": "a wrong passphrase"]
            let refused = try await browser.post("/devices/pair", form: wrong)
            #expect(refused.status == 403 && refused.header("Location") == nil)
            #expect(pairings.begun.count == 1)
            #expect(try await browser.page(place).contains("<svg"), "in another tab, too")
        }
    }

    @Test("tells why the broker has opened none")
    func closed() async throws {
        let pairings = FakePairings()
        pairings.refuse("the household's broker does not run; start it with: <b>countersign up</b>")
        try await Self.with(pairings) { phone, browser, _, csrf in
            let answer = try await browser.post("/devices/pair", form: ["csrf": csrf, "passphrase": Self.passphrase])
            #expect(answer.status == 303)
            let page = try await browser.page(try Self.place(answer, browser))
            #expect(page.contains("broker does not run; start it with: &lt;b&gt;countersign up"), "\(page)")
            #expect(try await Self.types(of: phone) == ["pairing.ended"])
        }
    }

    @Test("is left to the terminal where the broker is on another machine")
    func elsewhere() async throws {
        try await Self.with(FakePairings(arePossible: false)) { _, browser, _, csrf in
            let page = try await browser.page("/devices")
            #expect(page.contains("<code>countersign pair</code>") && !page.contains("name=\"credential-name\""))
            let answer = try await browser.post("/devices/pair", form: ["csrf": csrf, "passphrase": Self.passphrase])
            #expect(answer.status == 404)
        }
    }
}

/// A browser's stream of events. It ends with this object.
private final class PageStream: Sendable {
    private let socket: Int32

    init(_ browser: PageBrowser, _ path: String) async throws {
        let cookie = await browser.session.cookies().map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
        let port = try #require(URL(string: browser.origin)?.port)
        socket = try LoopbackSocket.connected(to: port)
        let request = "GET \(browser.base)\(path) HTTP/1.1\r\nHost: localhost:\(port)\r\nCookie: \(cookie)\r\n\r\n"
        _ = Array(request.utf8).withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    deinit { close(socket) }
}
