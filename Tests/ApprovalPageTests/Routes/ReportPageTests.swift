import Automation
import Foundation
import Messages
import TestParties
import Testing

@testable import ApprovalPage

@Suite("The report of a failed run, on the approval page", .timeLimit(.minutes(3)))
struct ReportPageTests {
    @Test("it is shown before it is saved, with secrets masked, to its owner only")
    func shown() async throws {
        try await TestPhone.with { phone in
            let (id, other) = (RequestID(), RequestID())
            await phone.broker.offer([try phone.envelope(id: id)])
            phone.engine.tell {
                $0.pressError = EngineError(
                    .notFound, "no button “Sign in”; the page says “ada.lovelace, analytical engine is wrong”")
            }
            try await phone.serving { browser, server in
                let csrf = try await browser.signIn()
                try await phone.until(server) { try await browser.page().contains(id.short) }
                let path = "/requests/\(id)/report"
                #expect(try await browser.get(path).status == 404, "nothing has failed yet")
                let form = [
                    "csrf": csrf, "script": TestPhone.script.digest.hex, "passphrase": TestPhone.passphrase.revealed(),
                ]
                #expect(try await browser.post("/requests/\(id)/approve", form: form).status == 303)
                try await phone.until(server) { try await server.state.store.request(id)?.status == .failed }
                #expect(try await browser.page().contains("\(browser.base)\(path)\""))
                let page = try await browser.page(path)
                #expect(page.contains("January 2026 at Meridian Savings") && page.contains("no button “Sign in”"))
                let file = try await browser.get(path + ".txt")
                let text = String(decoding: file.body, as: UTF8.self)
                #expect(file.header("Content-Type") == "text/plain; charset=utf-8" && text.contains("Sign in"))
                #expect(file.header("Content-Disposition") == "attachment; filename=\"report-\(id.short).txt\"")
                for secret in ["ada.lovelace", "analytical engine"] {
                    #expect(!page.contains(secret) && !text.contains(secret), "\(secret)")
                }
                #expect(try await browser.get("/requests/\(other)/report").status == 404)
                try await server.state.choose(language: "de")
                #expect(try await browser.page("/history").contains("Auf Englisch: <span lang=\"en\">"), "it is marked")
                _ = try await browser.post("/sign-out", form: ["csrf": csrf])
                #expect(try await browser.get(path).status == 303, "it is behind the lock")
                #expect(try await browser.get(path + ".txt").status == 303)
            }
        }
    }
}
