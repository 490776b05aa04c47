import Clocks
import Foundation
import Messages
import TestParties
import Testing

@testable import ApprovalPage
@testable import Phone

@Suite("Offers on the approval page", .timeLimit(.minutes(3)))
struct OffersPageTests {
    private static func offer(_ agent: String, _ accounts: [String] = []) throws -> DocumentOffer {
        let documents = DocumentsRequest(
            from: try #require(MonthYear("2026-01")), to: try #require(MonthYear("2026-03")), kinds: [.csv, .pdf],
            accounts: accounts.compactMap(AccountAlias.init))
        return DocumentOffer(
            bankID: "default", documents, agent: try #require(AgentName(agent)), createdAt: Timestamp(Date()),
            expiresAt: Timestamp(Date().addingTimeInterval(86_400)))
    }

    @Test("stand below the requests as quiet cards; opening one shows the request that it made")
    func opened() async throws {
        let offer = try Self.offer("books", ["Savings"])
        try await TestPhone.with { phone in
            await phone.broker.list([offer], opening: try phone.envelope())
            try await phone.serving { browser, server in
                let csrf = try await browser.signIn()
                try await phone.until(server) { try await browser.page().contains("id=\"o-\(offer.id.short)\"") }
                let page = try await browser.page()
                for words in [
                    "The agent “books” offers, for when you have time", "January 2026 to March 2026",
                    "Meridian Savings · “Savings” · CSV, PDF", "Nothing is fetched before you approve.",
                    "No request waits for you.",
                ] { #expect(page.contains(words), "\(words)") }

                #expect(try await browser.post("/offers/\(offer.id)/open", form: [:]).status == 403, "without a token")
                #expect(await phone.broker.actions().isEmpty)
                #expect(try await browser.post("/offers/\(offer.id)/open", form: ["csrf": csrf]).status == 303)
                let after = try await browser.page()
                #expect(!after.contains("id=\"o-\(offer.id.short)\""))
                #expect(after.contains("class=\"card request\"") && after.contains("January 2026"))
                #expect(await phone.broker.actions() == ["open"], "nothing was approved")
            }
        }
    }

    @Test("go when they are dismissed; one that is gone is answered with a page, not a failure")
    func dismissed() async throws {
        let offer = try Self.offer("default")
        try await TestPhone.with { phone in
            await phone.broker.list([offer])
            try await phone.serving { browser, server in
                let csrf = try await browser.signIn()
                try await phone.until(server) { try await browser.page().contains("Your agent offers") }
                #expect(try await browser.page().contains("Meridian Savings · All accounts · CSV, PDF"))
                #expect(try await browser.post("/offers/\(offer.id)/dismiss", form: ["csrf": csrf]).status == 303)
                #expect(try await !browser.page().contains("Your agent offers"))
                #expect(await phone.broker.actions() == ["dismiss"])
                let gone = try await browser.post("/offers/\(offer.id)/open", form: ["csrf": csrf])
                #expect(gone.status == 409, "\(gone.status)")
                #expect(try await browser.post("/offers/nothing/open", form: ["csrf": csrf]).status == 404)
            }
        }
    }
}
