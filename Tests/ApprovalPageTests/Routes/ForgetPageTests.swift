import Encodings
import Foundation
import KeyVault
import Phone
import PhoneStore
import Secrets
import TestParties
import Testing

@testable import ApprovalPage

@Suite("The deletion of this phone on the approval page", .timeLimit(.minutes(3)))
struct ForgetPageTests {
    private static let passphrase = TestPhone.passphrase.revealed()

    private static func form(_ csrf: String, passphrase: String = passphrase, isSure: Bool = true) -> [String: String] {
        var form = ["csrf": csrf, "passphrase": passphrase]
        if isSure { form["credential-sure"] = "on" }
        return form
    }

    private static func json(_ assertion: JSONValue, passphrase: String = passphrase, isSure: Bool = true) -> JSONValue
    {
        ["assertion": assertion, "passphrase": .string(passphrase), "credentials": isSure ? ["sure": "on"] : [:]]
    }

    private static func answer(_ passkey: SoftPasskey, _ browser: PageBrowser, _ csrf: String) async throws
        -> JSONValue
    {
        try passkey.answer(try await browser.post("/forget/begin", [:], csrf: csrf).json)
    }

    /// Serves the page of a phone until its owner has it deleted.
    ///
    /// - Parameter forget: has the phone deleted; a page that goes on afterwards is a failure.
    private static func untilDeleted(
        _ phone: TestPhone, _ forget: @escaping @Sendable (PageBrowser, _ csrf: String) async throws -> Void
    ) async throws -> PhoneDeletion {
        let server = try PageServer(
            home: phone.home, services: phone.services(), configuration: TestPhone.pageConfiguration)
        let (pages, report) = AsyncStream.makeStream(of: OpenedPage.self)
        @Sendable func serve() async throws -> PhoneDeletion? {
            defer { report.finish() }
            return try await server.run(onReady: { report.yield($0) })
        }
        async let deletion = serve()
        var iterator = pages.makeAsyncIterator()
        let page = try #require(await iterator.next())
        let browser = PageBrowser(page.origin)
        try await browser.enter(TestPhone.code(in: page))
        try await forget(browser, try await browser.signIn())
        let deleted = try #require(try await deletion)
        await #expect(throws: (any Error).self, "the server has ended") {
            try await PageBrowser(page.origin).get("/page.js")
        }
        return deleted
    }

    private static func names(in home: PhoneHome) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: home.folder.path)) ?? []).sorted()
    }

    @Test("deletes everything but the files of others, says so on a last page, and ends; another phone can be set up")
    func deleted() async throws {
        try await TestPhone.with { phone in
            let mine = phone.home.folder.appending(path: "notes.txt")
            try Data("mine".utf8).write(to: mine)
            let deletion = try await Self.untilDeleted(phone) { browser, csrf in
                #expect(try await browser.page("/settings").contains("\(browser.base)/forget\">Forget this phone"))
                let page = try await browser.page("/forget")
                #expect(page.contains("name=\"credential-sure\" required") && page.contains("devices remove"))
                let answer = try await browser.post("/forget", form: Self.form(csrf))
                #expect(answer.status == 200)
                let last = String(decoding: answer.body, as: UTF8.self)
                #expect(last.contains("This phone is forgotten") && last.contains("notes.txt"), "\(last)")
                #expect(!last.contains("<a ") && !last.contains(browser.base), "it leads nowhere: \(last)")
            }
            #expect(deletion.left == ["notes.txt"] && deletion.failure == nil)
            #expect(Self.names(in: phone.home) == ["notes.txt"] && !phone.vault.exists)

            try await phone.setup().apply(passphrase: TestPhone.passphrase)
            try await phone.serving { browser, _ in
                _ = try await browser.signIn()
                #expect(try await browser.page("/settings").contains("Forget this phone"))
            }
        }
    }

    @Test("removes a folder in which nothing is left")
    func folder() async throws {
        try await TestPhone.with { phone in
            let deletion = try await Self.untilDeleted(phone) { browser, csrf in
                let answer = try await browser.post("/forget", form: Self.form(csrf))
                #expect(answer.status == 200)
            }
            #expect(deletion.left == [] && deletion.failure == nil)
            #expect(!FileManager.default.fileExists(atPath: phone.home.folder.path))
        }
    }

    @Test("ends although another browser listens for changes")
    func listener() async throws {
        try await TestPhone.with { phone in
            let deletion = try await Self.untilDeleted(phone) { browser, csrf in
                let other = try await phone.anotherBrowser(browser.origin)
                _ = try await other.signIn()
                async let events = other.get("/events")
                #expect(try await browser.post("/forget", form: Self.form(csrf)).status == 200)
                _ = try await events
            }
            #expect(deletion.failure == nil)
        }
    }

    @Test("tells on the last page what could not be deleted, and how to go on")
    func failure() {
        let failure = PhoneError(.homeUnusable, "/home/ada/phone/tokens cannot be deleted; check its owner and mode")
        let (title, values) = PageRoutes.words(on: PhoneDeletion(left: [], failure: failure))
        let page = PageViews.text("forgotten", title: title, session: nil, values)
        #expect(page.contains("tokens cannot be deleted") && page.contains("countersign phone remove"), "\(page)")
        #expect(!page.contains("This phone is forgotten") && !page.contains("<a "), "\(page)")
    }

    @Test(
        "is refused after a mistake",
        arguments: [("a wrong passphrase", true, 403, "passphrase"), (passphrase, false, 409, "Nothing was deleted")])
    func refused(passphrase: String, isSure: Bool, status: Int, words: String) async throws {
        try await TestPhone.with { phone in
            try await phone.serving { browser, _ in
                let csrf = try await browser.signIn()
                let answer = try await browser.post(
                    "/forget", form: Self.form(csrf, passphrase: passphrase, isSure: isSure))
                #expect(answer.status == status)
                let page = String(decoding: answer.body, as: UTF8.self)
                #expect(page.contains(words) && page.contains("name=\"credential-sure\""), "\(page)")
                try await phone.vault.open(passphrase: TestPhone.passphrase).close()
                #expect(try await browser.post("/forget", form: Self.form("another page")).status == 403)
                #expect(try await browser.page().contains("Sign out"), "the page goes on")
            }
        }
    }

    @Test("waits for the end of a run")
    func busy() async throws {
        try await TestPhone.withCard { phone, browser, server, id, csrf in
            phone.engine.tell { $0.hangsAtPress = true }
            let approval = [
                "csrf": csrf, "script": TestPhone.script.digest.hex, "passphrase": Self.passphrase,
            ]
            #expect(try await browser.post("/requests/\(id)/approve", form: approval).status == 303)
            try await phone.until(server) { phone.engine.state.withLock { $0.running } == 1 }
            let answer = try await browser.post("/forget", form: Self.form(csrf))
            #expect(answer.status == 409)
            #expect(String(decoding: answer.body, as: UTF8.self).contains("a statement is being fetched"))
            #expect(phone.vault.exists)
        }
    }

    @Test("needs a passkey where the vault has one, in a vault that needs both, too", arguments: [false, true])
    func passkey(needsBoth: Bool) async throws {
        try await TestPhone.with { phone in
            let deletion = try await Self.untilDeleted(phone) { browser, csrf in
                let passkey = try await VaultPasskey.add(needsBoth: needsBoth, to: phone, browser, csrf)
                let alone = try await browser.post("/forget", form: Self.form(csrf))
                #expect(alone.status == 409 && String(decoding: alone.body, as: UTF8.self).contains("passkey, too"))
                let signIn = try passkey.answer(try await browser.post("/sign-in/passkey/begin", [:], csrf: csrf).json)
                let refused: [(JSONValue, Int)] = [
                    (Self.json([:]), 403),
                    (Self.json(signIn), 403),
                    (Self.json(try await Self.answer(passkey, browser, csrf), passphrase: "a wrong passphrase"), 403),
                    (Self.json(try await Self.answer(passkey, browser, csrf), isSure: false), 409),
                ]
                for (json, status) in refused {
                    #expect(try await browser.post("/forget/passkey", json, csrf: csrf).status == status)
                }
                #expect(phone.vault.exists)

                let answer = try await browser.post(
                    "/forget/passkey", Self.json(try await Self.answer(passkey, browser, csrf)), csrf: csrf)
                #expect(answer.status == 200)
                let last = try #require(answer.json["last"]?.stringValue)
                #expect(last.contains("<main") && last.contains("This phone is forgotten") && !last.contains("<a "))
            }
            #expect(deletion.failure == nil && !phone.vault.exists)
        }
    }
}
