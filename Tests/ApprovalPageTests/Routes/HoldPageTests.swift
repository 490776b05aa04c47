import BankScript
import Foundation
import Messages
import PhoneStore
import Secrets
import TestParties
import Testing

@testable import ApprovalPage
@testable import Phone

@Suite("A bank on hold, on the approval page", .timeLimit(.minutes(3))) struct HoldPageTests {
    @Test("the card says so, and an approval needs a checkbox of its own")
    func checkbox() async throws {
        try await TestPhone.with { phone in
            let id = RequestID()
            await phone.broker.offer([try phone.envelope(id: id)])
            try await phone.serving { browser, server in
                let csrf = try await browser.signIn()
                let store = await server.state.store
                let version = try await store.credentialsVersion(forBank: "default")
                try await store.record(
                    .refused(.accountLocked), ofBank: "default", credentials: version, request: id, at: Date())
                try await phone.until(server) { try await browser.page().contains(id.short) }
                let page = try await browser.page()
                #expect(page.contains("On hold: Meridian Savings said on"))
                #expect(page.contains("Sign in once more with the same credentials"))
                #expect(page.contains("https://bank.example: the username, the password"))
                let hold = try #require(page.firstMatch(of: /name="try-again" value="([0-9a-f-]+)"/)).1

                var form = [
                    "csrf": csrf, "script": TestPhone.script.digest.hex, "passphrase": TestPhone.passphrase.revealed(),
                ]
                #expect(try await browser.post("/requests/\(id)/approve", form: form).status == 409)
                form["try-again"] = "yes"
                #expect(try await browser.post("/requests/\(id)/approve", form: form).status == 409)
                #expect(phone.engine.state.withLock { $0.opened } == 0)
                form["try-again"] = String(hold)
                #expect(try await browser.post("/requests/\(id)/approve", form: form).status == 303)
                try await phone.until(server) { try await store.request(id)?.status == .completed }
                #expect(try await store.hold(onBank: "default") == nil)
            }
        }
    }

    @Test(
        "a failure that only the bank can end links to the bank's own origin, in a tab that learns nothing of the page")
    func bankSite() async throws {
        try await TestPhone.with { phone in
            let ids = [RequestID(), RequestID()]
            await phone.broker.offer([try phone.envelope(id: ids[0]), try phone.envelope(month: 2, id: ids[1])])
            let store = try await phone.knowing()
            for (id, reason) in zip(ids, [FailureReason.termsToAccept, .wrongCredentials]) {
                #expect(try await store.move(id, from: .pendingApproval, to: .approved, at: phone.clock.now))
                let change = PhoneDatabase.Change(
                    errorCode: .bankLoginFailed, errorMessage: "the sign-in ended", reason: reason)
                #expect(try await store.move(id, from: .approved, to: .failed, at: phone.clock.now, change))
            }
            try await phone.serving { browser, _ in
                _ = try await browser.signIn()
                let cards = try await browser.page().split(separator: "<article")
                let card = try #require(cards.first { $0.contains("r-\(ids[0].short)") })
                #expect(card.contains("new terms") && card.contains(">Open Meridian Savings</a>"), "\(card)")
                let link = try #require(card.firstMatch(of: /<a class="button" href="https:[^>]*>/)).0
                let plain = link.replacing("&#x2F;", with: "/").replacing("&#47;", with: "/")
                #expect(
                    plain.contains(#"href="https://bank.example" target="_blank" rel="noopener noreferrer""#), "\(link)"
                )
                let other = try #require(cards.first { $0.contains("r-\(ids[1].short)") })
                #expect(other.contains("Change the credentials") && !other.contains("_blank"), "\(other)")
            }
        }
    }

    @Test("a hold after refused codes does not ask for other credentials, and the failed card tells of it")
    func codes() async throws {
        try await TestPhone.with { phone in
            let (id, failed) = (RequestID(), RequestID())
            await phone.broker.offer([try phone.envelope(id: id), try phone.envelope(id: failed)])
            let store = try await phone.knowing()
            try await store.interrupt(failed, now: phone.clock.now)
            let version = try await store.credentialsVersion(forBank: "default")
            try await store.record(
                .wrongCode(count: 2), ofBank: "default", credentials: version, request: failed, at: phone.clock.now)
            let change = PhoneDatabase.Change(errorCode: .bankLoginFailed, reason: .wrongCode)
            #expect(try await store.move(failed, from: .executing, to: .failed, at: phone.clock.now, change))
            try await phone.serving { browser, server in
                _ = try await browser.signIn()
                try await phone.until(server) { try await browser.page().contains(id.short) }
                let page = try await browser.page()
                let words = "so that wrong codes are not counted any more, then try once more."
                #expect(page.components(separatedBy: words).count == 3, "the card that waits and the one that failed")
                #expect(!page.contains("Change the credentials under"))
                let banks = try await browser.page("/banks")
                #expect(banks.contains(words) && !banks.contains("Changed credentials end the hold"))
            }
        }
    }
}
