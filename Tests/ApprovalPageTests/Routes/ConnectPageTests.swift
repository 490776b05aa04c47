import BankScript
import Clocks
import CurlClient
import Foundation
import HTMLAutomation
import MockBank
import Phone
import PhoneStore
import ReadyBanks
import Secrets
import TestParties
import Testing

@testable import ApprovalPage

@Suite("A bank that is connected on the page", .timeLimit(.minutes(4)))
struct ConnectPageTests {
    /// Serves the page of a phone whose bank is the fake of Enable Banking, which leads browsers back to an address of this machine.
    private static func serving(
        redirect: String? = nil,
        changing change: @escaping @Sendable (inout BankScript) -> Void = { _ in },
        _ body: @escaping @Sendable (PageBrowser, PageServer, TestPhone, String) async throws -> Void
    ) async throws {
        var configuration = MockBankConfiguration()
        configuration.scenario = .enableBanking
        let bank = try await MockBankServer.start(configuration)
        let ready = try #require(ReadyBank.all.first { $0.id == "enable-banking" })
        var script = try ready.script().served(at: bank.url, isForTesting: true)
        change(&script)
        let served = script
        try await TestPhone.with { phone in
            var services = phone.services(served)
            services.servesTestBank = true
            // The fake looks at the times in a token.
            services.clock = SystemClock()
            services.engine = { try HTMLNavigationEngine(for: $0) }
            try await phone.serving(services: services) { browser, server in
                let address = redirect ?? "\(browser.origin)/oauth/enable-banking"
                let secrets = try await phone.verification.open(phone.vault, reason: "test")
                try await CredentialVault(secrets, store: try PhoneDatabase(phone.home)).set(
                    [
                        "application_id": Secret(MockBankServer.enableBankingApplication.id),
                        "private_key": Secret(MockBankServer.enableBankingApplication.key),
                        "redirect_url": Secret(address), "country": Secret(MockBankServer.enableBankingBank.country),
                        "bank_name": Secret(MockBankServer.enableBankingBank.name),
                    ], forBank: served.id)
                secrets.close()
                try await body(browser, server, phone, bank.url)
            }
        }
        await bank.stop()
    }

    private static func begin(_ browser: PageBrowser) async throws -> String {
        let csrf = try await browser.signIn()
        let answer = try await browser.post(
            "/banks/enable-banking/connect",
            form: ["csrf": csrf, "passphrase": TestPhone.passphrase.revealed()])
        #expect(answer.status == 303)
        return try await browser.page("/banks/enable-banking/connect")
    }

    /// Returns the address of the bank's page, as the link has it.
    private static func link(in page: String) throws -> String {
        let match = try #require(page.firstMatch(of: /<a class="button main" href="([^"]+)"/), "\(page)")
        return String(match.1).replacing("&#x2F;", with: "/").replacing("&#x3D;", with: "=").replacing(
            "&#47;", with: "/"
        ).replacing(
            "&amp;", with: "&")
    }

    /// Follows the bank's page as the owner's browser does.
    ///
    /// - Returns: the address to which it leads back.
    private static func yes(at page: String) async throws -> String {
        let session = CurlSession()
        let answer = try await session.send(HTTPRequest("GET", page))
        await session.close()
        return try #require(answer.header("location"))
    }

    @Test("shows the bank's page, takes the browser back without a cookie, and keeps what the bank gives")
    func connects() async throws {
        try await Self.serving { browser, server, phone, bank in
            _ = try await browser.signIn()
            let before = try await browser.page("/banks")
            #expect(before.contains("Not connected yet.") && before.contains("/oauth/enable-banking"))
            let page = try await Self.begin(browser)
            #expect(page.contains("Go on at localhost"), "\(page)")
            let back = try await Self.yes(at: try Self.link(in: page))
            #expect(back.hasPrefix("\(browser.origin)/oauth/enable-banking?"))
            // A stranger's browser without the mark, or with another one, learns nothing and ends nothing.
            let stranger = CurlSession()
            for query in ["", "?code=a&state=b", "?state="] {
                let answer = try await stranger.send(
                    HTTPRequest("GET", "\(browser.origin)/oauth/enable-banking\(query)"))
                #expect(answer.status == 404)
            }
            let answer = try await stranger.send(HTTPRequest("GET", back))
            #expect(answer.status == 200)
            let shown = String(decoding: answer.body, as: UTF8.self)
            #expect(shown.contains("Connected. Your consent counts until"))
            #expect(!shown.contains("/banks#bank-"), "the page without a session does not tell its secret path")
            // A second time, the address is worth nothing.
            #expect(try await stranger.send(HTTPRequest("GET", back)).status == 404)
            await stranger.close()
            let consent = try #require(try await PhoneDatabase(phone.home).storedConsents().first)
            #expect(consent.bankID == "enable-banking" && consent.endsAt != nil && consent.needsOwner)
            let after = try await browser.page("/banks")
            #expect(!after.contains("Not connected yet.") && after.contains("<dt>Consent</dt>"))
            #expect(try await browser.page("/banks/enable-banking/connect").contains("Connected."))
        }
    }

    @Test("is told when the bank leads back elsewhere, and needs the passphrase")
    func refuses() async throws {
        try await Self.serving(redirect: "https://other.example/back") { browser, server, phone, bank in
            let csrf = try await browser.signIn()
            let wrong = try await browser.post(
                "/banks/enable-banking/connect", form: ["csrf": csrf, "passphrase": "not the passphrase"])
            #expect(wrong.status == 403)
            #expect(
                try await browser.post("/banks/default/connect", form: ["csrf": csrf, "passphrase": "x"]).status == 404)
            let page = try await Self.begin(browser)
            #expect(page.contains("leads back to another address") && !page.contains("button main"), "\(page)")
            #expect(try await PhoneDatabase(phone.home).storedConsents().isEmpty)
        }
    }

    @Test("is not offered where the script names an address of another machine's browser")
    func offered() async throws {
        let other: @Sendable (inout BankScript) -> Void = { script in
            guard case .session(var session) = script.exchange?.way else { return }
            session.redirect = "http://127.0.0.1:17265/"
            script.exchange = CredentialExchange(.session(session))
        }
        try await Self.serving(changing: other) { browser, server, phone, bank in
            _ = try await browser.signIn()
            let page = try await browser.page("/banks")
            #expect(page.contains("countersign phone banks connect enable-banking") && !page.contains("/connect\""))
        }
    }
}
