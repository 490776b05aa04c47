import Automation
import BankScript
import CurlClient
import Foundation
import HTMLAutomation
import HTMLEngine
import Markup
import Synchronization
import TestCases
import TestServers
import TestSupport
import Testing

@testable import BrowserAutomation
@testable import MockBank

/// Chromium computes for each control the name and the role that a script knows it by.
@Suite("The names of controls in the browser", .serialized)
struct AccessibleNamesInBrowserTests {
    private static let seen = "text with aria-hidden is part of the name, because a person sees it on the page"

    /// The scripts that take a browser through the bank's apps, whose pages only their scripts make. Nil where the pages are
    /// those of another scenario, and only what goes to the bank differs.
    private static let apps: [Scenario: String?] = [
        .jsonBank: "json-bank-in-a-browser.yaml", .cursorList: "json-bank-in-a-browser.yaml",
        .jsonAccounts: "json-bank-in-a-browser.yaml", .xsrfCookie: nil, .singlePageApp: "single-page-app.yaml",
        .hostileApp: nil,
    ]

    /// The titles of the apps' pages, up to a year.
    private static let titlesOfApps = [
        "Sign in", "Enter your one-time code", "One-time code", "Your accounts", "Statements", "Statements 20",
    ]

    /// Templates that are a part of others, or a picture.
    private static let partialTemplates: Set<String> = ["head", "foot", "challenge"]

    /// Pages that no script meets, by their addresses. The last asks for cookies.
    private static let addresses = ["/", "/nowhere", "/login?probe=1"]

    @Test("are those of Chromium on the mock bank's pages", .needsChromedriver, .timeLimit(.minutes(6)))
    func everyPage() async throws {
        #expect(Set(Self.apps.keys) == Set(Scenario.allCases.filter { $0.isApp || $0.isSinglePage }))
        let watch = PageWatch(listing: [ListedDifference("◐ Meridian Savings", "Meridian Savings", Self.seen)])
        let pages = ServedPages()
        for (scenario, script) in Self.apps.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            guard let script else { continue }
            try await visit(scenario, script, pages, watch)
        }
        for title in Self.titlesOfApps {
            #expect(watch.outcome.titles.contains { $0.hasPrefix(title) }, "no app came to the page “\(title)”")
        }
        let (scenarios, failed) = try await pages.visitEveryScenario()
        #expect(scenarios == Set(Scenario.allCases.filter { !$0.isInterface }) && failed == [])
        try await visit(.statementAsPage, "statement-as-page.yaml", pages, nil)
        try await get(Self.addresses, pages)
        let distinct = try pages.distinct()
        let templates = Set(PageResources.templates.keys).subtracting(Self.partialTemplates)
        #expect(Set(distinct.map(\.template)).intersection(templates) == templates)
        try await compare(distinct.map(\.staying), watch)
        let (comparison, titles, failures) = watch.outcome
        print(comparison.summary(of: "\(titles.count) pages of the mock bank, by their titles"))
        #expect(comparison.unlisted == [])
        #expect(failures == [])
        // Fewer would mean that the visits ended early.
        #expect(comparison.controls.count > 140, "\(comparison.controls.count) controls were compared")
    }

    @Test("are those of Chromium for each rule of the standard", .needsChromedriver, .timeLimit(.minutes(3)))
    func rules() async throws {
        let cases = AccessibleNameCase.all
        let site = try await LoopbackSite.start { path in
            let text = Int(path.dropFirst()).flatMap { cases.indices.contains($0) ? cases[$0].html : nil } ?? ""
            return "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nConnection: close\r\n\r\n"
                + "<!doctype html><title>Bank</title>" + text
        }
        let origin = "http://localhost:\(site.port)"
        let summary = ListedDifference(
            "More", "More", role: "DisclosureTriangle", "ARIA has no role for a summary, so Chromium has one of its own"
        )
        var comparison = NameComparison(listing: cases.compactMap(\.difference) + [summary])
        try await withComputedNames(at: origin) { engine, names in
            for (index, known) in cases.enumerated() {
                try await engine.open("\(origin)/\(index)")
                try await names.select()
                let document = try await engine.openPage().document
                let element = try document.element(.css("#x"))
                #expect(element.accessibleName == known.exception?.name ?? known.name, "\(known)")
                // A summary has no kind for a script, but a name.
                let kind = document.comparableControls.first { $0.element == element }?.kind ?? .button
                let computed = try #require(try await names.computed(for: element), "\(known)")
                comparison.add(
                    ComparedControl(
                        page: known.description, element: "<\(element.name)>", kind: kind, name: element.accessibleName,
                        label: computed.label, role: computed.role))
            }
        }
        await site.stop()
        print(comparison.summary(of: "the standard's rules"))
        #expect(comparison.unlisted == [])
        #expect(comparison.controls.count == cases.count)
        #expect(Set(cases.map(\.rule)).count == 9)
    }

    /// Visits a bank with one of its scripts.
    ///
    /// - Parameter watch: compares the pages in Chromium; nil for a visit without a browser, which ends where one is needed.
    private func visit(_ scenario: Scenario, _ path: String, _ pages: ServedPages, _ watch: PageWatch?) async throws {
        var configuration = MockBankConfiguration()
        configuration.scenario = scenario
        configuration.onPage = { pages.add($0, $1) }
        let bank = try await MockBankServer.start(configuration)
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = Repository.file("BankScripts/DefaultBank/Variants/" + path)
        let script = try BankScript(yaml: String(contentsOf: file, encoding: .utf8), file: path)
            .served(at: bank.url, isForTesting: true)
        var services = HostServices(
            credentials: TestCredentials(
                values: ["username": configuration.username, "password": configuration.password]),
            person: TestPerson(code: configuration.oneTimeCode), downloads: FolderSink(folder.url))
        if let watch { services.gate = watch }
        let runner = ScriptRunner(services: services) {
            guard watch != nil else { return try HTMLNavigationEngine(for: $0) }
            return try await BrowserNavigationEngine.start(
                for: $0, configuration: ChromiumConfiguration(sharesNetwork: true))
        }
        // Some visits end in a page that stops the script: it has been compared by then.
        _ = try? await runner.run(script, parameters: ["month": 11, "year": 2025])
        await bank.stop()
    }

    /// Asks a bank for pages without cookies.
    private func get(_ addresses: [String], _ pages: ServedPages) async throws {
        var configuration = MockBankConfiguration()
        configuration.scenario = .cookiesRequired
        configuration.onPage = { pages.add($0, $1) }
        let bank = try await MockBankServer.start(configuration)
        let http = CurlSession()
        for address in addresses { _ = try await http.send(HTTPRequest("GET", bank.url + address)) }
        await http.close()
        await bank.stop()
    }

    /// Compares the controls of pages, which one server serves and one browser opens.
    private func compare(_ pages: [String], _ watch: PageWatch) async throws {
        let site = try await LoopbackSite.start { path in
            let text = Int(path.dropFirst()).flatMap { pages.indices.contains($0) ? pages[$0] : nil } ?? ""
            return "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nConnection: close\r\n\r\n" + text
        }
        let origin = "http://localhost:\(site.port)"
        try await withComputedNames(at: origin) { engine, names in
            for index in pages.indices {
                try await engine.open("\(origin)/\(index)")
                try await watch.compare(engine, names)
            }
        }
        await site.stop()
    }
}

