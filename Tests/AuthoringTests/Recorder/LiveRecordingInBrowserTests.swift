import Automation
import BankScript
import Crypto
import Encodings
import Foundation
import HTMLAutomation
import MockBank
import Selectors
import TestCases
import TestSupport
import Testing

@testable import Authoring
@testable import BrowserAutomation

/// Visits of the mock bank in Chromium, with the input of a pointer and keys. The script that comes of one fetches another
/// month without an edit.
@Suite("A visit recorded in Chromium", .serialized)
struct LiveRecordingInBrowserTests {
    fileprivate enum Act: Sendable {
        case type(String, String)
        case click(String, String? = nil)
        case check(String)
        /// Types the beginning of an option into a focused list.
        case pick(String, String)
        case enter(String)
        case download(String, String? = nil)
    }

    private struct Visit: Sendable, CustomTestStringConvertible {
        var scenario: Scenario
        var acts: [Act]
        /// The engines that the draft works on.
        var engines: [ScriptEngine] = [.browser, .html]
        var testDescription: String { scenario.rawValue }
    }

    private static let password: [Act] = [
        .type("[name=username]", "robin.ashdown"), .type("[name=password]", "correct horse"),
        .click("button", "Sign in"),
    ]
    private static let signIn = password + [.type("[name=code]", "123456"), .click("button", "Continue")]
    private static let archive: [Act] = [
        .click("a", "Statements"), .pick("#year", "2025"), .click("button", "Show"),
    ]
    private static let signOut: [Act] = [.click("button", "Sign out")]

    private static let visits = [
        Visit(scenario: .happy, acts: signIn + archive + [.download("tr:nth-child(3) a")] + signOut),
        Visit(
            scenario: .monthOnPageThree,
            acts: signIn + archive + [.click("a", "Next"), .click("a", "Next"), .download("tr:nth-child(2) a")]
                + signOut),
        Visit(
            scenario: .choiceOfMethods,
            acts: password + [
                .check("#message"), .click("button", "Continue"), .type("[name=code]", "123456"),
                .click("button", "Continue"),
            ] + archive + [.download("tr:nth-child(3) a")] + signOut),
        Visit(
            scenario: .pdfByForm,
            acts: signIn + [
                .click("a", "Statements"), .pick("#month", "October"), .pick("#year", "2025"),
                .download("button", "Create PDF"),
            ] + signOut),
        Visit(
            scenario: .oldPortal,
            acts: [
                .type("[name=kennung]", "robin.ashdown"), .type("[name=pin]", "correct horse"),
                .click("[name=anmelden]"), .type("[name=tan]", "123456"), .click("[name=absenden]"),
                .click("a", "2025"), .download("tr:nth-child(3) [name=zeigen]"), .click("a", "Abmelden"),
            ]),
        Visit(
            scenario: .jsonBank,
            acts: signIn + [.click("button", "2025"), .download("li:nth-child(3) button")] + signOut,
            engines: [.browser]),
        Visit(
            scenario: .singlePageApp,
            acts: password + [
                .enter("iframe"), .type("[name=code]", "123456"), .click("button", "Confirm"),
                .click("a", "Statements"), .download("li:nth-child(3) a"),
            ] + signOut, engines: [.browser]),
    ]

    @Test(
        "becomes a script that fetches another month", .needsChromedriver, .timeLimit(.minutes(4)), arguments: visits)
    private func recorded(_ visit: Visit) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var configuration = MockBankConfiguration()
        configuration.scenario = visit.scenario
        let bank = try await MockBankServer.start(configuration)
        let draft = try await Self.record(visit, at: bank.url + "/login", in: folder)
        #expect(draft.review(as: "recording").outcome == .notReplayable(source: "recording"), "\(draft.yaml)")
        for secret in ["robin.ashdown", "correct horse", "123456"] { #expect(!draft.yaml.contains(secret)) }
        // No edit by hand: the draft, as it is, fetches another month.
        let right = Base16.encode(SHA256.hash(data: MockBankServer.statement(month: 5, year: 2025)))
        for engine in visit.engines {
            var script = try BankScript(yaml: draft.yaml, file: "draft.yaml")
            script.engine = engine
            let services = HostServices(
                credentials: TestCredentials(values: RecordedRun.login), person: TestPerson(code: "123456"),
                downloads: FolderSink(folder.url))
            let runner = ScriptRunner(services: services) { script in
                guard script.engine == .browser else { return try HTMLNavigationEngine(for: script) }
                return try await BrowserNavigationEngine.start(for: script)
            }
            do {
                let document = try await runner.run(script, parameters: ["month": 5, "year": 2025])
                #expect(document.sha256 == right, "\(draft.yaml)")
            } catch {
                Issue.record("\(engine.rawValue): \(error)\n\(draft.yaml)")
            }
        }
        await bank.stop()
    }

    /// Visits the bank, and returns the draft of what the browser saw.
    private static func record(_ visit: Visit, at url: String, in folder: TemporaryFolder) async throws -> ScriptDraft {
        let script = BankScript(
            "recording", named: "Recording", at: String(url.dropLast("/login".count)), isForTesting: true,
            engine: .browser, steps: { Open("/") })
        let engine = try await BrowserNavigationEngine.start(for: script)
        let actions = try await engine.record()
        let recording = Task {
            var recording = LiveRecording(openedAt: url)
            for await action in actions { recording.add(action) }
            return recording
        }
        do {
            try await engine.open(url)
            for act in visit.acts { try await engine.perform(act, in: folder) }
        } catch {
            await engine.close()
            throw error
        }
        await engine.close()
        let recorded = await recording.value
        #expect(recorded.hasDownload)
        #expect(recorded.credentials.mapValues { $0.revealed() } == RecordedRun.login)
        return try recorded.draft()
    }
}

extension BrowserNavigationEngine {
    fileprivate func perform(_ act: LiveRecordingInBrowserTests.Act, in folder: TemporaryFolder) async throws {
        func locator(_ selector: String, _ text: String?) -> Locator {
            let locator = Locator.css(selector)
            return text.map { locator.containing(.name($0)) } ?? locator
        }
        switch act {
        case .type(let field, let text): try await fill(.css(field), with: .text(text))
        case .click(let selector, let text): try await press(locator(selector, text))
        case .check(let box): try await check(.css(box), true)
        case .pick(let list, let option):
            let (_, element) = try await locate(.css(list)) { try $0.element(.css(list)) }
            _ = try await call("(number) => kept.elements[number].focus()", element.number)
            try await self.act { try await type(option) }
        case .enter(let frame): try await enter(frame: .css(frame))
        case .download(let selector, let text):
            _ = try await download(
                .control(locator(selector, text)), to: folder.appending("recorded.pdf"), limit: 1 << 20)
        }
    }
}
