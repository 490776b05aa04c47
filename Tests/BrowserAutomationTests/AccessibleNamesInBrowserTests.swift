import Automation
import BankScript
import DOM
import Foundation
import HTMLEngine
import JSON
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
    /// The roles of Chromium's accessibility tree that each kind of control may have.
    private static let roles: [String: Set<String>] = [
        "link": ["link"], "button": ["button", "PopUpButton"],
        "field": [
            "textbox", "searchbox", "spinbutton", "combobox", "ComboBoxSelect", "checkbox", "radio", "listbox",
            "slider",
            "Date", "ColorWell",
        ],
    ]

    /// The names that differ on purpose, each with what Chromium says and the reason.
    private static let exceptions: [String: (computed: String, reason: String)] = [
        "◐ Meridian Savings": (
            "Meridian Savings", "text with aria-hidden is part of the name, because a person sees it on the page"
        )
    ]

    private static let visits: [(Scenario, String)] = [
        (.happy, "meridian-savings.yaml"), (.passwordExpired, "meridian-savings.yaml"),
        (.termsToAccept, "meridian-savings.yaml"), (.extraIdentification, "meridian-savings.yaml"),
        (.advertisement, "meridian-savings.yaml"), (.changedLayout, "meridian-savings.yaml"),
        (.choiceOfMethods, "Variants/choice-of-methods.yaml"), (.memorableWord, "Variants/memorable-word.yaml"),
        (.pinPad, "Variants/pin-pad.yaml"), (.pdfByForm, "Variants/pdf-by-form.yaml"),
        (.statementOnRequest, "Variants/statement-on-request.yaml"), (.webForms, "Variants/web-forms.yaml"),
        (.oldPortal, "Variants/old-portal.yaml"), (.jsonBank, "Variants/json-bank-in-a-browser.yaml"),
        (.singlePageApp, "Variants/single-page-app.yaml"), (.codeInPicture, "Variants/code-in-a-picture.yaml"),
    ]

    @Test("are those of Chromium on every page of the mock bank", .needsChromedriver, .timeLimit(.minutes(4)))
    func everyPage() async throws {
        let comparison = Comparison()
        for (scenario, path) in Self.visits { try await visit(scenario, path, comparison) }
        let (count, problems) = comparison.result
        #expect(problems == [])
        // Fewer would mean that the visits ended early.
        #expect(count > 80, "\(count) controls were compared")
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
        let script = BankScript("bank", named: "Bank", at: origin, isForTesting: true, steps: { Open("/") })
        let engine = try await BrowserNavigationEngine.start(for: script)
        do {
            for (index, known) in cases.enumerated() {
                try await engine.open("\(origin)/\(index)")
                let (name, computed) = try await engine.names(of: "x")
                #expect(computed == known.name, "\(known)")
                #expect(name == known.exception?.name ?? known.name, "\(known)")
                if let exception = known.exception { #expect(exception.name != known.name, "\(known)") }
            }
        } catch {
            Issue.record(error)
        }
        await engine.close()
        await site.stop()
        #expect(Set(cases.map(\.rule)).count == 9)
    }

    private func visit(_ scenario: Scenario, _ path: String, _ comparison: Comparison) async throws {
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
        services.gate = comparison
        let runner = ScriptRunner(services: services) { try await BrowserNavigationEngine.start(for: $0) }
        // Some scenarios end in a page that stops the script: it has been compared by then.
        _ = try? await runner.run(script, parameters: ["month": 11, "year": 2025])
        await bank.stop()
    }

    /// Compares the controls of the open page before each step.
    private final class Comparison: StepGate {
        private let state = Mutex<(seen: Set<String>, problems: [String])>(([], []))

        var result: (count: Int, problems: [String]) { state.withLock { ($0.seen.count, $0.problems.sorted()) } }

        func pass(_ place: StepPlace, _ engine: any NavigationEngine) async throws {
            guard let engine = engine as? BrowserNavigationEngine, await engine.hasPage else { return }
            do {
                for control in try await engine.controlsInTheAccessibilityTree() { compare(control) }
            } catch {
                state.withLock { $0.problems.append("\(place.words): \(error)") }
            }
        }

        private func compare(_ control: AccessibleControl) {
            let place = "\(control.page) <\(control.tag) \(control.mark)> “\(control.name)”"
            state.withLock { state in
                guard state.seen.insert(place).inserted else { return }
                let roles = AccessibleNamesInBrowserTests.roles[control.kind] ?? []
                let exception = AccessibleNamesInBrowserTests.exceptions[control.name]
                if control.computedName != exception?.computed ?? control.name {
                    state.problems.append("\(place): Chromium names it “\(control.computedName)”")
                }
                if !roles.contains(control.computedRole) {
                    state.problems.append("\(place): a \(control.kind), and Chromium says \(control.computedRole)")
                }
            }
        }
    }
}

private struct AccessibleControl: Sendable {
    var page: String
    var tag: String
    var mark: String
    /// The kind of control for a script: a link, a button or a field.
    var kind: String
    var name: String
    var computedName: String
    var computedRole: String
}

extension BrowserNavigationEngine {
    /// Returns the visible controls of the open page, with Chromium's name and role for each.
    fileprivate func controlsInTheAccessibilityTree() async throws -> [AccessibleControl] {
        let page = try await openPage()
        var controls: [AccessibleControl] = []
        let outline = PageOutline(page.document)
        let links = outline.links.map { ($0.element, "link") }
        let buttons = page.document.root?.descendants.filter { $0.isVisibleControl }.map {
            ($0, $0.isButton ? "button" : "field")
        }
        for (element, kind) in links + (buttons ?? []) {
            guard let known = try await node(of: element) else { continue }
            controls.append(
                AccessibleControl(
                    page: page.document.title, tag: element.name,
                    mark: element[attribute: "name"] ?? element[attribute: "id"] ?? "", kind: kind,
                    name: element.accessibleName, computedName: known.name, computedRole: known.role))
        }
        return controls
    }

    /// Returns our name and Chromium's of the element with an id.
    fileprivate func names(of id: String) async throws -> (ours: String, computed: String) {
        let page = try await openPage()
        let element = try page.element(.css("#" + id))
        return (element.accessibleName, try await node(of: element)?.name ?? "")
    }
}
