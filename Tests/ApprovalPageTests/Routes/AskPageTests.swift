import Automation
import Clocks
import Foundation
import Messages
import TestParties
import Testing

@testable import ApprovalPage
@testable import Phone

@Suite("The owner asks on the approval page", .timeLimit(.minutes(3)))
struct AskPageTests {
    @Test("with a form for the bank, whose request stands in the inbox and says so")
    func asked() async throws {
        try await TestPhone.with { phone in
            await phone.broker.answerOwner(with: try phone.envelope(client: .owner))
            try await phone.serving { browser, _ in
                let csrf = try await browser.signIn()
                #expect(try await browser.page().contains("href=\"\(browser.base)/ask\">Get a statement"))
                let form = try await browser.page("/ask")
                for words in [
                    "<h1>Get a statement</h1>", "<h2>Meridian Savings</h2>", "<label for=\"from\">Month</label>",
                    "<option value=\"2026-12\" selected>December 2026</option>",
                ] { #expect(form.contains(words), "\(words)") }
                #expect(!form.contains("name=\"to\""), "the bank gives one statement in a visit")

                let wish = ["bank": "default", "from": "2026-01"]
                #expect(try await browser.post("/ask", form: wish).status == 403, "without a token")
                #expect(await phone.broker.posts.isEmpty)
                #expect(try await browser.post("/ask", form: wish.merging(["csrf": csrf]) { $1 }).status == 303)
                let inbox = try await browser.page()
                #expect(inbox.contains("<p class=\"asker\">You ask ·") && inbox.contains("January 2026"))
                #expect(await phone.broker.actions() == ["requests"], "nothing was approved")
            }
        }
    }

    @Test(
        "and a form that cannot be taken is shown again with the reason",
        arguments: [
            (["from": "soon"], "Choose a month."), (["from": "2026-02", "to": "2026-01"], "before the first"),
            (["from": "2026-01", "to": "2026-03"], "one statement in a visit"),
            (["from": "2026-01"], "the month is strange"),
        ])
    func refused(fields: [String: String], words: String) async throws {
        try await TestPhone.with { phone in
            await phone.broker.refuseOwner(with: .badRequest, "the month is strange")
            try await phone.serving { browser, _ in
                let csrf = try await browser.signIn()
                let answer = try await browser.post(
                    "/ask", form: fields.merging(["csrf": csrf, "bank": "default"]) { $1 })
                let page = String(decoding: answer.body, as: UTF8.self)
                #expect([400, 409].contains(answer.status) && page.contains(words), "\(answer.status)")
                #expect(page.contains("<h2>Meridian Savings</h2>"), "the form is there again")
                let other = try await browser.post("/ask", form: ["csrf": csrf, "bank": "other", "from": "2026-01"])
                #expect(other.status == 400)
            }
        }
    }

    @Test("what is there already is not asked for")
    func isThere() async throws {
        try await TestPhone.with { phone in
            await phone.broker.answerOwner(with: try phone.envelope(client: .owner), isThere: true)
            try await phone.serving { browser, _ in
                let csrf = try await browser.signIn()
                let answer = try await browser.post(
                    "/ask", form: ["csrf": csrf, "bank": "default", "from": "2026-01"])
                #expect(answer.status == 200)
                #expect(String(decoding: answer.body, as: UTF8.self).contains("It is there already"))
            }
        }
    }

    @Test("again for a request that was not decided in time, with one press")
    func again() async throws {
        try await TestPhone.with { phone in
            await phone.broker.offer([try phone.envelope(expires: 60)])
            try await phone.serving { browser, server in
                let csrf = try await browser.signIn()
                try await phone.until(server) { try await browser.page().contains("class=\"card request\"") }
                let page = try await browser.page()
                let id = try #require(page.firstMatch(of: /action="[^"]*\/requests\/([0-9a-f-]{36})\/deny"/)?.1)
                #expect(!page.contains("Try again"))
                phone.clock.advance(by: 120)
                await phone.broker.offer([])
                try await phone.until(server) { try await browser.page().contains("Try again</button>") }
                await phone.broker.answerOwner(with: try phone.envelope())
                #expect(try await browser.post("/requests/\(id)/again", form: [:]).status == 403)
                #expect(try await browser.post("/requests/\(id)/again", form: ["csrf": csrf]).status == 303)
                #expect(try await browser.page().contains("You ask, after an agent without a name ·"))
            }
        }
    }

    @Test("again from the list of all requests, for what failed and for nothing else")
    func againFromHistory() async throws {
        try await TestPhone.with { phone in
            let (failed, completed, denied) = (RequestID(), RequestID(), RequestID())
            await phone.broker.offer([
                try phone.envelope(id: failed), try phone.envelope(month: 2, id: completed),
                try phone.envelope(month: 3, id: denied),
            ])
            try await phone.serving { browser, server in
                let csrf = try await browser.signIn()
                let store = await server.state.store
                for id in [failed, completed, denied] {
                    try await phone.until(server) { try await browser.page().contains(id.short) }
                }
                let link = "<a href=\"\(browser.base)/#r-\(denied.short)\">"
                #expect(try await browser.page("/history").contains(link), "what waits leads to its card")
                #expect(try await browser.post("/requests/\(denied)/deny", form: ["csrf": csrf]).status == 303)
                #expect(try await !browser.page("/history").contains(link))
                let form = [
                    "csrf": csrf, "script": TestPhone.script.digest.hex, "passphrase": TestPhone.passphrase.revealed(),
                ]
                #expect(try await browser.post("/requests/\(completed)/approve", form: form).status == 303)
                try await phone.until(server) { try await store.request(completed)?.status == .completed }
                phone.engine.tell { $0.pressError = EngineError(.notFound, "no button “Sign in”") }
                #expect(try await browser.post("/requests/\(failed)/approve", form: form).status == 303)
                try await phone.until(server) { try await store.request(failed)?.status == .failed }

                let path = "/requests/\(failed)/again"
                let rows = try await browser.page("/history").split(separator: "<li id=")
                let row = try #require(rows.first { $0.hasPrefix("\"r-\(failed.short)\"") })
                #expect(row.contains("<form method=\"post\" action=\"\(browser.base)\(path)\">"), "\(row)")
                #expect(row.contains("name=\"csrf\" value=\"\(csrf)\"") && row.contains("Try again</button>"))
                #expect(rows.count { $0.contains("/again\"") } == 1 && rows.count == 4, "the head, and three requests")

                await phone.broker.answerOwner(with: try phone.envelope())
                let answer = try await browser.post(path, form: ["csrf": csrf])
                #expect(answer.status == 303 && answer.header("Location")?.hasPrefix(browser.base + "/#r-") == true)
            }
        }
    }
}
