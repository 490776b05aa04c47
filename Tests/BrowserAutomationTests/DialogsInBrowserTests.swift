import Automation
import BankScript
import Foundation
import Secrets
import Selectors
import TestCases
import TestSupport
import Testing

@testable import BrowserAutomation

/// Dialogs that a page opens in Chromium are answered as the script says.
@Suite("Dialogs in the browser", .serialized)
struct DialogsInBrowserTests {
    private static let page = """
        <title>Bank</title><p id=out>nothing</p>
        <button onclick="alert('Welcome back'); out.textContent = 'told'">Tell</button>
        <button onclick="out.textContent = confirm('Stay signed in?') ? 'stays' : 'leaves'">Ask</button>
        <button onclick="out.textContent = prompt('Name this device', 'My computer') ?? 'no name'">Name</button>
        <form action=/sent onsubmit="return confirm('Send the form?')"><button>Send</button></form>
        <label>Code <input></label>
        <button onclick="setTimeout(() => alert('Your session ends soon'), 2000)">Wait</button>
        <button onclick="onbeforeunload = (event) => event.preventDefault()">Edit</button>
        <button onclick="for (;;) confirm('Stay signed in?')">Loop</button>
        <button onclick="setInterval(() => confirm('Stay signed in?'), 1)">Repeat</button>
        """

    @Test("are accepted, with the rule's text in a prompt", .needsChromedriver, .timeLimit(.minutes(3)))
    func accepted() async throws {
        let rules = [
            DialogRule(saying: "welcome", answer: .accept()), DialogRule(saying: "stay signed in", answer: .accept()),
            DialogRule(saying: "Name this", answer: .accept(typing: "Office")),
            DialogRule(saying: "send the form", answer: .accept()),
        ]
        try await visit(answering: rules) { engine in
            for (button, text) in [("Tell", "told"), ("Ask", "stays"), ("Name", "Office")] {
                try await engine.press(.button(.name(button)))
                #expect(try await engine.text(of: .css("#out")) == text)
            }
            try await engine.press(.button("Send"))
            #expect(await engine.page()?.path == "/sent")
        }
    }

    @Test("are dismissed", .needsChromedriver, .timeLimit(.minutes(3)))
    func dismissed() async throws {
        let rules = ["welcome", "stay", "name", "send"].map { DialogRule(saying: $0, answer: .dismiss) }
        try await visit(answering: rules) { engine in
            for (button, text) in [("Tell", "told"), ("Ask", "leaves"), ("Name", "no name"), ("Send", "no name")] {
                try await engine.press(.button(.name(button)))
                #expect(try await engine.text(of: .css("#out")) == text)
            }
            #expect(await engine.page()?.path == "/")
        }
    }

    @Test("end the step with their text where no rule names them", .needsChromedriver, .timeLimit(.minutes(3)))
    func unnamed() async throws {
        try await visit(answering: [DialogRule(saying: "name", answer: .accept())]) { engine in
            try await engine.press(.button("Name"))
            #expect(try await engine.text(of: .css("#out")) == "My computer", "the page's own text stays")
            for (button, text) in [("Tell", "“Welcome back”"), ("Ask", "“Stay signed in?”")] {
                let error = await #expect(throws: EngineError.self) { try await engine.press(.button(.name(button))) }
                #expect(error?.kind == .refused && error?.message.contains(text) == true, "\(error?.message ?? "")")
                #expect(error?.message.contains("“dialogs”") == true)
            }
            // A step after it is not disturbed.
            try await engine.press(.button("Name"))
        }
    }

