import Automation
import BankScript
import Foundation
import KeyVault
import Messages
import PhoneStore
import TestParties
import Testing

@testable import ApprovalPage
@testable import Phone

@Suite("A script that is withdrawn while its request's card is open", .timeLimit(.minutes(3)))
struct WithdrawnScriptPageTests {
    private static let yaml = """
        bank: default
        name: Northern Bank
        origins: [https://bank.example]
        steps:
          - open: /login
          - download: PDF
        """

    private static func script() throws -> BankScript { try BankScript(yaml: yaml, file: "northern.yaml") }

    private static func folder(of phone: TestPhone) -> URL {
        phone.home.folder.appending(path: "scripts", directoryHint: .isDirectory)
    }

    private static func accepted(by phone: TestPhone) -> AcceptedScripts { AcceptedScripts(home: phone.home.folder) }

    /// Returns the services of a phone that reads its scripts now.
    private static func services(of phone: TestPhone) throws -> PhoneServices {
        var services = phone.services()
        services.scripts = try ScriptRegistry(
            [], folder: ScriptFolder(folder(of: phone)), accepted: accepted(by: phone))
        return services
    }

    private static func approve(_ id: RequestID, in browser: PageBrowser, _ csrf: String) async throws -> (
        status: Int, words: String
    ) {
        let form = [
            "csrf": csrf, "script": try script().digest.hex, "passphrase": TestPhone.passphrase.revealed(),
        ]
        let answer = try await browser.post("/requests/\(id)/approve", form: form)
        return (answer.status, String(decoding: answer.body, as: UTF8.self))
    }

    /// Runs `body` with a phone that has an accepted script, and for which one request waits.
    private static func with(_ body: @escaping @Sendable (TestPhone, RequestID) async throws -> Void) async throws {
        try await TestPhone.with { phone in
            let folder = folder(of: phone)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(yaml.utf8).write(to: folder.appending(path: "northern.yaml"))
            try accepted(by: phone).accept(try script())
            let secrets = try await phone.vault.open(passphrase: TestPhone.passphrase)
            try await VouchedFiles.vouch(for: phone.home, in: secrets)
            secrets.close()
            let id = RequestID()
            await phone.broker.offer([try phone.envelope(id: id)])
            try await body(phone, id)
        }
    }

    @Test(
        "is refused on the card of the running phone, which says what to do, and nothing is sent",
        arguments: [true, false])
    func running(isForgotten: Bool) async throws {
        try await Self.with { phone, id in
            try await phone.serving(services: try Self.services(of: phone)) { browser, server in
                let csrf = try await browser.signIn()
                try await phone.until(server) { try await browser.page().contains(id.short) }
                let secrets = try await phone.vault.open(passphrase: TestPhone.passphrase)
                _ = try Self.accepted(by: phone).revoke(digest: try Self.script().digest.hex)
                if isForgotten { try await VouchedFiles.vouch(for: phone.home, in: secrets) }
                secrets.close()
                let answer = try await Self.approve(id, in: browser, csrf)
                #expect(answer.status == 409)
                #expect(answer.words.contains("is not accepted any more") && answer.words.contains("start it again"))
                #expect(try await server.state.store.request(id)?.status == .pendingApproval)
                #expect(phone.engine.state.withLock { $0.opened } == 0, "the bank was visited")
                #expect(await phone.broker.posts.isEmpty, "no decision was sent")
            }
        }
    }

    @Test(
        "has no card after the next start, and the page says why; once it is back, its card is there and starts a run",
        arguments: [true, false])
    func restarted(isRemoved: Bool) async throws {
        try await Self.with { phone, id in
            let file = Self.folder(of: phone).appending(path: "northern.yaml")
            if isRemoved {
                try FileManager.default.removeItem(at: file)
            } else {
                _ = try Self.accepted(by: phone).revoke(digest: try Self.script().digest.hex)
            }
            try await phone.serving(services: try Self.services(of: phone)) { browser, server in
                let csrf = try await browser.signIn()
                try await phone.until(server) { try await browser.page().contains("A request was refused") }
                let page = try await browser.page()
                let reason = isRemoved ? "has no script for the bank" : "countersign script accept"
                #expect(page.contains(reason) && page.contains("Nothing was fetched for it"), "\(page)")
                #expect(!page.contains("id=\"r-\(id.short)\"") && !page.contains("/approve"), "\(page)")
                let answer = try await Self.approve(id, in: browser, csrf)
                #expect(answer.status == 409 && answer.words.contains("does not wait for a decision any more"))
            }
            #expect(phone.engine.state.withLock { $0.opened } == 0, "the bank was visited")
            #expect(await phone.broker.posts.isEmpty, "no decision was sent")

            try Data(Self.yaml.utf8).write(to: file)
            try Self.accepted(by: phone).accept(try Self.script())
            try await phone.serving(services: try Self.services(of: phone)) { browser, server in
                let csrf = try await browser.signIn()
                try await phone.until(server) { try await browser.page().contains("id=\"r-\(id.short)\"") }
                #expect(try await !browser.page().contains("Nothing was fetched for it"), "it waits now")
                #expect(try await Self.approve(id, in: browser, csrf).status == 303)
                try await phone.until(server) { phone.engine.state.withLock { $0.opened } == 1 }
                try await phone.until(server) {
                    try await server.state.store.request(id)?.status.isTerminal == true
                }
            }
        }
    }

