import Foundation
import Messages
import PhoneStore
import TestParties
import Testing

@testable import ApprovalPage

/// A card that was decided, and comes into sight again: by the way back, by a page that the browser has kept, by a second click.
@Suite("A decided card in Chromium", .serialized)
struct DecidedCardInBrowserTests {
    enum Decision: String, Sendable, CaseIterable {
        case approved
        case denied
        /// Denied in another browser, while this one shows another page.
        case deniedElsewhere

        var status: RequestStatus { self == .approved ? .completed : .denied }
        var words: String { self == .approved ? "Completed" : "Denied" }
    }

    /// A script's expression for the number of things on the page with which a request can be decided.
    private static let ways =
        "document.querySelectorAll('.request, [data-passkey=approve], form[action$=approve]').length"

    private static func deny(_ id: RequestID, elsewhere stage: PageStage) async throws {
        let other = try await stage.phone.anotherBrowser(stage.origin)
        let csrf = try await other.signIn()
        #expect(try await other.post("/requests/\(id)/deny", form: ["csrf": csrf]).status == 303)
        await other.session.close()
    }

    @Test(
        "on the way back, nothing is left with which it can be decided, and the page says how it ended",
        .needsChromedriver, .timeLimit(.minutes(4)), arguments: Decision.allCases)
    func back(decision: Decision) async throws {
        let id = RequestID()
        try await PageStage.with { phone in
            await phone.broker.offer([try phone.envelope(id: id)])
        } _: { stage in
            let driver = stage.driver
            try await driver.wait(for: "January 2026")
            switch decision {
            case .approved:
                try await driver.type(TestPhone.passphrase.revealed() + "\u{E007}", into: "#p-\(id.short)")
                try await driver.wait(for: "Completed")
            case .denied:
                // Leaving the page ends the five seconds in which the denial can be undone.
                try await driver.click("button.deny")
                try await driver.wait(for: "Will be denied in")
            case .deniedElsewhere: break
            }
            try await driver.click("nav a[href$='/documents']")
            try await stage.wait(until: "location.pathname.endsWith('/documents')", "another page is shown")
            if decision == .deniedElsewhere { try await Self.deny(id, elsewhere: stage) }
            let status = decision.status
            try await stage.phone.until(stage.server) {
                try await stage.server.state.store.request(id)?.status == status
            }
            _ = try await driver.evaluate("history.back()")
            try await stage.wait(until: "location.pathname.endsWith('/')", "the inbox is shown")
            try await stage.wait(until: "\(Self.ways) === 0", "the card is gone")
            try await driver.wait(for: decision.words)
            #expect(stage.phone.engine.state.withLock { $0.opened } == (decision == .approved ? 1 : 0))
        }
    }

    @Test(
        "a page that the browser has kept is fetched anew when it is shown again", .needsChromedriver,
        .timeLimit(.minutes(4)))
    func kept() async throws {
        let id = RequestID()
        try await PageStage.with { phone in
            await phone.broker.offer([try phone.envelope(id: id)])
        } _: { stage in
            let driver = stage.driver
            try await driver.wait(for: "January 2026")
            // While another page is shown, a kept one hears nothing.
            _ = try await driver.evaluate("events.close()")
            try await Self.deny(id, elsewhere: stage)
            #expect(try await driver.evaluate("return \(Self.ways) > 0") == true, "it is not told of the denial")
            _ = try await driver.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
            try await stage.wait(until: "\(Self.ways) === 0", "the card is gone")
            try await driver.wait(for: "Denied")
        }
    }

    @Test(
        "two clicks on Approve send it once", .needsChromedriver, .timeLimit(.minutes(4)),
        arguments: [(false, 1), (true, 2)])
    func twoClicks(byPasskey: Bool, messages: Int) async throws {
        let id = RequestID()
        try await PageStage.with { phone in
            await phone.broker.offer([try phone.envelope(id: id)])
        } _: { stage in
            let driver = stage.driver
            if byPasskey { try await stage.addPasskey() }
            try await stage.open("/")
            try await driver.wait(for: "January 2026")
            if !byPasskey { try await driver.type(TestPhone.passphrase.revealed(), into: "#p-\(id.short)") }
            // A passkey takes two messages: one for the challenge, and one with the answer.
            let button = byPasskey ? "[data-passkey=approve]" : "#a-\(id.short) button"
            _ = try await driver.evaluate(
                """
                const send = window.fetch;
                window.approvals = 0;
                window.fetch = (address, options) => {
                  if (String(address).includes("/approve")) window.approvals += 1;
                  return send(address, options);
                };
                const button = document.querySelector("\(button)");
                button.click();
                button.click();
                """)
            try await driver.wait(for: "Completed")
            let sent = try await driver.evaluate("return String(window.approvals)").stringValue
            #expect(sent == String(messages))
            #expect(stage.phone.engine.state.withLock { $0.opened } == 1)
        }
    }
}
