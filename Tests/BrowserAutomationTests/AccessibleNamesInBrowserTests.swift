import Automation
import BankScript
import DOM
import Foundation
import HTMLEngine
import LoopbackSite
import MockBank
import ScriptTesting
import Synchronization
import TestServices
import TestSupport
import Testing

@testable import BrowserAutomation

/// Chromium computes for each control the name and the role that a script knows it by.
@Suite("The names of controls in the browser", .serialized)
struct AccessibleNamesInBrowserTests {
    private static let seen = "text with aria-hidden is part of the name, because a person sees it on the page"

    private static let visits: [(Scenario, String)] = [
        (.happy, "meridian-savings.yaml"), (.wrongPassword, "meridian-savings.yaml"),
        (.accountLocked, "meridian-savings.yaml"), (.passwordExpired, "meridian-savings.yaml"),
        (.termsToAccept, "meridian-savings.yaml"), (.extraIdentification, "meridian-savings.yaml"),
        (.advertisement, "meridian-savings.yaml"), (.push, "meridian-savings.yaml"),
        (.maintenance, "meridian-savings.yaml"), (.changedLayout, "meridian-savings.yaml"),
        (.serverErrorOnce, "meridian-savings.yaml"), (.statementsTooOld, "meridian-savings.yaml"),
        (.htmlInsteadOfPDF, "meridian-savings.yaml"), (.pdfBehindJSON, "meridian-savings.yaml"),
        (.dayRanges, "meridian-savings.yaml"), (.everyKind, "Variants/every-kind.yaml"),
        (.yearAsZIP, "Variants/year-as-zip.yaml"), (.statementAsPage, "Variants/statement-as-page.yaml"),
        (.renamedButton, "Variants/renamed-button.yaml"), (.samlSignIn, "Variants/saml-sign-in.yaml"),
        (.choiceOfMethods, "Variants/choice-of-methods.yaml"), (.memorableWord, "Variants/memorable-word.yaml"),
        (.pinPad, "Variants/pin-pad.yaml"), (.pdfByForm, "Variants/pdf-by-form.yaml"),
        (.statementOnRequest, "Variants/statement-on-request.yaml"), (.webForms, "Variants/web-forms.yaml"),
        (.oldPortal, "Variants/old-portal.yaml"), (.jsonBank, "Variants/json-bank-in-a-browser.yaml"),
        (.singlePageApp, "Variants/single-page-app.yaml"), (.codeInPicture, "Variants/code-in-a-picture.yaml"),
    ]

    /// Pages that no script meets, by their addresses.
    private static let addresses = ["/", "/nowhere", "/arrive"]

    /// The titles of the pages on which a script acts. Pages on which it only stops are not among them.
    private static let titles: Set<String> = Set(
        [
            "Accounts", "An offer for you", "Approve in the app", "Enter your one-time code",
            "How shall we send your code?", "Make a statement", "Meridian Savings", "One-time code", "Online-Banking",
            "Page not found", "Sign in", "Statement November 2025", "Statements", "Your PIN", "Your accounts",
            "Your documents", "Your memorable word",
        ].map { $0 + " – Meridian Savings" })

    @Test("are those of Chromium on the mock bank's pages", .needsChromedriver, .timeLimit(.minutes(6)))
    func everyPage() async throws {
        let watch = PageWatch(listing: [ListedDifference("◐ Meridian Savings", "Meridian Savings", Self.seen)])
        for (scenario, path) in Self.visits { try await visit(scenario, path, watch) }
        try await open(Self.addresses, watch)
        let (comparison, titles, failures) = watch.outcome
        print(comparison.summary(of: "the mock bank's pages"))
        #expect(comparison.unlisted == [])
        #expect(failures == [])
        #expect(Self.titles.subtracting(titles) == [], "the visits no longer come to these pages")
        // Fewer would mean that the visits ended early.
        #expect(comparison.controls.count > 110, "\(comparison.controls.count) controls were compared")
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

    private func visit(_ scenario: Scenario, _ path: String, _ watch: PageWatch) async throws {
        var configuration = MockBankConfiguration()
        configuration.scenario = scenario
        let bank = try await MockBankServer.start(configuration)
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = Repository.file("BankScripts/DefaultBank/" + path)
        let script = try BankScript(yaml: String(contentsOf: file, encoding: .utf8), file: path)
            .served(at: bank.url, isForTesting: true)
        let values = [
            "username": configuration.username, "password": configuration.password,
            "memorable_word": configuration.memorableWord, "pin": configuration.pin,
        ]
        var services = HostServices(
            credentials: TestCredentials(values: values), person: TestPerson(code: configuration.oneTimeCode),
            downloads: FolderSink(folder.url))
        services.gate = watch
        let runner = ScriptRunner(services: services) {
            try await BrowserNavigationEngine.start(for: $0, configuration: ChromiumConfiguration(sharesNetwork: true))
        }
        // Some scenarios end in a page that stops the script: it has been compared by then.
        _ = try? await runner.run(script, parameters: ["month": 11, "year": 2025])
        await bank.stop()
    }

    private func open(_ addresses: [String], _ watch: PageWatch) async throws {
        var configuration = MockBankConfiguration()
        configuration.scenario = .cookiesRequired
        let bank = try await MockBankServer.start(configuration)
        try await withComputedNames(at: bank.url) { engine, names in
            for address in addresses {
                try await engine.open(bank.url + address)
                try await watch.compare(engine, names)
            }
        }
        await bank.stop()
    }
}

/// Compares the controls of the open page before each step.
private final class PageWatch: StepGate {
    private let state: Mutex<(comparison: NameComparison, titles: Set<String>, failures: [String])>

    init(listing listed: [ListedDifference]) {
        state = Mutex((NameComparison(listing: listed), [], []))
    }

    var outcome: (comparison: NameComparison, titles: Set<String>, failures: [String]) { state.withLock { $0 } }

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
        state.withLock { _ = $0.titles.insert(document.title) }
        try await names.select()
        for (element, kind) in document.comparableControls {
            let mark = "<\(element.name) \(element[attribute: "name"] ?? element[attribute: "id"] ?? "")>"
            guard let computed = try await names.computed(for: element) else { return "\(document.title): \(mark)" }
            let control = ComparedControl(
                page: document.title, element: mark, kind: kind, name: element.accessibleName, label: computed.label,
                role: computed.role)
            state.withLock { $0.comparison.add(control) }
        }
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