    private static let yamlWithExchange = """
        bank: default
        name: Northern Bank
        origins: [https://bank.example]
        exchange: { authorize: https://bank.example/yes, token: /token, client: $username, secret: $password }
        steps:
          - download: { request: { GET: /doc, headers: { Authorization: Bearer $access_token } } }
        """

    @Test("gets no credentials on the running phone, which offers no form for them, and does not connect its bank")
    func credentials() async throws {
        try await Self.with { phone, _ in
            let file = Self.folder(of: phone).appending(path: "northern.yaml")
            try Data(Self.yamlWithExchange.utf8).write(to: file)
            let script = try BankScript(yaml: Self.yamlWithExchange, file: "northern.yaml")
            try Self.accepted(by: phone).accept(script)
            let secrets = try await phone.vault.open(passphrase: TestPhone.passphrase)
            try await VouchedFiles.vouch(for: phone.home, in: secrets)
            let before = try await secrets.secret(named: "credential/default/password")?.revealed()
            try await phone.serving(services: try Self.services(of: phone)) { browser, server in
                let csrf = try await browser.signIn()
                let path = "/banks/default/credentials"
                let offered = try await browser.page("/banks")
                #expect(offered.contains("action=\"\(browser.base)\(path)\"") && offered.contains("/connect\""))
                _ = try Self.accepted(by: phone).revoke(digest: script.digest.hex)
                let page = try await browser.page("/banks")
                #expect(!page.contains("action=\"\(browser.base)\(path)\"") && !page.contains("/connect\""))
                #expect(page.contains("is not accepted any more"))
                var form = ["csrf": csrf, "passphrase": TestPhone.passphrase.revealed()]
                for name in script.credentials { form["credential-\(name)"] = "a new value" }
                let answer = try await browser.post(path, form: form)
                #expect(answer.status == 409)
                #expect(String(decoding: answer.body, as: UTF8.self).contains("is not accepted any more"))
                #expect(try await secrets.secret(named: "credential/default/password")?.revealed() == before)

                _ = try await browser.post("/banks/default/connect", form: form)
                let end = try await browser.page("/banks/default/connect")
                #expect(end.contains("is not accepted any more") && !end.contains("bank.example"), "\(end)")
                #expect(phone.engine.state.withLock { $0.opened } == 0, "the bank was visited")

                // Accepted again, but by something that does not have the owner's passphrase.
                try await VouchedFiles.vouch(for: phone.home, in: secrets)
                try Self.accepted(by: phone).accept(script)
                let unvouched = try await browser.post(path, form: form)
                #expect(unvouched.status == 409)
                #expect(String(decoding: unvouched.body, as: UTF8.self).contains("since the vault last vouched"))
                #expect(try await secrets.secret(named: "credential/default/password")?.revealed() == before)
            }
            secrets.close()
        }
    }

    @Test("does not hide refusals with another cause, although many requests wait that it had kept from being shown")
    func otherRefusals() async throws {
        try await Self.with { phone, id in
            let ids = [id] + (0..<6).map { _ in RequestID() }
            await phone.broker.offer(try ids.map { try phone.envelope(id: $0) })
            _ = try Self.accepted(by: phone).revoke(digest: try Self.script().digest.hex)
            try await phone.serving(services: try Self.services(of: phone)) { browser, server in
                _ = try await browser.signIn()
                try await phone.until(server) { try await server.state.store.refusals().count == ids.count }
            }
            try Self.accepted(by: phone).accept(try Self.script())
            try await phone.serving(services: try Self.services(of: phone)) { browser, server in
                _ = try await browser.signIn()
                try await phone.until(server) {
                    let page = try await browser.page()
                    return ids.allSatisfy { page.contains("id=\"r-\($0.short)\"") }
                }
                #expect(try await !browser.page().contains("Nothing was fetched for it"), "they wait now")
                // They are older than every refusal for the missing script.
                for (reason, words) in [("unacceptable", "needs the factor retina"), ("badSignature", "was forged")] {
                    _ = try await server.state.store.refuse(
                        SignedEnvelope(json: phone.envelope(nonce: Nonce(), id: id)), reason: reason, message: words,
                        at: phone.clock.now.addingTimeInterval(-60))
                }
                let page = try await browser.page()
                #expect(page.contains("needs the factor retina") && page.contains("was forged"), "\(page)")
            }
        }
    }
}
