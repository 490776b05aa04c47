import Encodings
import Foundation
import MockGoogle
import TestServers
import TestSupport

/// The running assistant with a mock of Google, and Chromium at its pages.
struct AssistantPageStage {
    let assistant: RunningAssistant
    let google: MockGoogleServer
    let driver: WebDriver
    let origin: String

    /// Runs `body` with a browser that has a passkey's authenticator, and sees the sign-in.
    static func with(
        more: [String: String] = [:], _ body: (AssistantPageStage) async throws -> Void
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
            try await driver.start()
            try await driver.addAuthenticator()
            let stage = AssistantPageStage(
                assistant: assistant, google: google, driver: driver, origin: "http://localhost:\(port)")
            try await stage.open("/")
            try await driver.wait(for: "You are new here")
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
        try await driver.wait(for: "Sign out")
    }

    /// Connects Google, with everything that the assistant asks for.
    func connect() async throws {
        try await open("/connections")
        try await driver.click("button.connect")
        try await driver.wait(for: "wants access to your account")
        try await driver.click("button[value=allow]")
        try await driver.wait(for: "Google is connected.")
    }

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
        try await driver.wait(for: "Connect Google first")
        try await look("today-new")
        try await stage.open("/connections")
        try await look("connections-none")
        try await stage.connect()
        try await look("connections")
        for (path, words, name) in [
            ("/", "What you get", "today"), ("/settings", "Devices that are notified", "settings"),
            ("/confirmations", "Nothing waits", "confirmations-none"),
            ("/briefs/none", "This brief is gone", "brief-gone"),
            ("/alerts/none", "not kept any more", "alert-gone"), ("/data", "You connected Google", "data"),
        ] {
            try await stage.open(path)
            try await driver.wait(for: words)
            try await look(name)
        }
        try await receiveUrgentMail()
        try await look("alerts")
        try await stage.open("/")
        try await look("today-mail")
        try await driver.click("ul.rows a")
        try await driver.wait(for: "Was it urgent?")
        try await look("alert")
        try await driver.click("button[value=no]")
        try await driver.wait(for: "no, it was not")
        try await look("alert-judged")
        try await stage.open("/data")
        try await driver.click("section.danger summary")
        try await look("data-delete")
        try await driver.open(stage.origin + "/offline.html")
        try await driver.wait(for: "cannot be reached")
        try await look("offline")
        try await stage.open("/data")
        try await driver.click("section.danger summary")
        try await driver.click("#understood")
        try await driver.click("#delete-all button")
        try await driver.wait(for: "Everything is deleted")
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
