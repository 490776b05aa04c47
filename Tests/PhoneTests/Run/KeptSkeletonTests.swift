import Authoring
import Automation
import BankScript
import CurlClient
import Foundation
import HTMLAutomation
import HTMLEngine
import PhoneStore
import TestParties
import Testing

@testable import Phone

@Suite("The pages that a phone keeps of its runs")
struct KeptSkeletonTests {
    private static let script = BankScript("default", named: "Meridian Savings", at: "https://bank.example") {
        Open("/")
        Follow("Statements")
        Download("PDF")
    }

    /// Texts of a person's, which the pages show in every place that they have for them.
    private static let canaries = [
        "Aurelia", "Quintanilla", "Honeymoon", "88213377", "1,204.33", "aurelia@mail.example", "Petrosyan",
    ]

    private static func exchange(_ path: String, _ type: String, _ body: String) -> Exchange {
        Exchange(
            startedAt: Date(), method: "GET", url: "https://bank.example\(path)", requestHeaders: [], requestBody: nil,
            status: 200, version: "1.1", responseHeaders: [HTTPHeader("Content-Type", type)],
            responseBody: Array(body.utf8), responseBytes: body.utf8.count,
            timings: HTTPTimings(connected: .zero, firstByte: .zero, total: .zero))
    }

    private static func visit(help: String) -> HTTPArchive {
        let menu = """
            <nav><a href="/me?name=Aurelia">Aurelia Quintanilla</a><a href="/accounts">Accounts</a>
            <a href="/statements">Statements</a><a href="/help" title="Aurelia">\(help)</a>
            <button aria-label="Sign out Aurelia">x</button></nav><h1>Welcome Aurelia Quintanilla</h1>
            """
        let home = """
            <!doctype html><title>Accounts of Aurelia Quintanilla</title>\(menu)
            <table><tr><td><a href="/a/88213377">Honeymoon 88213377</a></td><td>1,204.33</td></tr></table>
            <a href="/a/88213377">Account 88213377</a><a href="/b">Honeymoon statements</a>
            <form><label>Search, Aurelia <input name="q" value="Petrosyan"></label>
            <select aria-label="Petrosyan"><option>Honeymoon</option></select><button>Send to Petrosyan</button></form>
            <ul><li><a href="mailto:aurelia@mail.example">aurelia@mail.example</a></li></ul>
            """
        let list = "<!doctype html><title>Statements of Aurelia</title>\(menu)<a href=\"/1.pdf\">PDF</a>"
        return HTTPArchive([
            exchange("/", "text/html", home), exchange("/statements", "text/html", list),
            exchange("/1.pdf", "application/pdf", "%PDF-1.7\nA statement.\nstartxref\n0\n%%EOF\n"),
        ])
    }

    /// A visit whose list has three pages.
    private static func visit(in pages: Int) -> HTTPArchive {
        let list = (1...3).map { number in
            let rows = number == pages ? "<tr><td>The month</td><td><a href=\"/1.pdf\">PDF</a></td></tr>" : ""
            return "<!doctype html><title>Statements</title><table>\(rows)</table>"
                + (number > 1 ? "<a href=\"/list\(number - 1)\">Previous</a>" : "")
                + (number < 3 ? "<a href=\"/list\(number + 1)\">Next</a>" : "")
        }
        let home = "<!doctype html><title>Accounts</title><a href=\"/list1\">Statements</a>"
        return HTTPArchive(
            [exchange("/", "text/html", home)]
                + list.enumerated().map { exchange("/list\($0.offset + 1)", "text/html", $0.element) }
                + [exchange("/1.pdf", "application/pdf", "%PDF-1.7\nA statement.\nstartxref\n0\n%%EOF\n")])
    }

    @Test("tell of nothing when the month is on another page of the list than before")
    func lists() async throws {
        let script = BankScript("default", named: "Meridian Savings", at: "https://bank.example") {
            Open("/")
            Follow("Statements")
            Search(rows: "The month", next: "Next", atMost: 5)
            Download("PDF")
        }
        try await TestPhone.with { phone in
            let store = try phone.runner().store
            for (month, place) in [(1, 2), (2, 3), (3, 1), (4, 2)] {
                var services = phone.services(script)
                services.engine = {
                    let recording = ReplayTransport(Self.visit(in: place))
                    return try HTMLNavigationEngine(for: $0, configuration: EngineConfiguration(transport: recording))
                }
                guard case .completed = try await phone.approve(month: month, services) else {
                    Issue.record("month \(month) failed")
                    return
                }
                #expect(try await store.changedPages().isEmpty)
            }
            #expect(try await store.skeletons().map(\.step) == [2, 3])
        }
    }

    @Test("tell what the bank changed, and hold nothing of the person's")
    func canaries() async throws {
        try await TestPhone.with { phone in
            let store = try phone.runner().store
            for (month, help) in [(1, "Help"), (2, "Contact")] {
                var services = phone.services(Self.script)
                services.engine = {
                    let recording = ReplayTransport(Self.visit(help: help))
                    return try HTMLNavigationEngine(for: $0, configuration: EngineConfiguration(transport: recording))
                }
                guard case .completed = try await phone.approve(month: month, services) else {
                    Issue.record("month \(month) failed")
                    return
                }
            }
            // The menu is on both pages, and its change is told once.
            let changed = try await store.changedPages()
            #expect(changed.map(\.changes.sentence) == ["the bank renamed 1 link that this script does not use"])
            #expect(changed.first?.before.parts.contains { $0.name == "Statements" && $0.isUsed } == true)
            let kept = try await store.skeletons()
            #expect(kept.count == 2)
            for canary in Self.canaries {
                #expect(!kept.contains { ($0.first + $0.latest).contains(canary) }, "\(canary) in \(kept)")
                for file in try FileManager.default.subpathsOfDirectory(atPath: phone.home.folder.path) {
                    guard let bytes = try? Data(contentsOf: phone.home.folder.appending(path: file)) else { continue }
                    #expect(bytes.range(of: Data(canary.utf8)) == nil, "\(canary) is in \(file)")
                }
            }
        }
    }
}
