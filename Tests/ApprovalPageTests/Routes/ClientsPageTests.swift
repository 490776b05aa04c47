import Clocks
import DeviceTrust
import Encodings
import Foundation
import Messages
import TestParties
import Testing

@testable import ApprovalPage
@testable import Phone

@Suite("Programs elsewhere on the approval page", .timeLimit(.minutes(4)))
struct ClientsPageTests {
    private static let waiting = WaitingClient(
        id: RequestID(), name: "Books <b>\u{202E}of Ada", clientID: "https://books.example/client.json",
        returnsTo: "https://books.example/back?\"><script>", expiresAt: Timestamp(Date().addingTimeInterval(600)))

    private static let allowed = AllowedClient(
        agent: AgentName("taxes")!, name: "Taxes", returnsTo: "http://127.0.0.1/back",
        limits: ClientLimits(banks: nil, kinds: [.pdf], perDay: 1), allowedAt: Timestamp(Date()), usedAt: nil)

    private static func with(
        _ body: @escaping @Sendable (TestPhone, PageBrowser, _ csrf: String) async throws -> Void
    ) async throws {
        try await TestPhone.paired { phone in
            await phone.broker.list(clients: ClientList(waiting: [waiting], allowed: [allowed]).json)
            try await phone.serving { browser, _ in try await body(phone, browser, try await browser.signIn()) }
        }
    }

    private static func form(_ csrf: String, _ more: [String: String] = [:]) -> [String: String] {
        [
            "csrf": csrf, "passphrase": TestPhone.passphrase.revealed(), "number": " abcd-efgh ", "agent": "books",
            "kind-pdf": "on", "per-day": "3",
        ].merging(more) { $1 }
    }

    private static var path: String { "/clients/\(waiting.id)/allow" }

    @Test("are shown with their own words as text, and those that are allowed with their limits")
    func shown() async throws {
        try await Self.with { _, browser, _ in
            #expect(try await browser.page("/settings").contains("\(browser.base)/clients\">Programs elsewhere"))
            let page = try await browser.page("/clients")
            #expect(page.contains("“Books &lt;b&gt; of Ada”") && !page.contains("\u{202E}"))
            #expect(page.contains("<bdi>books.example</bdi>") && !page.contains("<script>"))
            #expect(page.contains("value=\"books-b-of-ada\""), "a name is suggested")
            #expect(page.contains("Take away the rights of “taxes”"))
            #expect(page.contains("every bank · PDF · 1 request a day"))
        }
    }

    @Test("are allowed with the passphrase, a number, a name and limits, signed by the phone")
    func allowed() async throws {
        try await Self.with { phone, browser, csrf in
            let page = try await browser.page("/clients")
            let bank = page.firstMatch(of: /name="bank-([a-z0-9-]+)"/).map { String($0.1) } ?? "none"
            let chosen = bank == "none" ? [:] : ["bank-\(bank)": "on"]
            let answer = try await browser.post(Self.path, form: Self.form(csrf, chosen))
            #expect(answer.status == 303, "\(String(decoding: answer.body, as: UTF8.self))")
            let sent = try #require(await phone.broker.posts.last { $0.path == "/phone" + Self.path })
            let pairing = try #require(try await phone.storedConnection().pairing)
            #expect(sent.body["device_id"]?.stringValue == pairing.deviceID.description)
            #expect(sent.body["signature"]?.stringValue?.isEmpty == false)
            #expect(sent.body["number"] == "abcd-efgh" && sent.body["agent"] == "books")
            #expect(sent.body["verified_by"] == ["passphrase"])
            #expect(sent.body["limits"]?["kinds"] == ["pdf"] && sent.body["limits"]?["per_day"] == 3)
            #expect(sent.body["limits"]?["banks"] == (bank == "none" ? .null : [.string(bank)]))
            let words = "books may ask for documents now"
            let told = try ToldPlace(answer, in: browser)
            #expect(told.path == "/clients?changed=\(told.number)")
            #expect(try await browser.page(told.path).contains(words))
            let others = [
                "/clients?allowed=books", "/clients?changed=\(told.number + 1)", "/clients?changed=books", "/clients",
            ]
            for link in others {
                #expect(try await !browser.page(link).contains("may ask for documents now"), "\(link)")
            }
        }
    }

