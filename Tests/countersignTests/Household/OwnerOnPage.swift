import Encodings
import Foundation
import Secrets
import TestParties
import Testing

/// The owner of a household in front of its approval page.
struct OwnerOnPage: Sendable {
    let passphrase: String
    private let browser: PageBrowser

    /// Opens the page at the address that the household told, and signs in.
    ///
    /// - Parameter chosen: the owner's own passphrase; nil for the one that lies in the trial's file.
    init(
        _ events: [String: JSONValue], _ household: HouseholdProcess, passphrase chosen: String? = nil
    ) async throws {
        let address = try #require(events["address"]?["address"]?.stringValue)
        let parts = address.components(separatedBy: "/#code=")
        browser = PageBrowser(parts[0])
        #expect(try await browser.enter(Secret(parts[1])) == 303)
        passphrase = try chosen ?? String(String(contentsOf: household.passphraseFile, encoding: .utf8).dropLast())
        _ = try await browser.signIn(passphrase: passphrase)
    }

    /// Approves a request.
    ///
    /// - Returns: the number of the bank's question.
    func approve(_ id: String) async throws -> String {
        let card = try await page { $0.contains(#"name="script""#) }
        let script = try #require(card.firstMatch(of: /name="script" value="([0-9a-f]+)"/)).1
        let form = ["csrf": try await browser.csrf(), "script": String(script), "passphrase": passphrase]
        #expect(try await browser.post("/requests/\(id)/approve", form: form).status == 303)
        let question = try await page { $0.contains("data-question") }
        return String(try #require(question.firstMatch(of: /data-question="([^"]+)"/)).1)
    }

    /// Changes settings of the household; the others stay as the form shows them.
    func change(_ fields: [String: String]) async throws -> (status: Int, page: String) {
        let form = try await browser.page("/household")
        var values = ["csrf": try await browser.csrf(), "passphrase": passphrase]
        for match in form.matches(of: /<input id="h-([a-z]+)"[^>]*>/) {
            values[String(match.1)] = match.0.firstMatch(of: /value="([^"]*)"/).map { String($0.1) } ?? ""
        }
        for match in form.matches(of: /<input type="hidden" name="(was-[a-z]+)" value="([^"]*)">/) {
            values[String(match.1)] = String(match.2)
        }
        let answer = try await browser.post("/household", form: values.merging(fields) { $1 })
        return (answer.status, String(decoding: answer.body, as: UTF8.self))
    }

    /// Answers the bank's question.
    func answer(_ number: String, _ text: String) async throws {
        let answer = try await browser.post(
            "/questions/\(number)", form: ["csrf": try await browser.token(), "answer": text])
        #expect(answer.status == 303)
        await browser.session.close()
    }

    /// Has the page show a pairing's code.
    ///
    /// - Returns: the line for the other machine, and the address of the page.
    func beginPairing() async throws -> (line: String, place: String) {
        let form = ["csrf": try await browser.csrf(), "passphrase": passphrase]
        let answer = try await browser.post("/devices/pair", form: form)
        #expect(answer.status == 303)
        let place = String(try #require(answer.header("Location")).dropFirst(browser.base.count))
        let page = try await browser.page(place)
        let line = try #require(page.firstMatch(of: /countersign up --phone-only ([^<]+)</), "\(page)").1
        return (String(line), place)
    }

    /// Waits until the page shows the words of the device that has the code, and says that the device has the same.
    ///
    /// - Returns: the words.
    func confirmPairing(at place: String) async throws -> String {
        let shown = try await page(place) { $0.contains("same-words") }
        let words = String(try #require(shown.firstMatch(of: /same-words" lang="en">([^<]+)</)).1)
        let id = String(try #require(shown.firstMatch(of: /name="pairing" value="([^"]+)"/)).1)
        // Another page would end the pairing.
        let token = String(try #require(shown.firstMatch(of: /data-csrf="([^"]+)"/)).1)
        let form = ["csrf": token, "pairing": id, "answer": "yes"]
        #expect(try await browser.post("/devices/pair/answer", form: form).status == 303)
        return words
    }

    /// Waits until the page of the pairing says something.
    func awaitPairing(_ words: String, at place: String) async throws {
        _ = try await page(place) { $0.contains(words) }
    }

    /// Has the phone deleted.
    func forgetPhone() async throws -> (status: Int, page: String) {
        let form = ["csrf": try await browser.csrf(), "passphrase": passphrase, "credential-sure": "on"]
        let answer = try await browser.post("/forget", form: form)
        return (answer.status, String(decoding: answer.body, as: UTF8.self))
    }

    /// Changes the passphrase of the vault.
    func change(passphraseTo new: String) async throws -> Int {
        let form = [
            "csrf": try await browser.csrf(), "passphrase": passphrase, "credential-new": new, "credential-again": new,
        ]
        return try await browser.post("/passphrase", form: form).status
    }

    /// Tells whether the browser is signed in.
    var isSignedIn: Bool { get async throws { try await !browser.csrf().isEmpty } }

    func leave() async { await browser.session.close() }

    private func page(_ path: String = "/", where holds: (String) -> Bool) async throws -> String {
        let end = ContinuousClock.now + .seconds(60)
        while true {
            let page = try await browser.page(path)
            if holds(page) { return page }
            try #require(ContinuousClock.now < end, "\(page)")
            try await Task.sleep(for: .milliseconds(100))
        }
    }
}
