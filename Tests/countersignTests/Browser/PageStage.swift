import BankScript
import Encodings
import Foundation
import Languages
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
    /// The sentences of the browser's language.
    let sentences: Sentences

    /// Runs `body` with the page.
    ///
    /// - Parameters:
    ///   - pairs: whether the phone is paired with its broker.
    ///   - prepare: is done before the page is opened, for example an offer of requests.
    static func with(
        _ configuration: PageServerConfiguration = TestPhone.pageConfiguration, in language: Language = .english,
        of script: BankScript = TestPhone.script, logs: Bool = false, pairs: Bool = false, unlocks: Bool = true,
        prepare: @escaping @Sendable (TestPhone) async throws -> Void = { _ in },
        _ body: @escaping @Sendable (PageStage) async throws -> Void
    ) async throws {
        let sentences = PageResources.sentences[language]
        let work: @Sendable (TestPhone) async throws -> Void = { phone in
            try await prepare(phone)
            let driver = WebDriver()
            try await driver.start(logs: logs, language: language)
            let outcome: Result<Void, any Error>
            do {
                try await driver.addAuthenticator()
                try await phone.opening(configuration, services: phone.services(script)) { opened, server in
                    // The server waits for open connections, so the browser's end first.
                    let outcome: Result<Void, any Error>
                    do {
                        try await driver.open(opened.address.revealed())
                        try await driver.wait(for: "sign-in.passphrase", in: sentences)
                        let address = try await driver.evaluate("return location.href").stringValue ?? ""
                        let stage = PageStage(
                            phone: phone, server: server, driver: driver,
                            page: String(address.prefix { $0 != "?" }.dropLast()), origin: opened.origin,
                            sentences: sentences)
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
        if pairs { try await TestPhone.paired(work) } else { try await TestPhone.with(work) }
    }

    /// Runs `body` with a browser at the page with which a device learns to trust the phone's authority.
    static func withTrustPage(
        in language: Language = .english, _ body: @escaping @Sendable (WebDriver) async throws -> Void
    ) async throws {
        try await TestPhone.with { phone in
            var configuration = TestPhone.pageConfiguration
            configuration.security = .ownAuthority
            try await phone.opening(configuration) { page, _ in
                let driver = WebDriver()
                try await driver.start(trustsAnyone: true, language: language)
                let outcome: Result<Void, any Error>
                do {
                    try await driver.open(page.origin + "/trust")
                    try await driver.wait(for: "trust.title", in: PageResources.sentences[language])
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
        try await wait(for: "page.sign-out")
    }

    /// Waits until the page says a sentence of its language.
    func wait(for key: String, _ values: [String: String] = [:]) async throws {
        try await driver.wait(for: key, values, in: sentences)
    }

    /// Opens a page of the phone.
    func open(_ path: String) async throws { try await driver.open(page + path) }

    /// Waits until a script that returns a truth value does.
    func wait(until condition: String, _ what: String) async throws {
        let end = ContinuousClock.now + .seconds(60)
        while try await driver.evaluate("return Boolean(\(condition))") != true {
            guard ContinuousClock.now < end else {
                throw WebDriver.Failure(
                    description: "not after 60 s: \(what); the page says: \(try await driver.text())")
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Adds a passkey with a code from the terminal.
    func addPasskey() async throws {
        try await fillPasskeyForm()
        try await driver.wait(for: "Passkey · " + sentences["passkeys.added"])
    }

    /// Fills in the form that adds a passkey, and sends it.
    func fillPasskeyForm() async throws {
        try await open("/passkeys")
        try await driver.type("My telephone", into: "#name")
        try await driver.type(TestPhone.passphrase.revealed(), into: "#open")
        try await driver.type(try await phone.passkeyCode(), into: "#code")
        try await driver.click("#add-passkey button[value=code]")
    }
}
