import Automation
import BankScript
import Secrets
import Selectors
import TestSupport
import Testing

@testable import BrowserAutomation

/// What Playwright waits for before it acts (https://playwright.dev/docs/actionability), each with a page on which it
/// comes true a moment late. A page that is not given that moment says so.
@Suite("An element that can be used only later, in the browser", .serialized)
struct ActionabilityInBrowserTests {
    /// The pages, by the check that fails at first. The button, the link, the field, the box and the list lead to `done`.
    private static let pages: [(check: String, html: String)] = [
        (
            "attached",
            """
            <div id=place></div><script>later(() => { place.innerHTML = controls; wire(); })</script>
            """
        ),
        (
            "visible",
            """
            <div id=place style="display:none"></div>
            <script>place.innerHTML = controls; wire(); later(() => { place.style.display = ''; })</script>
            """
        ),
        (
            "enabled",
            """
            <fieldset id=place disabled></fieldset>
            <script>place.innerHTML = controls; wire(); later(() => { place.disabled = false; })</script>
            """
        ),
        (
            "enabled by ARIA",
            """
            <div id=place aria-disabled=true></div>
            <script>place.innerHTML = controls; wire();
            place.addEventListener('click', (event) => {
              if (place.ariaDisabled !== 'true') return;
              event.preventDefault();
              event.stopImmediatePropagation();
            }, true);
            later(() => place.removeAttribute('aria-disabled'))</script>
            """
        ),
        (
            "takes clicks",
            """
            <div id=place style="pointer-events:none"></div>
            <script>place.innerHTML = controls; wire(); later(() => { place.style.pointerEvents = ''; })</script>
            """
        ),
        (
            "receives events",
            """
            <div id=place></div><div id=cover style="position:fixed;inset:0;background:#fff">Loading…</div>
            <script>place.innerHTML = controls; wire(); later(() => cover.remove())</script>
            """
        ),
        (
            "stable",
            """
            <style>@keyframes in { from { transform: translateX(-900px) } } #place { animation: in .6s linear }</style>
            <div id=place></div><script>place.innerHTML = controls; wire()</script>
            """
        ),
    ]

    private static func page(_ html: String) -> String {
        """
        <title>Bank</title><p id=out></p>
        <script>
        const controls = '<button>Go</button> <a href="#go">Went</a> <label>Name <input name=name></label>'
          + '<label><input type=checkbox> Agree</label>'
          + '<label>Year <select><option>2024<option>2025</select></label>';
        const later = (work) => setTimeout(work, 700);
        const say = (word) => { document.getElementById('out').textContent += word + ' '; };
        const wire = () => {
          place.querySelector('button').onclick = () => say('pressed');
          place.querySelector('a').onclick = () => say('followed');
          place.querySelector('[name=name]').onchange = (event) => say(event.target.value);
          place.querySelector('[type=checkbox]').onchange = (event) => say(event.target.checked);
          place.querySelector('select').onchange = (event) => say(event.target.value);
        };
        </script>
        """ + html
    }

    @Test("is pressed, followed, filled, checked and chosen then", .needsChromedriver, .timeLimit(.minutes(3)))
    func table() async throws {
        let acts: [(String, (BrowserNavigationEngine) async throws -> Void)] = [
            ("pressed", { try await $0.press(.button("Go")) }),
            ("followed", { try await $0.follow(.link("Went")) }),
            ("true", { try await $0.check(.field("Agree"), true) }),
            ("2025", { try await $0.choose("2025", in: .field("Year")) }),
            (
                "casey",
                {
                    try await $0.fill(.field("Name"), with: .text("casey"))
                    // The last field tells of its change when the focus leaves it.
                    try await $0.press(.button("Go"))
                }
            ),
        ]
        try await visit { engine, origin in
            for (index, known) in Self.pages.enumerated() {
                for (word, act) in acts {
                    try await engine.open("\(origin)/\(index)")
                    do {
                        try await act(engine)
                    } catch {
                        Issue.record("\(known.check), \(word): \(error)")
                        continue
                    }
                    let said = try await engine.text(of: .css("#out"))
                    #expect(said.contains(word), "\(known.check), \(word): \(said)")
                }
            }
        }
    }