/// Compares the controls of the open page before each step, unless the same page with the same controls was compared before.
private final class PageWatch: StepGate {
    private struct State {
        var comparison: NameComparison
        var titles: Set<String> = []
        var failures: [String] = []
        var compared: Set<[String]> = []
    }

    private let state: Mutex<State>

    init(listing listed: [ListedDifference]) {
        state = Mutex(State(comparison: NameComparison(listing: listed)))
    }

    var outcome: (comparison: NameComparison, titles: Set<String>, failures: [String]) {
        state.withLock { ($0.comparison, $0.titles, $0.failures) }
    }

    func pass(_ place: StepPlace, _ engine: any NavigationEngine) async throws {
        guard let engine = engine as? BrowserNavigationEngine, await engine.hasPage else { return }
        do {
            let names = try await ComputedNames(of: engine)
            try await compare(engine, names)
            await names.close()
        } catch {
            state.withLock { $0.failures.append("\(place.words): \(error)") }
        }
    }

    /// Compares the open page. A page with scripts may replace a control meanwhile: then it is read again.
    func compare(_ engine: BrowserNavigationEngine, _ names: ComputedNames) async throws {
        var lost: String?
        for _ in 0..<3 {
            lost = try await lostControl(engine, names)
            if lost == nil { return }
            _ = try await engine.render(anew: true)
        }
        if let lost { state.withLock { $0.failures.append("\(lost) left its page three times") } }
    }

    /// Compares the controls of the open page, and returns the first that has left it.
    private func lostControl(_ engine: BrowserNavigationEngine, _ names: ComputedNames) async throws -> String? {
        let document = try await engine.openPage().document
        let marks = [document.title] + document.controlMarks
        let isKnown = state.withLock { state in
            state.titles.insert(document.title)
            return state.compared.contains(marks)
        }
        guard !isKnown else { return nil }
        try await names.select()
        for (element, kind) in document.comparableControls {
            let mark = "<\(element.name) \(element[attribute: "name"] ?? element[attribute: "id"] ?? "")>"
            guard let computed = try await names.computed(for: element) else { return "\(document.title): \(mark)" }
            let control = ComparedControl(
                page: document.title, element: mark, kind: kind, name: element.accessibleName, label: computed.label,
                role: computed.role)
            state.withLock { $0.comparison.add(control) }
        }
        state.withLock { _ = $0.compared.insert(marks) }
        return nil
    }
}

/// Runs something with an engine for an origin, and with the names that its browser computes.
func withComputedNames(
    at origin: String, _ body: (BrowserNavigationEngine, ComputedNames) async throws -> Void
) async throws {
    let script = BankScript("bank", named: "Bank", at: origin, isForTesting: true, steps: { Open("/") })
    let engine = try await BrowserNavigationEngine.start(
        for: script, configuration: ChromiumConfiguration(sharesNetwork: true))
    do {
        let names = try await ComputedNames(of: engine)
        try await body(engine, names)
        await names.close()
    } catch {
        Issue.record(error)
    }
    await engine.close()
}
