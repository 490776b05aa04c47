import Encodings
import Foundation
import Phone
import PhoneStore
import Secrets
import TestParties
import TestSupport

@testable import ApprovalPage

/// A phone with a fake broker and a scripted bank, whose page is open and unlocked in Chromium.
struct PageStage: Sendable {
    let phone: TestPhone
    let server: PageServer
    let driver: WebDriver
    /// The address of the browser's pages, without a slash at the end.
    let page: String
    let origin: String

    /// Runs `body` with the page.
    ///
    /// - Parameter prepare: is done before the page is opened, for example an offer of requests.
    static func with(
        _ configuration: PageServerConfiguration = TestPhone.pageConfiguration, logs: Bool = false,
        unlocks: Bool = true, prepare: @escaping @Sendable (TestPhone) async throws -> Void = { _ in },
        _ body: @escaping @Sendable (PageStage) async throws -> Void
    ) async throws {
        try await TestPhone.with { phone in
            try await prepare(phone)
            let driver = WebDriver()
            try await driver.start(logs: logs)
            let outcome: Result<Void, any Error>
            do {
                try await driver.addAuthenticator()
                try await phone.opening(configuration) { opened, server in
                    // The server waits for open connections, so the browser's end first.
                    let outcome: Result<Void, any Error>
                    do {
                        try await driver.open(opened.address.revealed())
                        try await driver.wait(for: "Unlock with passphrase")
                        let address = try await driver.evaluate("return location.href").stringValue ?? ""
                        let stage = PageStage(
                            phone: phone, server: server, driver: driver,
                            page: String(address.prefix { $0 != "?" }.dropLast()), origin: opened.origin)
                        if unlocks { try await stage.unlock() }
                        try await body(stage)
                        outcome = .success(())
                    } catch { outcome = .failure(error) }
                    await driver.stop()
                    try outcome.get()
                }
                outcome = .success(())
            } catch { outcome = .failure(error) }
            await driver.stop()
            try outcome.get()
        }
    }

    /// Runs `body` with a browser at the page with which a device learns to trust the phone's authority.
    static func withTrustPage(_ body: @escaping @Sendable (WebDriver) async throws -> Void) async throws {
        try await TestPhone.with { phone in
            var configuration = TestPhone.pageConfiguration
            configuration.security = .ownAuthority
            try await phone.opening(configuration) { page, _ in
                let driver = WebDriver()
                try await driver.start(trustsAnyone: true)
                let outcome: Result<Void, any Error>
                do {
                    try await driver.open(page.origin + "/trust")
                    try await driver.wait(for: "It can speak for localhost")
                    outcome = .success(try await body(driver))
                } catch { outcome = .failure(error) }
                await driver.stop()
                try outcome.get()
            }
        }
    }

    /// Types the passphrase, and waits for the inbox.
    func unlock() async throws {
        try await driver.type(TestPhone.passphrase.revealed(), into: "#passphrase")
        try await driver.click("main form button")
        try await driver.wait(for: "Sign out")
    }

    /// Opens a page of the phone.
    func open(_ path: String) async throws { try await driver.open(page + path) }

    /// Waits until a script that returns a truth value does.
    func wait(until condition: String, _ what: String) async throws {
        let end = ContinuousClock.now + .seconds(60)
        while try await driver.evaluate("return Boolean(\(condition))") != true {
            guard ContinuousClock.now < end else {
                throw WebDriver.Failure(
                    description: "not after 20 s: \(what); the page says: \(try await driver.text())")
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Adds a passkey with a code from the terminal.
    func addPasskey() async throws {
        try await open("/passkeys")
        try await driver.type("My telephone", into: "#name")
        try await driver.type(TestPhone.passphrase.revealed(), into: "#open")
        try await driver.type(try await phone.passkeyCode(), into: "#code")
        try await driver.click("#add-passkey button[value=code]")
        try await driver.wait(for: "Passkey · added")
    }
}
