import Encodings
import Foundation
import Languages
import MockGoogle
import TestServers
import TestSupport

@testable import AssistantPage

/// The running assistant with a mock of Google, and Chromium at its pages.
struct AssistantPageStage {
    let assistant: RunningAssistant
    let google: MockGoogleServer
    let driver: WebDriver
    let origin: String
    /// The sentences of the browser's language.
    let sentences: Sentences

    /// Runs `body` with a browser that has a passkey's authenticator, and sees the sign-in.
    static func with(
        more: [String: String] = [:], in language: Language = .english,
        _ body: (AssistantPageStage) async throws -> Void
    ) async throws {
        let port = try FreePort.find()
        var mock = MockGoogleConfiguration()
        mock.redirectURIs = [RunningAssistant.callback(port)]
        let google = try await MockGoogleServer.start(mock)
        let assistant = try RunningAssistant(google: google, port: port, more: more)
        let driver = WebDriver()
        let outcome: Result<Void, any Error>
        do {
            try await assistant.start()
            try await assistant.waitForProcesses()
            try await driver.start(language: language)
            try await driver.addAuthenticator()
            let stage = AssistantPageStage(
                assistant: assistant, google: google, driver: driver, origin: "http://localhost:\(port)",
                sentences: PageResources.sentences[language])
            try await stage.open("/")
            try await stage.wait(for: "sign-in.new")
            try await body(stage)
            outcome = .success(())
        } catch { outcome = .failure(error) }
        // The server waits for open connections, so the browser's end first.
        await driver.stop()
        _ = try? await assistant.end(SIGTERM)
        await google.stop()
        try outcome.get()
    }

    func open(_ path: String) async throws { try await driver.open(origin + path) }

    /// Makes a passkey, which makes the user.
    func register() async throws {
        try await driver.click("form[data-ceremony=register] button")
        try await wait(for: "page.sign-out")
    }

    /// Connects Google, with everything that the assistant asks for.
    func connect() async throws {
        try await open("/connections")
        try await driver.click("button.connect")
        try await driver.wait(for: "wants access to your account")
        try await driver.click("button[value=allow]")
        try await wait(for: "connection.done")
    }

    /// Waits until the page says a sentence of its language.
    func wait(for key: String) async throws { try await driver.wait(for: key, in: sentences) }

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
}

/// Leads the assistant's pages through their states, from the sign-in to the deletion.
struct AssistantPageStates {
    /// The assistant looks for mail so often that a state with an alert is soon there.
    static let settings = ["ASSISTANT_MAIL_SYNC_SECONDS": "1"]

    let stage: AssistantPageStage

    /// - Parameter look: is called in each state, with the state's name.
    func walk(_ look: (String) async throws -> Void) async throws {
        let driver = stage.driver
        try await look("sign-in")
        try await stage.register()
        try await stage.wait(for: "today.connect-first")
        try await look("today-new")
        try await stage.open("/connections")
        try await look("connections-none")
        try await stage.connect()
        try await look("connections")
        for (path, words, name) in [
            ("/", "today.what-you-get", "today"), ("/settings", "settings.devices", "settings"),
            ("/confirmations", "confirmation.none", "confirmations-none"),
            ("/briefs/none", "brief.gone", "brief-gone"), ("/alerts/none", "alert.gone", "alert-gone"),
            ("/data", "event.connected", "data"),
        ] {
            try await stage.open(path)
            try await stage.wait(for: words)
            try await look(name)
        }
        try await receiveUrgentMail()
        try await look("alerts")
        try await stage.open("/")
        try await look("today-mail")
        try await driver.click("ul.rows a")
        try await stage.wait(for: "alert.question")
        try await look("alert")
        try await driver.click("button[value=no]")
        try await stage.wait(for: "alert.you-said-no")
        try await look("alert-judged")
        try await stage.open("/data")
        try await driver.click("section.danger summary")
        try await look("data-delete")
        try await driver.open(stage.origin + "/offline.html" + stage.sentences.language.query)
        try await stage.wait(for: "offline.text")
        try await look("offline")
        try await stage.open("/data")
        try await driver.click("section.danger summary")
        try await driver.click("#understood")
        try await driver.click("#delete-all button")
        try await stage.wait(for: "script.deleted")
        try await look("deleted")
    }

    /// Lets urgent mail come until an alert of it is shown. Mail from before the assistant's first look makes no alert.
    private func receiveUrgentMail() async throws {
        let end = ContinuousClock.now + .seconds(60)
        var count = 0
        while true {
            try await stage.open("/alerts")
            if try await stage.driver.evaluate("return document.querySelector('ul.rows li') !== null") == true {
                return
            }
            guard ContinuousClock.now < end else {
                throw WebDriver.Failure(description: "no alert of \(count) messages within 60 s")
            }
            await stage.google.account.deliver(
                "mail\(count)", from: "Ann Example <ann@x.example>", "URGENT: sign the lease by tomorrow", at: Date())
            count += 1
        }
    }
}
