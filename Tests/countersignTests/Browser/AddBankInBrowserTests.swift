import Encodings
import Foundation
import Phone
import PhoneStore
import Storage
import TestParties
import Testing

@testable import ApprovalPage

@Suite("A bank that is added in Chromium", .serialized)
struct AddBankInBrowserTests {
    private static let yaml =
        #"{"bank": "northern", "name": "Northern Bank", "origins": ["https://banking.northern.example"], "#
        + #""steps": [{"open": "/login"}, {"fill": {"Username": "$username", "Password": "$password"}}, "#
        + #"{"press": "Sign in"}, {"download": "PDF"}]}"#

    /// Opens the page with what a script does, and fills its form in.
    private static func read(_ stage: PageStage) async throws {
        let driver = stage.driver
        try await stage.open("/banks/add")
        try await driver.type(yaml, into: "#add-text")
        try await driver.click("main form button.main")
        try await stage.wait(for: "add.what")
        try await driver.type("robin", into: "#f-username")
        try await driver.type("a bank password", into: "#f-password")
    }

    private static func value(of field: String, _ stage: PageStage) async throws -> String? {
        try await stage.driver.evaluate("return document.querySelector('\(field)').value").stringValue
    }

    private static func with(
        _ body: @escaping @Sendable (PageStage, FakeBanks) async throws -> Void
    ) async throws {
        // Every attempt is refused before its script is accepted, so the scripts need no phone.
        let banks = FakeBanks(in: PhoneHome(FileManager.default.temporaryDirectory))
        banks.answer(.failure(CredentialsRefusal.refusedBefore))
        var configuration = TestPhone.pageConfiguration
        configuration.banks = banks
        try await PageStage.with(configuration) { stage in
            _ = try await stage.driver.tell(
                "Emulation.setDeviceMetricsOverride",
                ["width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": false])
            try await body(stage, banks)
        }
    }

    @Test(
        "keeps what was typed after a wrong passphrase, and says so where it was typed", .needsChromedriver,
        .timeLimit(.minutes(2)))
    func mistyped() async throws {
        try await Self.with { stage, banks in
            try await Self.read(stage)
            try await stage.driver.type("a wrong passphrase", into: "#add-phrase")
            try await stage.driver.click("main form button.main")
            try await stage.wait(
                until: "document.querySelector('#add-phrase + .notice[role=alert]')", "the notice is below the field")
            let isSeen = try await stage.driver.evaluate(
                """
                const box = document.querySelector('#add-phrase + .notice').getBoundingClientRect();
                return box.top >= 0 && box.bottom <= innerHeight;
                """)
            #expect(isSeen == true)
            #expect(try await Self.value(of: "#f-username", stage) == "robin")
            #expect(try await Self.value(of: "#f-password", stage) == "a bank password")
            #expect(banks.attempts == 0)
        }
    }

    @Test(
        "is sent once with a passkey, and the way back finds no password", .needsChromedriver, .timeLimit(.minutes(2)))
    func passkey() async throws {
        try await Self.with { stage, banks in
            try await stage.addPasskey()
            try await Self.read(stage)
            try await stage.driver.click("main form button[value=passkey]")
            try await stage.wait(until: "location.pathname.endsWith('/end')", "the end is shown")
            #expect(banks.attempts == 1)
            let types = try await PhoneDatabase(stage.phone.home).audit.records(AuditFilter()).map(\.event.type)
            #expect(!types.contains("verification.failed"), "\(types)")
            _ = try await stage.driver.evaluate("history.back()")
            try await stage.wait(until: "document.querySelector('#f-password')", "the form is back")
            #expect(try await Self.value(of: "#f-password", stage) == "")
        }
    }
}
