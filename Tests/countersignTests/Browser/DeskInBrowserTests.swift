import AuthorDesk
import Authoring
import BankScript
import Encodings
import Foundation
import TestCases
import TestSupport
import Testing

/// The author's desk, used in a browser.
// Serialised: each test has a Chromium of its own, and two at once exceed the tests' time limits on two cores.
@Suite("The author's desk in Chromium", .serialized)
struct DeskInBrowserTests {
    /// Opens the desk on a recording of a visit for which the bank had renamed a link.
    ///
    /// - Parameter change: changes each recorded page.
    private func withDesk(
        changing change: (String) -> String = { $0 }, _ body: (WebDriver, URL) async throws -> Void
    ) async throws {
        let made = try await AuthorsFolder.make()
        defer { made.folder.remove() }
        let file = made.folder.appending("meridian-savings.yaml")
        var exchanges = try HTTPArchive(reading: try Data(contentsOf: made.folder.appending("failed.har"))).exchanges
        for index in exchanges.indices {
            let page = String(decoding: exchanges[index].responseBody ?? [], as: UTF8.self)
            guard page.contains("</html>") else { continue }
            exchanges[index].responseBody = Array(change(page).utf8)
        }
        let archive = HTTPArchive(exchanges)
        let desk = AuthorDesk(
            ScriptOnDisk(path: file.path), recording: archive, plugged: .standard,
            parameters: { _ in RecordedRun.period })
        let server = try await DeskServer.start(desk)
        let driver = WebDriver()
        let outcome: Result<Void, any Error>
        do {
            try await driver.start(logs: true)
            try await driver.resize(width: 1280, height: 800)
            try await driver.open(server.address.revealed())
            outcome = .success(try await body(driver, file))
        } catch { outcome = .failure(error) }
        await driver.stop()
        await server.stop()
        try outcome.get()
    }

    private static let control = "\u{E009}"
    private static let tab = "\u{E004}"
    private static let down = "\u{E015}"
    private static let enter = "\u{E007}"
    private static let f6 = "\u{E036}"

