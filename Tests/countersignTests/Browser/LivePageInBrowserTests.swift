import Encodings
import Foundation
import Messages
import TestParties
import Testing

/// The page while things change around it.
@Suite("The live page in Chromium", .serialized)
struct LivePageInBrowserTests {
    @Test(
        "an update keeps the focus, what is typed, what is open and the scroll; another browser's denial is seen",
        .needsChromedriver, .timeLimit(.minutes(4)))
    func update() async throws {
        let (first, second) = (RequestID(), RequestID())
        try await PageStage.with { phone in
            await phone.broker.offer([try phone.envelope(id: first)])
        } _: { stage in
            let driver = stage.driver
            try await driver.wait(for: "January 2026")
            try await driver.click("#d-\(first.short) summary")
            try await driver.type("half a passph", into: "#p-\(first.short)")
            let scroll = "return String(scrollY)"
            let before = try await driver.evaluate(scroll)
            try await stage.phone.broker.offer([
                stage.phone.envelope(id: first), stage.phone.envelope(month: 3, id: second, expires: 280),
            ])
            try await driver.wait(for: "March 2026")
            let state = try await driver.evaluate(
                "const e = document.activeElement; return [e.id, e.value, document.getElementById('d-\(first.short)').open]"
            )
            #expect(state.compactText() == #"["p-\#(first.short)","half a passph",true]"#)
            #expect(try await driver.evaluate("return document.title").stringValue?.hasPrefix("(2) Inbox") == true)
            // The card of March came in above; the focused one stays in view.
            let isSeen = try await driver.evaluate(
                "const r = document.activeElement.getBoundingClientRect(); return r.top >= 0 && r.bottom <= innerHeight"
            )
            let after = try await driver.evaluate(scroll)
            #expect(isSeen == true, "scrolled from \(before) to \(after)")

            let other = try await stage.phone.anotherBrowser(stage.origin)
            let csrf = try await other.signIn()
            #expect(try await other.post("/requests/\(second)/deny", form: ["csrf": csrf]).status == 303)
            try await stage.wait(
                until: "!document.querySelector('#r-\(second.short).request')", "the denied card is gone")
            #expect(try await driver.evaluate("return document.activeElement.value") == "half a passph")
        }
    }

    @Test(
        "a lost connection says so, and what happened meanwhile is there when it comes back", .needsChromedriver,
        .timeLimit(.minutes(4)))
    func lost() async throws {
        try await PageStage.with { stage in
            let driver = stage.driver
            try await driver.wait(for: "No request waits for you")
            try await Self.network(driver, isOffline: true)
            try await driver.wait(for: "The connection is lost. Trying again…")
            try await stage.phone.broker.offer([stage.phone.envelope(month: 4)])
            try await Self.network(driver, isOffline: false)
            try await driver.wait(for: "April 2026")
            try await stage.wait(until: "document.getElementById('connection').hidden", "the bar is gone")
        }
    }

    @Test("a fault of the script is told, and not as a lost connection", .needsChromedriver, .timeLimit(.minutes(4)))
    func fault() async throws {
        try await PageStage.with { stage in
            let driver = stage.driver
            try await driver.wait(for: "No request waits for you")
            _ = try await driver.evaluate("morphChildren = () => null.none; renew(true)")
            try await driver.wait(for: "This page could not be renewed. Load it again.")
        }
    }

    private static func network(_ driver: WebDriver, isOffline: Bool) async throws {
        _ = try await driver.tell("Network.enable")
        _ = try await driver.tell(
            "Network.emulateNetworkConditions",
            [
                "offline": .bool(isOffline), "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1,
            ])
    }

    @Test(
        "an ended sign-in leads to the lock by itself, and unlocking leads back", .needsChromedriver,
        .timeLimit(.minutes(4)))
    func ended() async throws {
        try await PageStage.with { stage in
            let driver = stage.driver
            try await driver.wait(for: "No request waits for you")
            // As another tab of the same browser does it.
            _ = try await driver.evaluate(
                "fetch('\(stage.page)/sign-out', {method: 'POST', body: new URLSearchParams({csrf: document.body.dataset.csrf})})"
            )
            try await stage.phone.broker.offer([stage.phone.envelope(month: 5)])
            try await driver.wait(for: "Unlock with passphrase")
            try await stage.open("/documents")
            try await driver.wait(for: "Unlock with passphrase")
            try await stage.unlock()
            #expect(try await driver.evaluate("return location.pathname").stringValue?.hasSuffix("/documents") == true)
        }
    }

    @Test(
        "a wrong passphrase is told on the card, and the keyboard alone approves", .needsChromedriver,
        .timeLimit(.minutes(4)))
    func keyboard() async throws {
        let id = RequestID()
        try await PageStage.with { phone in
            await phone.broker.offer([try phone.envelope(id: id)])
        } _: { stage in
            let driver = stage.driver
            try await driver.wait(for: "January 2026")
            try await driver.type("wrong\u{E007}", into: "#p-\(id.short)")
            try await driver.wait(for: "passphrase is wrong")
            #expect(try await driver.evaluate("return location.pathname").stringValue?.hasSuffix("/") == true)
            // Tab from the start of the page to the field, type, and press Enter.
            _ = try await driver.evaluate(
                "document.activeElement.blur(); document.getElementById('p-\(id.short)').value = ''")
            var presses = 0
            while try await driver.evaluate("return document.activeElement.id").stringValue != "p-\(id.short)" {
                presses += 1
                try #require(presses < 40, "the field is not reached by Tab")
                try await driver.press("\u{E004}")
            }
            try await driver.press(TestPhone.passphrase.revealed() + "\u{E007}")
            try await driver.wait(for: "Completed")
            try await driver.wait(for: "No request waits for you")
        }
    }
}
