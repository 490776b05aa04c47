import Foundation
import Messages
import Secrets
import Synchronization
import Testing

@testable import Automation

@Suite("A session that the owner opens at a bank's own kind of interface")
struct SessionTests {
    private static let yaml = """
        credentials: []
        exchange:
          lasts: 90 days
          ask:
            - request: { POST: /auth, body: { until: "{{ until }}", back: { captured: redirect }, state: { captured: state } } }
          page: $.url
          redeem:
            - request: { POST: /sessions, body: { code: { captured: code } } }
        consent: { until: $.ends }
        steps:
          - capture: { visit: { json: $.session_id } }
          - download: { request: { GET: "/doc/{{ visit }}", headers: { X: { captured: visit } } } }

        """

    /// A browser that says yes, and counts its pages.
    private final class Browser: OwnersBrowser {
        let pages = Mutex<[OwnersPage]>([])
        let query: @Sendable (String) -> String

        init(bringing query: @escaping @Sendable (String) -> String = { "code=code-Bittern-1&state=\($0)" }) {
            self.query = query
        }

        func redirect(_ wanted: String?) async throws -> String { wanted ?? "http://127.0.0.1:4711/" }

        func visit(_ page: OwnersPage) async throws -> Secret {
            pages.withLock { $0.append(page) }
            return Secret(query(page.state.revealed()))
        }

        func show(_ code: OwnersCode) async throws {}
    }

