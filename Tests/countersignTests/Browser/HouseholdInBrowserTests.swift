import Foundation
import JSON
import TestSupport
import Testing

/// `countersign up --bank mock` on a machine with nothing: an assistant asks, the owner approves with a passkey in Chromium,
/// and opens the document.
@Suite("A household in Chromium", .serialized)
struct HouseholdInBrowserTests {
    @Test(
        "an assistant's request is approved with a passkey, and the statement opens on the page", .needsChromedriver,
        .timeLimit(.minutes(3)))
    func wholeRoad() async throws {
        let household = try HouseholdProcess()
        let driver = WebDriver()
        try await driver.start()
        try await driver.addAuthenticator()
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await walk(household, driver))
        } catch {
            outcome = .failure(error)
        }
        await driver.stop()
        _ = try await household.run("up", "--stop")
        try outcome.get()
    }

    private func walk(_ household: HouseholdProcess, _ driver: WebDriver) async throws {
        let began = ContinuousClock.now
        let (_, events) = try await household.up()
        let taken = ContinuousClock.now - began
        #expect(taken < .seconds(60), "from nothing to a running household in \(taken)")
        try await driver.open(try #require(events["address"]?["address"]?.stringValue))
        try await driver.wait(for: "Unlock with passphrase")
        let passphrase = try String(contentsOf: household.passphraseFile, encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        try await driver.type(passphrase, into: "#passphrase")
        try await driver.click("main form button")
        try await driver.wait(for: "No request waits for you")
        let page = try await driver.evaluate("return location.href").stringValue?.dropLast() ?? ""
        try await addPasskey(
            driver, on: String(page), passphrase,
            code: try #require(events["passkey_code"]?["passkey_code"]?.stringValue))

        let id = try await askAsAssistant(household)
        try await driver.open(String(page))
        try await driver.wait(for: "January 2026")
        try await driver.click("[data-passkey=approve]")
        try await driver.wait(for: "Meridian Savings asks")
        try await driver.type("123456", into: "#answer")
        try await driver.click("[data-question] button")
        try await driver.wait(for: "Completed")
        let statement = try await driver.evaluate(
            "return fetch('\(page)/requests/\(id)/statement').then(answer => answer.text()"
                + ".then(text => answer.headers.get('content-type') + ' ' + text.slice(0, 5)))")
        #expect(statement.stringValue == "application/pdf %PDF-")
        try await household.awaitStatement()
    }

    private func addPasskey(_ driver: WebDriver, on page: String, _ passphrase: String, code: String) async throws {
        try await driver.open(page + "/passkeys")
        try await driver.type("My telephone", into: "#name")
        try await driver.type(passphrase, into: "#open")
        try await driver.type(code, into: "#code")
        try await driver.click("#add-passkey button")
        try await driver.wait(for: "Passkey · added")
    }

    /// Asks over the Model Context Protocol, with no option: the household's file says where the broker is.
    private func askAsAssistant(_ household: HouseholdProcess) async throws -> String {
        let assistant = try Program(["mcp"], environment: household.environment)
        try assistant.write(
            #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"#
                + #""clientInfo":{"name":"test","version":"1"}}}"#)
        try assistant.write(#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
        try assistant.write(
            #"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"request_statement","#
                + #""arguments":{"month":1,"year":2026}}}"#)
        let end = ContinuousClock.now + .seconds(30)
        while !assistant.printed.contains(#""id":2"#) {
            try #require(ContinuousClock.now < end, "\(assistant.printed)\(assistant.errors)")
            try await Task.sleep(for: .milliseconds(20))
        }
        try assistant.endInput()
        let answers = assistant.printed.split(separator: "\n").compactMap { try? JSONReader.read(String($0)) }
        let answer = try #require(answers.first { $0["id"] == 2 }?["result"])
        #expect(answer["isError"] != true, "\(answer)")
        return try #require(answer["structuredContent"]?["request_id"]?.stringValue, "\(answer)")
    }
}