    /// Waits until a script in the page gives true.
    private func wait(_ driver: WebDriver, until script: String) async throws {
        let end = ContinuousClock.now + .seconds(60)
        while try await driver.evaluate("return Boolean(\(script))") != true {
            guard ContinuousClock.now < end else {
                let shown = try await driver.text()
                throw WebDriver.Failure(description: "never true: \(script); the page says: \(shown)")
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    private func text(_ driver: WebDriver) async throws -> String {
        try await driver.evaluate("return document.getElementById('text').value").stringValue ?? ""
    }

    @Test(
        "mends a step by keyboard alone: replays, chooses an element, replaces the line, replays and saves",
        .needsChromedriver, .timeLimit(.minutes(3)))
    func keyboard() async throws {
        try await withDesk { driver, file in
            let before = try String(contentsOf: file, encoding: .utf8)
            try await driver.wait(for: "The script does not match the recording.")
            let line = try #require(
                before.split(separator: "\n", omittingEmptySubsequences: false)
                    .firstIndex { $0.contains("follow: Statements") })
            // The caret is in the first line; the failed step's line is reached with the arrow key.
            try await driver.press(String(repeating: Self.down, count: line))
            try await driver.wait(for: "link “Statements”: nothing on this page")
            try await driver.shoot("desk-1-failed")
            // F6 goes to the elements of the page, and typing there finds one of them by its first letters.
            try await driver.press(Self.f6)
            try await wait(driver, until: "document.activeElement.id === 'elements'")
            // The list is filled once its answer has come.
            let options = "[...document.getElementById('elements').options]"
            try await wait(driver, until: "\(options).some(one => one.text.startsWith('link Post'))")
            try await driver.press("link Post")
            try await driver.wait(for: "- follow: \"\(AuthorsFolder.renamed)\"")
            try await driver.shoot("desk-2-chosen")
            try await driver.press(Self.f6 + Self.tab + Self.enter)
            try await driver.wait(for: "link “\(AuthorsFolder.renamed)”: one element")
            #expect(try await text(driver).contains("follow: \"\(AuthorsFolder.renamed)\""))
            // The failure was an earlier text's.
            try await driver.wait(for: "The text has changed since the last replay.")
            #expect(
                try String(contentsOf: file, encoding: .utf8) == before, "nothing is saved before the author says so")
            try await chord(driver, Self.enter)
            try await driver.wait(for: "The script matches the recording")
            try await wait(driver, until: "document.getElementById('age').hidden")
            try await chord(driver, "s")
            try await wait(driver, until: "document.getElementById('saved').textContent === 'saved'")
            let after = try String(contentsOf: file, encoding: .utf8)
            #expect(after == before.replacing("follow: Statements", with: "follow: \"\(AuthorsFolder.renamed)\""))
            try await driver.shoot("desk-3-mended")
            try await expectQuiet(driver)
        }
    }

    @Test(
        "marks what a locator finds while one types, offers a clicked element, and asks before it replaces a changed file",
        .needsChromedriver, .timeLimit(.minutes(3)))
    func pointer() async throws {
        try await withDesk { driver, file in
            try await driver.wait(for: "The script does not match the recording.")
            let marked = """
                document.getElementById('frame').contentDocument?.querySelectorAll('[data-countersign-match]').length
                """
            let lines = try await text(driver).split(separator: "\n", omittingEmptySubsequences: false)
            let line = try #require(lines.firstIndex { $0.contains("Username: $username") })
            try await driver.press(String(repeating: Self.down, count: line))
            try await wait(driver, until: "\(marked) === 2")
            // One character of a name makes the field unknown; the mark goes while it is typed.
            _ = try await driver.evaluate(
                """
                const text = document.getElementById('text'), at = text.value.indexOf('Username: $') + 8;
                text.setSelectionRange(at, at);
                """)
            try await driver.press("x")
            try await wait(driver, until: "\(marked) === 1")
            try await driver.wait(for: "not saved")
            // A click on an element of the recorded page.
            _ = try await driver.evaluate(
                """
                const frame = document.getElementById('frame').contentDocument;
                const button = [...frame.querySelectorAll('button')].find(one => one.textContent.includes('Sign in'));
                const box = button.getBoundingClientRect(), outer = document.getElementById('frame').getBoundingClientRect();
                const x = outer.left + box.left + box.width / 2, y = outer.top + box.top + box.height / 2;
                document.getElementById('glass').dispatchEvent(
                  new MouseEvent('click', { clientX: x, clientY: y, bubbles: true }));
                """)
            try await driver.wait(for: "- press: Sign in")
            // Another program changes the file: the text in the editor stays, and the author decides.
            try Data("bank: theirs\n".utf8).write(to: file)
            try await driver.wait(for: "Another program has changed the file.")
            #expect(try await text(driver).contains("Usernamex"))
            try await driver.shoot("desk-4-changed")
            try await chord(driver, "s")
            try await driver.wait(for: "save your text over it")
            #expect(try String(contentsOf: file, encoding: .utf8) == "bank: theirs\n")
            try await driver.click("#over")
            try await wait(driver, until: "document.getElementById('saved').textContent === 'saved'")
            #expect(try String(contentsOf: file, encoding: .utf8).contains("Usernamex"))
            try await driver.resize(width: 390, height: 844)
            let width = try await driver.evaluate("return document.documentElement.scrollWidth <= innerWidth")
            #expect(width == true)
            try await driver.shoot("desk-5-narrow")
            try await expectQuiet(driver, besides: "409")
        }
    }

    @Test(
        "keeps the marks of a text that is not a script for a moment, but not on another page",
        .needsChromedriver, .timeLimit(.minutes(3)))
    func brokenText() async throws {
        try await withDesk { driver, file in
            try await driver.wait(for: "The script does not match the recording.")
            let outlined = """
                document.getElementById('frame').contentDocument?.querySelectorAll('[data-desk-other]').length
                """
            try await wait(driver, until: "\(outlined) === 3")
            try await driver.press("{")
            try await driver.wait(for: "1 error")
            try await wait(driver, until: "\(outlined) === 3")
            _ = try await driver.evaluate(
                """
                const pages = document.getElementById('pages');
                pages.value = '2';
                pages.dispatchEvent(new Event('change'));
                """)
            try await wait(
                driver, until: "document.getElementById('elements').textContent.includes('\(AuthorsFolder.renamed)')")
            try await wait(driver, until: "\(outlined) === 0")
        }
    }

    @Test(
        "reads and outlines a page whose names hide the members of its document and its forms",
        .needsChromedriver, .timeLimit(.minutes(3)))
    func hidingNames() async throws {
        // In a page's script, `document.body` is the image of this name, and a form's `getAttribute` is the field.
        let names = [
            "body", "head", "documentElement", "querySelectorAll", "createElement", "elementFromPoint", "getAttribute",
            "setAttribute", "removeAttribute", "closest", "getBoundingClientRect", "append", "scrollWidth",
            "scrollHeight", "attributes", "children", "parentNode", "style", "id", "defaultView",
        ]
        let fields = names.map { #"<input name="\#($0)">"# }.joined()
        let images = names.map { #"<img name="\#($0)" alt="">"# }.joined()
        let hide: (String) -> String = {
            $0.replacing("</form>", with: fields + "</form>").replacing("</main>", with: images + "</main>")
        }
        try await withDesk(changing: hide) { driver, file in
            try await driver.wait(for: "The script does not match the recording.")
            let page = "document.getElementById('frame').contentDocument"
            let select = "Document.prototype.querySelectorAll.call(\(page), "
            let lines = try await text(driver).split(separator: "\n", omittingEmptySubsequences: false)
            let line = try #require(lines.firstIndex { $0.contains("Username: $username") })
            try await driver.press(String(repeating: Self.down, count: line))
            try await wait(driver, until: "\(select)'[data-countersign-match]').length === 2")
            #expect(try await driver.evaluate("return typeof \(page).querySelectorAll") == "object")
            let top = "\(select)'button')[0].getBoundingClientRect()"
            _ = try await driver.evaluate(
                """
                const box = \(top), outer = document.getElementById('frame').getBoundingClientRect();
                document.getElementById('glass').dispatchEvent(new MouseEvent('click', {
                  clientX: outer.left + box.left + box.width / 2, clientY: outer.top + box.top + box.height / 2,
                  bubbles: true }));
                """)
            try await driver.wait(for: "- press: Sign in")
            // What is around the button is the form that holds the names.
            try await driver.click("#around")
            try await wait(driver, until: "\(select)'form[data-desk-chosen]').length === 1")
            try await expectQuiet(driver)
        }
    }

    @Test("tells a fault of its page apart from its end", .needsChromedriver, .timeLimit(.minutes(3)))
    func faults() async throws {
        try await withDesk { driver, _ in
            try await driver.wait(for: "The script does not match the recording.")
            // The page asks for the file's version every two seconds.
            _ = try await driver.evaluate("window.fetch = () => Promise.resolve(new Response('{}'))")
            try await driver.wait(for: "This page has a fault")
            _ = try await driver.evaluate("window.fetch = () => Promise.reject(new TypeError('Failed to fetch'))")
            try await driver.wait(for: "The desk has ended.")
        }
    }

    /// Presses a key while Control is held down.
    private func chord(_ driver: WebDriver, _ key: String) async throws {
        try await driver.press(holding: Self.control, key)
    }

    /// Expects that nothing was asked of another host, and that the browser had nothing to complain about.
    private func expectQuiet(_ driver: WebDriver, besides status: String? = nil) async throws {
        let requests = try await driver.log("performance").compactMap { record -> String? in
            let message = try record["message"]?.stringValue.map {
                try JSONReader.read($0, limits: JSONLimits(size: 4 << 20))
            }?["message"]
            guard message?["method"] == "Network.requestWillBeSent" else { return nil }
            return message?["params"]?["request"]?["url"]?.stringValue
        }
        #expect(
            !requests.isEmpty && requests.allSatisfy { $0.hasPrefix("http://127.0.0.1:") || $0.hasPrefix("data:") },
            "\(requests)")
        let complaints = try await driver.log("browser").filter { complaint in
            complaint["level"] == "SEVERE"
                && status.map { complaint["message"]?.stringValue?.contains("status of \($0)") != true } ?? true
        }
        #expect(complaints.isEmpty, "\(complaints)")
    }
}
