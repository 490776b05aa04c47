import Authoring
import Automation
import BankScript
import BrowserAutomation
import DefaultBank
import Encodings
import Foundation
import HTMLAutomation
import MockBank
import Secrets
import TestSupport
import Testing

/// A trace, opened in a browser.
// Serialised: each test has a Chromium of its own, and two at once exceed the tests' time limits on two cores.
@Suite("A trace in Chromium", .serialized)
struct TraceInBrowserTests {
    @Test(
        "shows the failed step, moves from step to step, loads nothing, and its pages run nothing",
        .needsChromedriver,
        .timeLimit(.minutes(4)))
    func opened() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let page = try await failedRun().write(to: folder.url)
        let driver = WebDriver()
        try await driver.start(logs: true)
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await look(at: page, driver)) } catch { outcome = .failure(error) }
        await driver.stop()
        try outcome.get()
    }

    private func look(at page: URL, _ driver: WebDriver) async throws {
        try await driver.resize(width: 1360, height: 900)
        try await driver.open(page.absoluteString)
        try await driver.wait(for: "nothing is found by: link “Documents”")
        #expect(try await shown(driver) == ["follow link “Documents”"])
        try await driver.shoot("trace-1-failed")
        _ = try await driver.evaluate("location.hash = '#step-4'")
        try await driver.wait(for: "The page after")
        #expect(try await shown(driver) == ["press button “Sign in”"])
        let marked = """
            const frame = document.querySelector('section:target iframe').contentDocument;
            return [frame.querySelectorAll('[data-countersign-match]').length, frame.scripts.length,
              frame.querySelectorAll('a[href], form[action]').length].join(' ');
            """
        var seen = ""
        for _ in 0..<100 where seen != "1 0 0" {
            seen = try await driver.evaluate(marked).stringValue ?? ""
            if seen != "1 0 0" { try await Task.sleep(for: .milliseconds(50)) }
        }
        #expect(seen == "1 0 0")
        try await expectMatchInView(driver)
        _ = try await driver.evaluate("document.querySelector('section:target details').open = true")
        try await driver.shoot("trace-2-step")
        let text = try await driver.source()
        for secret in ["robin.ashdown", "correct horse", "correct+horse", "123456", "8836"] {
            #expect(!text.has(wholeWord: secret), "\(secret)")
        }
        let requests = try await driver.log("performance").compactMap { record -> String? in
            let message = try record["message"]?.stringValue.map { try JSONReader.read($0) }?["message"]
            guard message?["method"] == "Network.requestWillBeSent" else { return nil }
            return message?["params"]?["request"]?["url"]?.stringValue
        }
        #expect(requests.allSatisfy { $0.hasPrefix("file:") || $0.hasPrefix("about:") }, "\(requests)")
        let complaints = try await driver.log("browser").filter { $0["level"] == "SEVERE" }
        #expect(complaints.isEmpty, "\(complaints)")
    }

    /// Expects that a step is shown scrolled to the element that it found, in a window in which the page begins far below.
    private func expectMatchInView(_ driver: WebDriver) async throws {
        try await driver.resize(width: 1360, height: 420)
        _ = try await driver.evaluate("location.hash = '#step-3'")
        _ = try await driver.evaluate("location.hash = '#step-4'")
        let isSeen = """
            const frame = document.querySelector('section:target iframe');
            const match = frame.contentDocument.querySelector('[data-countersign-match]');
            const top = frame.getBoundingClientRect().top + match.getBoundingClientRect().top;
            return top > 0 && top < innerHeight;
            """
        let end = ContinuousClock.now + .seconds(60)
        while try await driver.evaluate(isSeen) != true {
            try #require(ContinuousClock.now < end, "the element that the step found is out of sight")
            try await Task.sleep(for: .milliseconds(50))
        }
        try await driver.resize(width: 1360, height: 900)
    }

    @Test(
        "of a run in the browser has a picture of each page, the script beside each step, and a filter",
        .needsChromedriver, .timeLimit(.minutes(3)))
    func pictures() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (trace, steps) = try await runInBrowser()
        let page = try trace.write(to: folder.url)
        for name in folder.names {
            let text = try String(contentsOf: folder.appending(name), encoding: .utf8)
            for secret in ["robin.ashdown", "correct horse", "correct+horse", "40 2071 8836"] {
                #expect(!text.contains(secret), "\(name) has \(secret)")
            }
        }
        let driver = WebDriver()
        try await driver.start(logs: true)
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await lookAtPictures(page, steps, driver))
        } catch { outcome = .failure(error) }
        await driver.stop()
        try outcome.get()
    }

    private func lookAtPictures(_ page: URL, _ steps: Int, _ driver: WebDriver) async throws {
        try await driver.resize(width: 1280, height: 800)
        try await driver.open(page.absoluteString)
        try await driver.wait(for: "The page's content")
        // Each picture can be drawn, and each step with a page has a still.
        let drawn = try await driver.wait(
            forResultOf: """
                const done = arguments[0], images = [...document.querySelectorAll('.picture img, .film img')];
                Promise.all(images.map(image => image.decode().then(() => image.naturalWidth > 1000, () => false)))
                  .then(all => done([all.every(Boolean), document.querySelectorAll('.picture').length,
                    document.querySelectorAll('.film a').length]));
                """)
        let pictures = drawn.arrayValue?[1].intValue ?? 0
        #expect(drawn.arrayValue?.first == true && pictures >= steps, "\(drawn)")
        #expect(drawn.arrayValue?.last?.intValue == steps, "\(drawn)")
        // A still leads to its step, whose line of the script is marked.
        let marked = try await driver.evaluate(
            """
            document.querySelectorAll('.film a')[2].click();
            const section = document.querySelector('section:target');
            return [section.querySelector('h2').textContent, section.querySelector('.source .here').textContent.trim(),
              document.querySelector('.film a.here').getAttribute('aria-current')];
            """)
        #expect(
            marked == [
                "fill field “Password” with the password", "9  - fill: { Username: $username, Password: $password }",
                "step",
            ],
            "\(marked)")
        try await driver.shoot("trace-3-picture")
        let filtered = try await driver.evaluate(
            """
            const field = document.querySelector('.filter input');
            field.value = 'get challenge';
            field.dispatchEvent(new Event('input', { bubbles: true }));
            const all = [...document.querySelectorAll('.exchange')];
            return [all.filter(exchange => !exchange.hidden).map(exchange => exchange.querySelector('code').textContent),
              all.length > 3, document.querySelectorAll('nav a.faded').length > 3];
            """)
        #expect(filtered == [["/api/challenge"], true, true], "\(filtered)")
        try await driver.shoot("trace-4-filter")
        let complaints = try await driver.log("browser").filter { $0["level"] == "SEVERE" }
        #expect(complaints.isEmpty, "\(complaints)")
    }

    /// Fetches a statement from the bank that is a single page.
    ///
    /// - Returns: the trace, and the number of steps that saw a page.
    private func runInBrowser() async throws -> (Trace, Int) {
        var configuration = MockBankConfiguration()
        configuration.scenario = .singlePageApp
        let bank = try await MockBankServer.start(configuration)
        let file = Repository.file("BankScripts/DefaultBank/Variants/single-page-app.yaml")
        let text = try String(contentsOf: file, encoding: .utf8)
        let script = try BankScript(yaml: text, file: "single-page-app.yaml").served(at: bank.url, isForTesting: true)
        let recorder = TraceRecorder(script, source: text)
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let services = HostServices(
            credentials: Robin(), person: Robin(), downloads: FolderSink(folder.url), observer: recorder)
        let runner = ScriptRunner(services: services) {
            recorder.watching(
                try await BrowserNavigationEngine.start(
                    for: $0,
                    configuration: .init(
                        pictures: .masked, console: { recorder.record($0) }, observer: { recorder.record($0) })))
        }
        let outcome: Result<FetchedDocument, any Error>
        do {
            outcome = .success(try await runner.run(script, parameters: ["month": 1, "year": 2026]))
        } catch { outcome = .failure(error) }
        await bank.stop()
        _ = try outcome.get()
        let trace = Trace(recorder)
        let pages = trace.html.components(separatedBy: "<section id=").dropFirst().count { $0.contains("<figure>") }
        return (trace, pages)
    }

    private func shown(_ driver: WebDriver) async throws -> [String] {
        let script = """
            return [...document.querySelectorAll('section')].filter(s => s.offsetParent)
              .map(s => s.querySelector('h2').textContent)
            """
        return try await driver.evaluate(script).arrayValue?.compactMap(\.stringValue) ?? []
    }

    private func failedRun() async throws -> Trace {
        let bank = try await MockBankServer.start()
        var script = MeridianSavings.script.served(at: bank.url, isForTesting: true)
        let link = script.forEachPeriod.firstIndex { $0.action.as(FollowStep.self) != nil }
        script.forEachPeriod[try #require(link)].action = .follow(.link("Documents"))
        let recorder = TraceRecorder(script)
        let engine = EngineConfiguration { recorder.record($0) }
        let services = HostServices(
            credentials: Robin(), person: Robin(), downloads: FolderSink(FileManager.default.temporaryDirectory),
            observer: recorder)
        let runner = ScriptRunner(services: services) {
            recorder.watching(try HTMLNavigationEngine(for: $0, configuration: engine))
        }
        await #expect(throws: RunFailure.self) { try await runner.run(script, parameters: ["month": 1, "year": 2026]) }
        await bank.stop()
        return Trace(recorder)
    }
}

/// The bank's customer.
private struct Robin: CredentialProvider, HumanPrompt {
    func credential(named name: String, forBank bankID: String) async throws -> Secret? {
        ["username": "robin.ashdown", "password": "correct horse"][name].map(Secret.init)
    }

    func answer(_ prompt: Prompt) async throws -> Secret { Secret("123456") }
}
