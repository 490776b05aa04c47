import Crypto
import Encodings
import Foundation
import Synchronization
import TestSupport
import Testing

/// The steps of a household's owner in Chromium, with the time of each.
final class HouseholdRoad: Sendable {
    let household: HouseholdProcess
    let driver: WebDriver
    private let began = ContinuousClock.now
    private let lines = Mutex<[String]>([])
    private let page = Mutex("")

    /// Each line with the seconds since the start.
    var recording: String { lines.withLock { $0 }.joined(separator: "\n") }
    var passphrase: String {
        get throws {
            try String(contentsOf: household.passphraseFile, encoding: .utf8)
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }
    /// The folder of the browser's pages, without a slash at the end.
    var place: String { page.withLock { $0 } }

    private init(_ household: HouseholdProcess, _ driver: WebDriver) {
        self.household = household
        self.driver = driver
    }

    /// Runs `body` with a browser, in an empty home. What the household leaves behind is stopped.
    static func with(_ body: @Sendable (HouseholdRoad) async throws -> Void) async throws {
        let household = try HouseholdProcess()
        let driver = WebDriver()
        try await driver.start()
        let road = HouseholdRoad(household, driver)
        let outcome: Result<Void, any Error>
        do {
            try await driver.addAuthenticator()
            outcome = .success(try await body(road))
        } catch {
            outcome = .failure(error)
        }
        print(road.recording)
        await driver.stop()
        // The body's failure says more than one of the clean-up.
        let stop = try? await household.run("up", "--stop")
        try outcome.get()
        #expect(stop != nil)
    }

    func note(_ words: String) {
        let seconds = (ContinuousClock.now - began) / .seconds(1)
        lines.withLock { $0.append("\(String(format: "%6.2f", seconds)) s  \(words)") }
    }

    // MARK: Steps

    /// Opens the page that `countersign up` names, and unlocks it.
    func open(_ events: [String: JSONValue]) async throws {
        try await driver.open(try #require(events["address"]?["address"]?.stringValue))
        try await driver.wait(for: "Unlock with passphrase")
        try await unlock()
        let address = try await driver.evaluate("return location.href").stringValue ?? ""
        page.withLock { $0 = String(address.prefix { $0 != "?" }.dropLast()) }
        note("the page is unlocked in Chromium")
    }

    func unlock() async throws {
        try await driver.type(try passphrase, into: "#passphrase")
        try await driver.click("main form button")
        try await driver.wait(for: "Sign out")
    }

    func addPasskey(_ events: [String: JSONValue]) async throws {
        try await driver.open(place + "/passkeys")
        try await driver.type("My telephone", into: "#name")
        try await driver.type(try passphrase, into: "#open")
        try await driver.type(
            try #require(events["passkey_code"]?["passkey_code"]?.stringValue), into: "#code")
        try await driver.click("#add-passkey button")
        try await driver.wait(for: "Passkey · added")
        note("a passkey is added")
        try await driver.open(place + "/")
        try await driver.wait(for: "No request waits for you")
    }

    /// Answers the bank's question, and waits until the request is completed.
    func answer() async throws {
        try await driver.wait(for: "Meridian Savings asks")
        note("the page: Meridian Savings asks for a code")
        try await driver.type("123456", into: "#answer")
        try await driver.click("[data-question] button")
        try await driver.wait(for: "Completed")
        note("the page: Completed")
    }

    /// Follows the card's link to the document.
    ///
    /// - Returns: the SHA-256 of the PDF that the page opens.
    func openDocument() async throws -> String {
        let link = "article.done a.button"
        let digest = """
            const done = arguments[arguments.length - 1];
            const link = document.querySelector("\(link)");
            fetch(link.href).then(async (answer) => {
              const bytes = await answer.arrayBuffer();
              const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
              const start = new TextDecoder().decode(bytes.slice(0, 5));
              done([link.textContent, answer.headers.get("content-type"), start,
                [...hash].map((one) => one.toString(16).padStart(2, "0")).join("")]);
            }).catch((error) => done([String(error)]));
            """
        let answer = try await driver.wait(forResultOf: digest)
        let parts = answer.arrayValue?.compactMap(\.stringValue) ?? []
        try #require(parts.count == 4, "\(answer)")
        #expect(Array(parts[1...2]) == ["application/pdf", "%PDF-"], "\(parts)")
        note("the page: “\(parts[0])” opens a PDF, SHA-256 \(parts[3].prefix(16))…")
        return parts[3]
    }

    /// Returns the SHA-256 of the file that the broker has accepted.
    func acceptedDigest(of id: String) async throws -> String {
        try await household.awaitStatement()
        let listed = try await household.run("requests", "--json")
        let request = listed.output.split(separator: "\n").compactMap { try? JSONReader.read(String($0)) }
            .first { $0["request_id"]?.stringValue == id }
        let path = try #require(request?["file_path"]?.stringValue, "\(listed)")
        return Base16.encode(SHA256.hash(data: try Data(contentsOf: URL(filePath: path))))
    }
}