    @Test("ends the step with what stands in the way, after its time", .needsChromedriver, .timeLimit(.minutes(3)))
    func neverReady() async throws {
        let ways: [(html: String, words: String)] = [
            ("<button disabled>Go</button>", "is disabled"),
            ("<button>Go</button><div style='position:fixed;inset:0'>News</div>", "is covered by <div> “News”"),
            ("<p>Nothing</p>", "nothing is found by: button “Go”"),
            (
                "<style>@keyframes m { to { margin-left: 90px } } button { animation: m 3s linear infinite }</style>"
                    + "<button>Go</button>", "does not stop moving"
            ),
        ]
        try await BrowserVisit.run(
            ChromiumConfiguration(patience: .seconds(1)),
            page: { path in
                Int(path.dropFirst()).map { ways[$0].html + "<script></script>" } ?? "<p>Bank</p>"
            },
            { engine, origin in
                for (index, way) in ways.enumerated() {
                    try await engine.open("\(origin)/\(index)")
                    let error = await #expect(throws: EngineError.self) { try await engine.press(.button("Go")) }
                    #expect(error?.message.contains(way.words) == true, "\(error?.message ?? "")")
                }
            })
    }

    @Test("ends the step at once on a page that nothing changes", .needsChromedriver, .timeLimit(.minutes(3)))
    func atRest() async throws {
        try await BrowserVisit.run(
            ChromiumConfiguration(patience: .seconds(600)), page: { _ in "<button disabled>Go</button>" },
            { engine, origin in
                try await engine.open(origin + "/")
                await #expect(throws: EngineError.self) { try await engine.press(.button("Go")) }
                await #expect(throws: EngineError.self) { try await engine.press(.button("Elsewhere")) }
            })
    }

    @Test(
        "is not the one that the page puts in its place in the last moment", .needsChromedriver,
        .timeLimit(.minutes(3)), arguments: [1, .max], ["redraw", "relabel"])
    func redrawn(times: Int, way: String) async throws {
        // The pointer has moved there by then, and the button is not down yet.
        let page = """
            <div id=pad></div><p id=out></p><script>
            let drawn = 0;
            const draw = (keys) => {
              pad.innerHTML = '';
              for (const key of keys) {
                const button = document.createElement('button');
                button.textContent = key;
                button.style = 'width: 80px';
                button.onpointerdown = button.onclick = (event) => { out.textContent += event.type + button.textContent + ' '; };
                pad.append(button);
              }
            };
            const relabel = (keys) => keys.forEach((key, index) => { pad.children[index].textContent = key; });
            draw(['1', '2']);
            addEventListener('pointermove', () => {
              if (++drawn <= \(times)) \(way == "redraw" ? "draw" : "relabel")(drawn % 2 ? ['2', '1'] : ['1', '2']);
            });
            </script>
            """
        try await BrowserVisit.run(
            ChromiumConfiguration(patience: .seconds(times == 1 ? 30 : 1)), page: { _ in page },
            { engine, origin in
                try await engine.open(origin + "/")
                if times == 1 {
                    try await engine.press(.button("1"))
                    #expect(try await engine.text(of: .css("#out")) == "pointerdown1 click1")
                } else {
                    let error = await #expect(throws: EngineError.self) { try await engine.press(.button("1")) }
                    #expect(error?.message.contains("nothing was pressed") == true, "\(error?.message ?? "")")
                    #expect(try await engine.text(of: .css("#out")) == "")
                }
            })
    }

    @Test("has the time that a step gives it", .needsChromedriver, .timeLimit(.minutes(4)))
    func patience() async throws {
        try await BrowserVisit.run(
            ChromiumConfiguration(patience: .milliseconds(500)),
            page: { _ in
                "<div id=d></div><script>setTimeout(() => { d.innerHTML = '<button>Go</button>' }, 3000)</script>"
            },
            { engine, origin in
                try await engine.open(origin + "/")
                await #expect(throws: EngineError.self) { try await engine.press(.button("Go")) }
                await engine.wait(within: .seconds(60))
                try await engine.press(.button("Go"))
                await engine.wait(within: nil)
                #expect(engine.patience == .milliseconds(500))
            })
    }

    @Test("costs nothing on a page that never stops asking", .needsChromedriver, .timeLimit(.minutes(3)))
    func restless() async throws {
        try await BrowserVisit.run(
            page: { path in
                path == "/news"
                    ? "{}"
                    : "<button id=b onclick='b.textContent = \"Went\"'>Go</button><script>setInterval(() => fetch('/news'), 50)</script>"
            },
            { engine, origin in
                let began = ContinuousClock.now
                try await engine.open(origin + "/")
                try await engine.press(.button("Go"))
                #expect(try await engine.text(of: .css("#b")) == "Went")
                // Each of the two steps waited eight seconds once.
                #expect(ContinuousClock.now - began < .seconds(8))
            })
    }

    private func visit(_ body: (BrowserNavigationEngine, String) async throws -> Void) async throws {
        try await BrowserVisit.run(
            page: { path in Self.page(Int(path.dropFirst()).map { Self.pages[$0].html } ?? "") }, body)
    }
}