    @Test(
        "are not allowed by a wrong passphrase, or without a name, a kind or a rate",
        arguments: [
            (["passphrase": "a wrong passphrase"], 403), (["agent": "Not A Name"], 409), (["agent": ""], 409),
            (["kind-pdf": "off"], 409), (["per-day": "0"], 409), (["per-day": "many"], 409), (["csrf": "x"], 403),
        ] as [([String: String], Int)])
    func refused(change: [String: String], status: Int) async throws {
        try await Self.with { phone, browser, csrf in
            let bank = (try await browser.page("/clients")).firstMatch(of: /name="bank-([a-z0-9-]+)"/)
            let banks = bank.map { ["bank-\($0.1)": "on"] } ?? [:]
            let answer = try await browser.post(Self.path, form: Self.form(csrf, banks).merging(change) { $1 })
            #expect(answer.status == status)
            #expect(await !phone.broker.posts.contains { $0.path.hasPrefix("/phone/clients/") })
        }
    }

    @Test("can be limited to a kind of files that is plugged in")
    func pluggedKind() async {
        await #expect(processExitsWith: .success) {
            DocumentKind.plug([DocumentKind("export", mediaType: "application/vnd.export", fileExtension: "exp")])
            try await ClientsPageTests.with { phone, browser, csrf in
                let page = try await browser.page("/clients")
                #expect(page.contains("name=\"kind-export\""))
                let bank = page.firstMatch(of: /name="bank-([a-z0-9-]+)"/)
                let banks = bank.map { ["bank-\($0.1)": "on"] } ?? [:]
                let kinds = ["kind-pdf": "off", "kind-export": "on"]
                let form = ClientsPageTests.form(csrf, banks.merging(kinds) { $1 })
                #expect(try await browser.post(ClientsPageTests.path, form: form).status == 303)
                let sent = try #require(await phone.broker.posts.last { $0.path == "/phone" + ClientsPageTests.path })
                #expect(sent.body["limits"]?["kinds"] == ["export"])
            }
        }
    }

    @Test("stay in the list when they are limited to a kind whose plug-in this phone lacks")
    func goneKind() async throws {
        try await Self.with { phone, browser, _ in
            var list = try #require(ClientList(waiting: [], allowed: [Self.allowed]).json.objectValue)
            var client = try #require(list["allowed"]?.arrayValue?.first?.objectValue)
            client["limits"] = ["banks": .null, "kinds": ["gone", "pdf"], "per_day": 1]
            list["allowed"] = [.object(client)]
            await phone.broker.list(clients: .object(list))
            let page = try await browser.page("/clients")
            #expect(page.contains("Take away the rights of “taxes”"))
            #expect(page.contains("every bank · GONE, PDF · 1 request a day"))
        }
    }

    @Test("are denied, and lose their rights, without the vault")
    func ended() async throws {
        try await Self.with { phone, browser, csrf in
            let denied = try await browser.post("/clients/\(Self.waiting.id)/deny", form: ["csrf": csrf])
            let removed = try await browser.post("/clients/taxes/remove", form: ["csrf": csrf])
            let forged = try await browser.post("/clients/taxes/remove", form: [:])
            #expect(denied.status == 303 && removed.status == 303 && forged.status == 403, "a form needs its token")
            let told = try ToldPlace(removed, in: browser)
            #expect(told.path == "/clients?changed=\(told.number)")
            let words = "The program “taxes” may ask for nothing any more."
            #expect(try await !browser.page(told.path).contains(words), "it is still listed")
            await phone.broker.list(clients: ClientList(waiting: [], allowed: []).json)
            #expect(try await browser.page(told.path).contains(words))
            #expect(try await !browser.page("/clients?removed=others").contains("may ask for nothing any more"))
            let paths = await phone.broker.posts.map(\.path).filter { $0.hasPrefix("/phone/clients/") }
            #expect(paths == ["/phone/clients/\(Self.waiting.id)/deny", "/phone/clients/taxes/remove"])
        }
    }

    @Test(
        "get a name that is free",
        arguments: [
            ("Claude Desktop", "claude-desktop"), ("taxes", "taxes-2"), ("ВANK", "ank"), ("", "assistant"),
            ("…", "assistant"), (String(repeating: "x", count: 64), String(repeating: "x", count: 32)),
        ])
    func suggestions(name: String, expected: String) {
        #expect(ClientsView.suggestion(name, among: [Self.allowed]) == expected)
    }
}
