import Encodings
import Foundation
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
        try await HouseholdRoad.with { road in
            let began = ContinuousClock.now
            let (_, events) = try await road.household.up()
            let taken = ContinuousClock.now - began
            #expect(taken < .seconds(60), "from nothing to a running household in \(taken)")
            try await road.open(events)
            try await road.addPasskey(events)
            let id = try await askAsAssistant(road.household)
            try await road.driver.wait(for: "January 2026")
            try await road.driver.click("[data-passkey=approve]")
            try await road.answer()
            let accepted = try await road.acceptedDigest(of: id)
            #expect(try await road.openDocument() == accepted)
            let removed = try await road.household.run("up", "--remove", "--yes")
            #expect(removed.status == 0, "\(removed)")
        }
    }

    /// Asks over the Model Context Protocol, with no option: the household's file says where the broker is.
    private func askAsAssistant(_ household: HouseholdProcess) async throws -> String {
        let assistant = try Program(["agent", "mcp"], environment: household.environment)
        try assistant.write(
            #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"#
                + #""clientInfo":{"name":"test","version":"1"}}}"#)
        try assistant.write(#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
        try assistant.write(
            #"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"request_statement","#
                + #""arguments":{"month":1,"year":2026}}}"#)
        let end = ContinuousClock.now + .seconds(60)
        while !assistant.printed.contains(#""id":2"#) {
            try #require(ContinuousClock.now < end, "\(assistant.printed)\(assistant.errors)")
            try await Task.sleep(for: .milliseconds(20))
        }
        assistant.endInput()
        let answers = assistant.printed.split(separator: "\n").compactMap { try? JSONReader.read(String($0)) }
        let answer = try #require(answers.first { $0["id"] == 2 }?["result"])
        #expect(answer["isError"] != true, "\(answer)")
        return try #require(answer["structuredContent"]?["request_id"]?.stringValue, "\(answer)")
    }

    @Test(
        "a household that restarts while a card is open says so, asks to unlock, and shows the card again",
        .needsChromedriver, .timeLimit(.minutes(3)))
    func restarted() async throws {
        try await HouseholdRoad.with { road in
            let (_, events) = try await road.household.up()
            try await road.open(events)
            let asked = try await road.household.run("request", "2026-01", "--json")
            let id = try #require(try JSONReader.read(asked.output)["request_id"]?.stringValue)
            let field = "#p-\(id.prefix(8))"
            try await road.driver.wait(for: "January 2026")
            try await road.driver.type("half a passph", into: field)
            #expect(try await road.household.run("up", "--stop").status == 0)
            try await road.driver.wait(for: "The connection is lost. Trying again…")
            let meanwhile = try await road.driver.evaluate("return document.querySelector('\(field)').value")
            #expect(meanwhile == "half a passph", "the card stays as it was")

            // The browser is known to the page; the vault is locked again.
            _ = try await road.household.up()
            try await road.driver.wait(for: "This phone is locked. Unlock it to see the requests.")
            try await road.unlock()
            try await road.driver.wait(for: "January 2026")
            let connection = try await road.driver.evaluate("return document.getElementById('connection').hidden")
            #expect(connection == true)
            try await road.driver.type(try road.passphrase + "\u{E007}", into: field)
            try await road.answer()
            try await road.household.awaitStatement()
        }
    }

    @Test(
        "with --host-name, the page is there under the name with the household's own authority, and a passkey works",
        .needsChromedriver, .needs("certutil"), .timeLimit(.minutes(3)))
    func underName() async throws {
        let household = try HouseholdProcess()
        let host = "phone.home.arpa"
        let (_, events) = try await household.up("--host-name", host)
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await walk(household, events, host)) } catch { outcome = .failure(error) }
        _ = try await household.run("up", "--stop")
        try outcome.get()

        // The name is remembered, and given up by none.
        let config = try JSONReader.read(Data(contentsOf: household.config))
        #expect(config["phone"]?["host_name"]?.stringValue == host)
        let (_, again) = try await household.up("--host-name", "none")
        _ = try await household.run("up", "--stop")
        #expect(again["warning"] == nil)
        #expect(again["address"]?["address"]?.stringValue?.hasPrefix("http://localhost:") == true)
    }

    private func walk(_ household: HouseholdProcess, _ events: [String: JSONValue], _ host: String) async throws {
        let address = try #require(events["address"]?["address"]?.stringValue)
        #expect(address.hasPrefix("https://\(host):"))
        #expect(events["authority"]?["message"]?.stringValue?.contains("countersign phone authority --qr") == true)
        #expect(
            events["warning"]?["message"]?.stringValue?.contains("trial") == true,
            "a trial is told from a real household")
        let status = try await household.run("status")
        #expect(status.output.contains("https://\(host):"), "\(status)")
        let file = household.home.appending(path: "authority.der")
        let shown = try await household.run("phone", "authority", "--json", "--certificate", file.path)
        #expect(shown.status == 0 && shown.output.contains("/trust"), "\(shown)")
        let passphrase = try String(contentsOf: household.passphraseFile, encoding: .utf8).dropLast()
        try await TrustingBrowser.with(Array(try Data(contentsOf: file)), hosts: [host]) { driver in
            try await driver.open(address)
            try await driver.wait(for: "Unlock with passphrase")
            try await driver.type(String(passphrase), into: "#passphrase")
            try await driver.click("main form button")
            try await driver.wait(for: "Sign out")
            let place = try await driver.evaluate("return location.href").stringValue ?? ""
            try await driver.open(place.prefix { $0 != "?" } + "passkeys")
            try await driver.type("My telephone", into: "#name")
            try await driver.type(String(passphrase), into: "#open")
            try await driver.type(
                try #require(events["passkey_code"]?["passkey_code"]?.stringValue), into: "#code")
            try await driver.click("#add-passkey button")
            try await driver.wait(for: "Passkey · added")
            try await driver.click("header form button")
            try await driver.wait(for: "Unlock with Face ID or passkey")
            try await driver.click("[data-passkey=sign-in]")
            try await driver.wait(for: "Sign out")
        }
    }
}
