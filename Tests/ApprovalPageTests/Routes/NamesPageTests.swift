import BankScript
import Clocks
import Encodings
import Foundation
import KeyVault
import Messages
import PhoneStore
import TestParties
import Testing

@testable import ApprovalPage
@testable import Phone

/// Names that a script's author, another phone's owner or this phone's owner chose, in every form that a name can have.
@Suite("Names on the approval page", .timeLimit(.minutes(3)))
struct NamesPageTests {
    private static let hebrew = "\u{5D1}\u{5E0}\u{5E7}"
    private static let arabic = "\u{628}\u{646}\u{643}"
    private static let long = String(repeating: "x", count: 200)

    struct Name: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let text: String
        /// The name in the page's source.
        let shown: String

        init(_ description: String, _ text: String, shown: String? = nil) {
            (testDescription, self.text, self.shown) = (description, text, shown ?? text)
        }
    }

    static let names: [Name] = [
        Name("emoji", "👩‍💻 Bank 🏦"), Name("200 letters", long),
        Name("from right to left", "\(hebrew) 7", shown: "<bdi>\(hebrew)</bdi> 7"),
        Name("slashes and markup", "../../a\\b/<b>\"c\"", shown: "../../a\\b/&lt;b&gt;&quot;c&quot;"),
        Name("direction marks", "\u{202E}knab\u{2066} 1", shown: "\\u202eknab\\u2066 1"),
    ]

    @Test("of banks are whole, are text, and leave the words around them in their places", arguments: names)
    func banks(name: Name) async throws {
        let script = BankScript("default", named: name.text, at: "https://bank.example") {
            Open("/login")
            Download("PDF")
        }
        try await TestPhone.with { phone in
            let id = RequestID()
            await phone.broker.offer([try phone.envelope(id: id)])
            try await phone.serving(services: phone.services(script)) { browser, server in
                let csrf = try await browser.signIn()
                try await phone.until(server) { try await browser.page().contains(id.short) }
                let card = try await browser.page()
                #expect(card.contains("Account statement · \(name.shown)</p>"), "\(card)")
                #expect(try await browser.page("/banks").contains(">\(name.shown)</h2>"))
                #expect(try await browser.post("/requests/\(id)/deny", form: ["csrf": csrf]).status == 303)
                #expect(try await browser.page("/history").contains("<p class=\"small\">\(name.shown) · "))
                let period = try #require(MonthYear(month: 1, year: 2026))
                try await server.state.store.remember(
                    ReceivedDocument(
                        requestID: id, name: "one", bankID: "default", place: DocumentPlace(period: period),
                        sha256: String(repeating: "0", count: 64), receivedAt: Date(), isKept: false))
                #expect(try await browser.page("/documents").contains("\(name.shown), 2026</h2>"))
            }
        }
    }

    @Test("of the ways into the vault are whole and are text, and stay as they are in the field that renames them")
    func slots() async throws {
        try await TestPhone.with { phone in
            try await phone.serving { browser, server in
                _ = try await browser.signIn()
                let slot = try #require(try phone.home.vault.slots().first)
                for name in Self.names {
                    try await server.state.store.nameSlot(slot.id, name.text)
                    let page = try await browser.page("/passkeys")
                    #expect(page.contains("<h2>\(name.shown)</h2>"), "\(name.testDescription)")
                    #expect(page.contains("Rename \(name.shown)</button>"), "\(name.testDescription)")
                    #expect(!page.contains("value=\"<bdi>"), "\(name.testDescription)")
                }
            }
        }
    }

    static let deviceNames: [Name] = [
        Name("emoji", "📱 Ada"), Name("200 letters", long, shown: String(repeating: "x", count: 63) + "…"),
        Name("from right to left", "\(hebrew) 2", shown: "<bdi>\(hebrew)</bdi> 2"),
        Name("slashes and markup", "../a\\b/<b>", shown: "../a\\b/&lt;b&gt;"),
        Name("direction marks", "a\u{202E}b\u{2067}c", shown: "a b c"),
    ]

    @Test("of devices are text of a bounded length in one line")
    func devices() async throws {
        try await TestPhone.paired { phone in
            try await phone.serving { browser, _ in
                let csrf = try await browser.signIn()
                for device in Self.deviceNames {
                    await phone.broker.list(devices: [
                        [
                            "device_id": "0c6f3a4e-6f0a-4a39-9f1e-5d6b7c8d9e0f", "device_name": .string(device.text),
                        ]
                    ])
                    let form = ["csrf": csrf, "passphrase": TestPhone.passphrase.revealed()]
                    let answer = try await browser.post("/devices", form: form)
                    let page = String(decoding: answer.body, as: UTF8.self)
                    #expect(page.contains("<p class=\"row-title\">\(device.shown)</p>"), "\(page)")
                    #expect(page.contains("Remove \(device.shown)</summary>"), "\(device.testDescription)")
                }
            }
        }
    }

    @Test("of other phones and of accounts stay in the order in which a sentence names them")
    func lists() async throws {
        try await TestPhone.withCard { phone, browser, server, id, _ in
            await phone.broker.name(otherPhones: [.string(Self.hebrew), .string(Self.arabic)])
            try await phone.until(server) { try await browser.page().contains("This bank is also on") }
            let caution =
                "This bank is also on “<bdi>\(Self.hebrew)</bdi>”, “<bdi>\(Self.arabic)</bdi>”, as the broker says."
            let card = try await browser.page()
            #expect(card.contains(caution), "\(card)")
            let alias = try #require(AccountAlias(Self.hebrew))
            let period = try #require(MonthYear(month: 1, year: 2026))
            try await server.state.store.remember(
                ReceivedDocument(
                    requestID: id, name: "one", bankID: "default",
                    place: DocumentPlace(account: alias, period: period), sha256: String(repeating: "0", count: 64),
                    receivedAt: Date(), isKept: false))
            #expect(try await browser.page("/documents").contains("<bdi>\(Self.hebrew)</bdi> · PDF · came"))
        }
    }
}