    private static func bank(
        page: String = "https://any.example/yes",
        sessions: @escaping @Sendable () -> StagedBank.Answer = {
            .json(#"{"session_id":"visit-7","ends":"2026-12-24"}"#)
        }
    ) -> StagedBank {
        StagedBank { line, _ in
            switch line {
            case "POST /auth": .json("{\"url\":\"\(page)\"}")
            case "POST /sessions": sessions()
            case "GET /doc/visit-7": .pdf()
            default: .json("{}", status: 404)
            }
        }
    }

    private static func program() -> TokenProgram {
        TokenProgram(server: TokenServer(), vault: LastingVault(), clock: SetClock())
    }

    @Test("is asked for with a mark and an end, and its answer is what later runs begin with")
    func opens() async throws {
        let (program, bank, browser) = (Self.program(), Self.bank(), Browser())
        #expect(try await program.run(Self.yaml, at: bank)?.message.contains("phone banks connect") == true)
        let end = try await program.connect(Self.yaml, with: browser, at: bank)
        #expect(end.map { Int($0.timeIntervalSince1970) } == 1_798_156_799)
        for _ in 1...2 { #expect(try await program.run(Self.yaml, at: bank) == nil) }
        #expect(bank.lines == ["POST /auth", "POST /sessions", "GET /doc/visit-7", "GET /doc/visit-7"])
        let page = try #require(browser.pages.withLock { $0.first })
        #expect(page.address == "https://any.example/yes")
        let asked = try #require(bank.seen.first?.body)
        #expect(asked.contains(page.state.revealed()) && asked.contains("127.0.0.1:4711"))
        #expect(asked.contains((program.clock.now.addingTimeInterval(90 * 86_400)).formatted(.iso8601)), "\(asked)")
        #expect(bank.seen[1].body.contains("code-Bittern-1"))
    }

    @Test(
        "is not opened where the browser or the bank answers something else",
        arguments: [
            ("https://any.example/yes", "code=a&state=stranger", "without the mark"),
            ("https://any.example/yes", "error=access_denied&state=STATE", "came back without a yes"),
            ("https://any.example/yes", "state=STATE", "without a code"), ("http://any.example/", "", "not https"),
            ("javascript:alert(1)", "", "not https"),
            ("https://any.example@evil.example/", "", "a user in its address"),
        ])
    func refused(page: String, query: String, words: String) async throws {
        let (program, bank) = (Self.program(), Self.bank(page: page))
        let browser = Browser { query.replacing("STATE", with: $0) }
        let failure = await #expect(throws: RunFailure.self) {
            try await program.connect(Self.yaml, with: browser, at: bank)
        }
        #expect(failure?.message.contains(words) == true, "\(failure?.message ?? "")")
        #expect(bank.lines == ["POST /auth"])
    }

    @Test(
        "whose address for the browser the bank does not know is refused with the remedy",
        arguments: [
            (#"{"message":"Redirect URI not allowed"}"#, 422, true),
            (#"{"error":"the redirect_uri is unknown"}"#, 400, true),
            (#"{"message":"Wrong ASPSP name provided"}"#, 422, false),
            (#"{"message":"no redirect today"}"#, 503, false),
            (#"{"message":"no redirect today"}"#, 429, false),
        ])
    func unlisted(body: String, status: Int, isAbout: Bool) async throws {
        let named = Self.yaml.replacing("credentials: []", with: "credentials: [address]")
            .replacing("exchange:\n", with: "exchange:\n  redirect: $address\n")
        for (yaml, words) in [
            (Self.yaml, "compare the “redirect” of the script"),
            (named, "add the address that the phone has to your application"),
        ] {
            let bank = StagedBank { _, _ in .json(body, status: status) }
            let failure = await #expect(throws: RunFailure.self) {
                try await Self.program().connect(
                    yaml, with: Browser(), at: bank, credentials: ["address": "http://127.0.0.1:4711/back"])
            }
            let message = failure?.message ?? ""
            #expect(message.contains("does not know the address to which your browser") == isAbout, "\(message)")
            #expect(message.contains(words) == isAbout, "\(message)")
            if yaml == named {
                #expect(message.contains("countersign phone banks change staged") == isAbout, "\(message)")
            }
            #expect(Set(bank.lines) == ["POST /auth"])
        }
    }

    @Test("has a page whose host is the one to which a browser goes")
    func host() async throws {
        // A browser takes the backslash for a slash; a reader of RFC 3986 takes what is before the @ for a user.
        let (program, browser) = (Self.program(), Browser())
        let bank = Self.bank(page: #"https://evil.example\\@any.example/yes"#)
        _ = try await program.connect(Self.yaml, with: browser, at: bank)
        let page = try #require(browser.pages.withLock { $0.first })
        #expect(page.address == "https://evil.example/@any.example/yes")
        #expect(URL(string: page.address)?.host() == "evil.example")
    }

    @Test("is opened with the code of an earlier try where the bank was out of reach, and needs no second yes")
    func again() async throws {
        let isOpen = Mutex(false)
        let bank = Self.bank {
            isOpen.withLock { $0 } ? .json(#"{"session_id":"visit-7"}"#) : .json("{}", status: 503)
        }
        let (program, browser) = (Self.program(), Browser())
        let failure = await #expect(throws: RunFailure.self) {
            try await program.connect(Self.yaml, with: browser, at: bank)
        }
        #expect(failure?.reason == .serverError, "\(failure?.description ?? "")")
        isOpen.withLock { $0 = true }
        _ = try await program.connect(Self.yaml, with: browser, at: bank)
        #expect(browser.pages.withLock { $0.count } == 1)
        #expect(try await program.run(Self.yaml, at: bank) == nil)
    }

    @Test("keeps what was kept before when a new one is refused")
    func keepsOld() async throws {
        let isRefused = Mutex(false)
        let bank = Self.bank {
            isRefused.withLock { $0 }
                ? .json(#"{"message":"wrong code"}"#, status: 422) : .json(#"{"session_id":"visit-7"}"#)
        }
        let program = Self.program()
        _ = try await program.connect(Self.yaml, with: Browser(), at: bank)
        isRefused.withLock { $0 = true }
        await #expect(throws: RunFailure.self) { try await program.connect(Self.yaml, with: Browser(), at: bank) }
        #expect(try await program.run(Self.yaml, at: bank) == nil)
    }
}
