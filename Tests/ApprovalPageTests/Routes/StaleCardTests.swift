import Foundation
import KeyVault
import Messages
import PhoneStore
import TestParties
import Testing

@testable import ApprovalPage
@testable import Phone

/// Cards that are not what they were when the browser drew them: a second tab, the way back, a second click, a late answer.
@Suite("A card that is out of date", .timeLimit(.minutes(3))) struct StaleCardTests {
    private static func approval(_ csrf: String) -> [String: String] {
        ["csrf": csrf, "script": TestPhone.script.digest.hex, "passphrase": TestPhone.passphrase.revealed()]
    }

    @Test("approved in two tabs and with a double click, it starts one run")
    func twice() async throws {
        try await TestPhone.withCard { phone, browser, server, id, csrf in
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        try await browser.post("/requests/\(id)/approve", form: Self.approval(csrf)).status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.contains(303) && statuses.allSatisfy { [303, 409, 429].contains($0) }, "\(statuses)")
            try await phone.until(server) { try await server.state.store.request(id)?.status == .completed }
            #expect(phone.engine.state.withLock { $0.opened } == 1, "the bank is visited once")
        }
    }

    @Test("denied in another tab, it cannot be approved or denied again, and the answer says so")
    func otherTab() async throws {
        try await TestPhone.withCard { phone, browser, server, id, csrf in
            #expect(try await browser.post("/requests/\(id)/deny", form: ["csrf": csrf]).status == 303)
            for (decision, form, reason) in [
                ("approve", Self.approval(csrf), "does not wait for a decision any more"),
                ("deny", ["csrf": csrf], "is already decided, or its time is over (DENIED)"),
            ] {
                let late = try await browser.post("/requests/\(id)/\(decision)", form: form)
                #expect(late.status == 409, "\(decision)")
                let words = String(decoding: late.body, as: UTF8.self)
                #expect(words.contains(reason), "\(words)")
            }
            #expect(try await server.state.store.request(id)?.status == .denied)
            #expect(phone.engine.state.withLock { $0.opened } == 0)
        }
    }

    @Test("approved after its time, it asks the bank nothing, and the answer says so")
    func expired() async throws {
        try await TestPhone.withCard { phone, browser, server, id, csrf in
            phone.clock.advance(by: 301)
            let late = try await browser.post("/requests/\(id)/approve", form: Self.approval(csrf))
            #expect(late.status == 409)
            try await phone.until(server) { try await server.state.store.request(id)?.status == .expired }
            #expect(phone.engine.state.withLock { $0.opened } == 0)
            #expect(await phone.broker.posts.isEmpty)
        }
    }

    @Test("approved after its bank's credentials were removed, it fails with what to do, and nothing is sent")
    func removedBank() async throws {
        try await TestPhone.withCard { phone, browser, server, id, csrf in
            let secrets = try await phone.home.open(phone.verification, reason: "a test")
            try await CredentialVault(secrets, store: await server.state.store).removeAll(forBank: "default")
            secrets.close()
            #expect(try await browser.post("/requests/\(id)/approve", form: Self.approval(csrf)).status == 303)
            try await phone.until(server) { try await server.state.store.request(id)?.status == .failed }
            let failed = try #require(try await server.state.store.request(id))
            #expect(failed.failureReason == .credentialMissing, "\(failed)")
            let page = try await browser.page()
            #expect(page.contains("countersign phone banks change default"), "\(page)")
            #expect(phone.engine.state.withLock { $0.typed }.isEmpty, "nothing was sent")
        }
    }
}
