import Automation
import Secrets
import Selectors
import TestSupport
import Testing

@testable import BrowserAutomation

/// Nothing is sent that a field does not hold.
@Suite("Filling in the browser", .serialized)
struct FillingInBrowserTests {
    /// A page that draws its field anew some time after a key. It keeps what the field held, or not.
    private static func redrawing(after delay: Int, keeping keeps: Bool = true, always: Bool) -> String {
        """
        <div id=place></div><script>
        let text = '', drawn = 0;
        function draw() {
          if (drawn++ > \(always ? 1000 : 1)) return;
          place.innerHTML = '<label>Customer <input id=field></label><button id=go>Go</button>';
          field.value = text;
          field.oninput = () => { \(keeps ? "text = field.value;" : "") setTimeout(draw, \(delay)); };
          go.onclick = () => { location = '/sent?' + field.value; };
        }
        draw();
        </script>
        """
    }

    private static let pages: [String: String] = [
        "/once": redrawing(after: 20, always: false), "/always": redrawing(after: 20, always: true),
        "/losing": redrawing(after: 20, keeping: false, always: true),
        "/late": """
        <label>Customer <input id=field></label><button onclick="location = '/sent?' + field.value">Go</button>
        <label>Other <input oninput="field.value = field.value.slice(0, 3)"></label><script></script>
        """,
        "/form": "<form action=/sent><label>Code <input name=code></label></form><script></script>",
        "/advance": """
        <label>Code <input maxlength=6 oninput="if (value.length == 6) location = '/sent?' + value"></label>
        <script></script>
        """,
        "/unchecked": """
        <label><input type=checkbox onchange="setTimeout(() => { checked = false; }, 0)"> Agree</label>
        <script></script>
        """,
        "/list": """
        <div id=place></div><script>
        let drawn = 0;
        function draw() {
          place.innerHTML = '<label>Year <select id=year><option>2024<option>2025</select></label>';
          year.onchange = () => { if (!drawn++) setTimeout(draw, 5); };
        }
        draw();
        </script>
        """,
        "/menu": "<label>Go to <select onchange='value = \"\"'><option value=''>…<option>2025</select></label>",
    ]

    @Test(
        "gives the whole text to a page that draws the field anew", .needsChromedriver, .timeLimit(.minutes(3)),
        arguments: ["/once", "/always"])
    func redrawn(_ path: String) async throws {
        let paths = try await visit(path) { engine in
            try await engine.fill(.field("Customer"), with: .secret(Secret("casey.navigator")))
            try await engine.press(.button("Go"))
        }
        #expect(paths.filter { $0.hasPrefix("/sent") } == ["/sent?casey.navigator"])
    }

    @Test("sends nothing where a part is lost again and again", .needsChromedriver, .timeLimit(.minutes(3)))
    func losing() async throws {
        let paths = try await visit("/losing") { engine in
            let error = await #expect(throws: EngineError.self) {
                try await engine.fill(.field("Customer"), with: .secret(Secret("casey.navigator")))
                try await engine.press(.button("Go"))
            }
            #expect(error?.kind == .notFillable, "\(error?.message ?? "")")
        }
        #expect(!paths.contains { $0.hasPrefix("/sent") })
    }

    @Test("gives a secret again that the page has cut before it is sent", .needsChromedriver, .timeLimit(.minutes(3)))
    func late() async throws {
        let paths = try await visit("/late") { engine in
            try await engine.fill(.field("Customer"), with: .secret(Secret("casey.navigator")))
            try await engine.fill(.field("Other"), with: .text("x"))
            try await engine.press(.button("Go"))
        }
        #expect(paths.filter { $0.hasPrefix("/sent") } == ["/sent?casey.navigator"])
    }

    @Test("sends a form by its field", .needsChromedriver, .timeLimit(.minutes(3)))
    func form() async throws {
        let paths = try await visit("/form") { engine in
            try await engine.fill(.field("Code"), with: .secret(Secret("123456")))
            try await engine.submit(formOf: .field("Code"))
        }
        #expect(paths.contains("/sent?code=123456"))
    }

    @Test("is over where the last key sends the page away", .needsChromedriver, .timeLimit(.minutes(3)))
    func advancing() async throws {
        let paths = try await visit("/advance") { engine in
            try await engine.fill(.field("Code"), with: .secret(Secret("123456")))
            #expect(await engine.page()?.path == "/sent")
        }
        #expect(paths.contains("/sent?123456"))
    }

    @Test("notices a box that the page unchecks again", .needsChromedriver, .timeLimit(.minutes(3)))
    func unchecked() async throws {
        try await visit("/unchecked", patience: .seconds(1)) { engine in
            let error = await #expect(throws: EngineError.self) { try await engine.check(.field("Agree"), true) }
            #expect(error?.message.contains("is not checked after it was clicked") == true, "\(error?.message ?? "")")
        }
    }

    @Test("chooses again in a list that the page draws anew", .needsChromedriver, .timeLimit(.minutes(3)))
    func list() async throws {
        try await visit("/list") { engine in
            try await engine.choose("2025", in: .field("Year"))
            #expect(try await engine.call("() => document.querySelector('select').value") == "2025")
        }
    }

    @Test("leaves a list alone that is a menu", .needsChromedriver, .timeLimit(.minutes(3)))
    func menu() async throws {
        try await visit("/menu") { engine in try await engine.choose("2025", in: .field("Go to")) }
    }

    @discardableResult private func visit(
        _ path: String, patience: Duration = .seconds(10), _ body: (BrowserNavigationEngine) async throws -> Void
    ) async throws -> Set<String> {
        try await BrowserVisit.run(
            ChromiumConfiguration(patience: patience),
            page: { "<title>Bank</title>" + (Self.pages[$0] ?? "<p>Sent</p>") },
            { engine, origin in
                try await engine.open(origin + path)
                try await body(engine)
            })
    }
}