    @Test("end the next step where they open between two steps", .needsChromedriver, .timeLimit(.minutes(3)))
    func betweenSteps() async throws {
        try await visit(answering: [DialogRule(saying: "send", answer: .accept())]) { engine in
            let activity = await engine.activity
            // On a slow machine the dialog opens while the first step waits for the page.
            var isBetween = false
            let error = await #expect(throws: EngineError.self) {
                try await engine.press(.button("Wait"))
                isBetween = true
                let end = ContinuousClock.now + .seconds(60)
                while ContinuousClock.now < end, activity.read({ $0.dialogs.isEmpty }) {
                    try await activity.change(since: activity.version, within: .milliseconds(100))
                }
                try await engine.press(.button("Send"))
            }
            // The second step has acted, so that the last steps of a run still sign out.
            #expect(await engine.page()?.path == (isBetween ? "/sent" : "/"))
            #expect(error?.message.contains("Your session ends soon") == true, "\(error?.message ?? "")")
        }
    }

    /// A person who gives no code. The page opens a dialog while they are asked.
    private struct Person: HumanPrompt {
        let engine: BrowserNavigationEngine

        func answer(_ prompt: Prompt) async throws -> Secret {
            try await DialogsInBrowserTests.openDialog(in: engine)
            return Secret("")
        }
    }

    @Test(
        "are named by the failure of a run that waited, which still signs out", .needsChromedriver,
        .timeLimit(.minutes(3)))
    func whileWaiting() async throws {
        let paths = try await visit(answering: [DialogRule(saying: "send the form", answer: .accept())]) { engine in
            let script = BankScript("bank", named: "Bank", at: await engine.script.origins[0], isForTesting: true) {
                SecondFactor("Code", from: .person, within: .minutes(1))
            } finally: {
                Press("Send")
            }
            let services = HostServices(
                credentials: TestCredentials(values: [:]), person: Person(engine: engine),
                downloads: FolderSink(URL(filePath: "/nonexistent")))
            let runner = ScriptRunner(services: services) { _ in engine }
            let failure = await #expect(throws: RunFailure.self) {
                try await runner.run(script, parameters: ["month": 1, "year": 2026])
            }
            #expect(failure?.code == .bankSecondFactorTimeout && failure?.reason == .noAnswer)
            let words = "no code was given; the page opened a dialog, “Your session ends soon”"
            #expect(failure?.message.hasPrefix(words) == true, "\(failure?.message ?? "")")
        }
        #expect(paths.contains { $0.hasPrefix("/sent") })
    }

    @Test("are kept for the failure where the next step fails by itself", .needsChromedriver, .timeLimit(.minutes(3)))
    func hidden() async throws {
        try await visit(answering: []) { engine in
            try await Self.openDialog(in: engine)
            let error = await #expect(throws: EngineError.self) { try await engine.open("/gone") }
            #expect(error?.kind == .network, "\(error?.message ?? "")")
            #expect(await engine.takeUntoldDialog() == "Your session ends soon")
            #expect(await engine.takeUntoldDialog() == nil)
        }
    }

    /// Lets the page open a dialog by itself, and returns when the browser has told of it.
    private static func openDialog(in engine: BrowserNavigationEngine) async throws {
        let activity = await engine.activity
        _ = try await engine.call("() => { setTimeout(() => alert('Your session ends soon'), 0); return null; }")
        let end = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < end, activity.read({ $0.dialogs.isEmpty }) {
            try await activity.change(since: activity.version, within: .milliseconds(100))
        }
    }

    @Test("let a step leave a page that asks whether to", .needsChromedriver, .timeLimit(.minutes(3)))
    func leaving() async throws {
        try await visit(answering: []) { engine in
            try await engine.press(.button("Edit"))
            try await engine.open("/other")
            #expect(await engine.page()?.path == "/other")
        }
    }

    @Test(
        "end the run when they come again and again, answered or not", .needsChromedriver, .timeLimit(.minutes(3)),
        arguments: ["Loop", "Repeat"])
    func endless(_ button: String) async throws {
        try await visit(answering: [DialogRule(saying: "stay signed in", answer: .accept())]) { engine in
            let error = await #expect(throws: EngineError.self) {
                for _ in 0..<100 {
                    try await engine.press(.button(.name(button)))
                    _ = try await engine.text(of: .css("#out"))
                }
            }
            let words = error?.message ?? ""
            #expect(words.contains("“Stay signed in?” again and again"), "\(words)")
        }
    }

    /// Opens the page in a browser, and does something with it. At the path `/gone` the bank gives no answer.
    ///
    /// - Returns: the paths that the browser asked for.
    @discardableResult private func visit(
        answering rules: [DialogRule], _ body: (BrowserNavigationEngine) async throws -> Void
    ) async throws -> Set<String> {
        try await BrowserVisit.run(
            answering: rules, page: { $0 == "/gone" ? nil : Self.page },
            { engine, origin in
                try await engine.open(origin + "/")
                try await body(engine)
            })
    }
}
