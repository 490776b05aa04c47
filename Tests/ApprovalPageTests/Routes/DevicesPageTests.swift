import DeviceTrust
import Encodings
import Foundation
import TestParties
import Testing

@testable import ApprovalPage
@testable import Phone

@Suite("The devices on the approval page", .timeLimit(.minutes(3)))
struct DevicesPageTests {
    private static let other = "0c6f3a4e-6f0a-4a39-9f1e-5d6b7c8d9e0f"

    /// Runs a paired phone with another device at its broker, and a browser that is signed in.
    private static func with(
        _ body: @escaping @Sendable (TestPhone, PageBrowser, _ csrf: String) async throws -> Void
    ) async throws {
        try await TestPhone.paired { phone in
            let own = try #require(try await phone.storedConnection().pairing?.deviceID.description)
            await phone.broker.list(devices: [
                ["device_id": .string(own), "device_name": "Ada’s phone"],
                [
                    "device_id": .string(other), "device_name": "Old <b>tablet</b>",
                    "last_seen_at": "2026-05-01T10:00:00.000Z",
                ],
            ])
            try await phone.serving { browser, _ in try await body(phone, browser, try await browser.signIn()) }
        }
    }

    @Test("are listed after the passphrase; a wrong one shows the form again")
    func listed() async throws {
        try await Self.with { phone, browser, csrf in
            #expect(try await browser.page("/settings").contains("\(browser.base)/devices\">Devices"))
            let form = try await browser.page("/devices")
            #expect(form.contains("Show the devices") && !form.contains("tablet"))
            let wrong = try await browser.post("/devices", form: ["csrf": csrf, "passphrase": "a wrong passphrase"])
            #expect(wrong.status == 403)
            #expect(String(decoding: wrong.body, as: UTF8.self).contains("Show the devices"))
            let shown = try await browser.post(
                "/devices", form: ["csrf": csrf, "passphrase": TestPhone.passphrase.revealed()])
            let page = String(decoding: shown.body, as: UTF8.self)
            #expect(shown.status == 200 && page.contains("This phone"))
            #expect(page.contains("Old &lt;b&gt;tablet&lt;/b&gt;"), "a name is text")
            #expect(page.components(separatedBy: "/remove\"").count == 2, "this phone cannot remove itself here")
            #expect(try await browser.post("/devices", form: [:]).status == 403, "without a token")
        }
    }

    @Test("are removed with a signature of this phone's, after the passphrase")
    func removed() async throws {
        try await Self.with { phone, browser, csrf in
            let path = "/devices/\(Self.other)/remove"
            let wrong = try await browser.post(path, form: ["csrf": csrf, "passphrase": "a wrong passphrase"])
            #expect(wrong.status == 403)
            #expect(await !phone.broker.actions().contains("remove"))
            let answer = try await browser.post(
                path, form: ["csrf": csrf, "passphrase": TestPhone.passphrase.revealed()])
            #expect(answer.status == 200)
            #expect(String(decoding: answer.body, as: UTF8.self).contains("was removed. It can approve nothing more"))
            let sent = try #require(await phone.broker.posts.last { $0.path == "/phone/devices/\(Self.other)/remove" })
            #expect(sent.body["signature"]?.stringValue?.isEmpty == false, "\(sent.body)")
            let again = try await browser.post(
                path, form: ["csrf": csrf, "passphrase": TestPhone.passphrase.revealed()])
            #expect(again.status == 409, "it is gone")
        }
    }

    @Test("of a phone that is not paired are not asked for")
    func unpaired() async throws {
        try await TestPhone.with { phone in
            try await phone.serving { browser, _ in
                _ = try await browser.signIn()
                let page = try await browser.page("/devices")
                #expect(page.contains("This phone is not paired") && !page.contains("Show the devices"))
            }
        }
    }
}
