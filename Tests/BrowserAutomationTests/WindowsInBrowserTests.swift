import Automation
import Selectors
import TestSupport
import Testing

@testable import BrowserAutomation

/// A window that a page opens is the page from then on, and the page before comes back when it closes.
@Suite("Windows in the browser", .serialized)
struct WindowsInBrowserTests {
    private static let pages: [String: String] = [
        "/opener": "<button onclick=\"window.open('/opened', '_blank')\">Open</button>",
        "/noopener": "<button onclick=\"window.open('/opened', '_blank', 'noopener')\">Open</button>",
        "/late": "<button onclick=\"setTimeout(() => window.open('/opened'), 1500)\">Open</button>",
        "/link": "<a role=button href=/opened target=_blank>Open</a>",
        "/form": "<form action=/opened target=_blank><button>Open</button></form>",
        "/written": """
        <button onclick="const other = window.open(''); other.document.write('<p id=here>Opened</p>');
          other.document.close()">Open</button>
        """,
        "/closing": """
        <button onclick="window.open('/closes'); setTimeout(() => { back.textContent = 'Back'; }, 100)">Open</button>
        <p id=back></p>
        """,
        "/closes": "<script>setTimeout(() => close(), 400)</script><p id=short>Short</p>",
        "/opened": "<p id=here>Opened</p>",
        "/framed": "<p id=around></p><iframe src=/inner></iframe>",
        "/inner": "<button onclick=\"parent.document.getElementById('around').textContent = 'Around'\">Open</button>",
        "/reloading": "<script>setTimeout(() => location.reload(), 150)</script><p id=here>Opened</p>",
    ]

    @Test(
        "become the page", .needsChromedriver, .timeLimit(.minutes(3)),
        arguments: ["/opener", "/noopener", "/late", "/link", "/form", "/written"])
    func become(_ path: String) async throws {
        try await visit(path) { engine in
            let began = ContinuousClock.now
            try await engine.press(.button("Open"))
            #expect(try await engine.text(of: .css("#here")) == "Opened")
            // It took minutes once.
            #expect(ContinuousClock.now - began < .seconds(25))
        }
    }

    @Test("give the page back when they close", .needsChromedriver, .timeLimit(.minutes(3)))
    func close() async throws {
        try await visit("/closing") { engine in
            try await engine.press(.button("Open"))
            #expect(try await engine.text(of: .css("#back")) == "Back")
        }
    }

    @Test("of a frame: what only the page around has is found there", .needsChromedriver, .timeLimit(.minutes(3)))
    func around() async throws {
        try await visit("/framed") { engine in
            try await engine.enter(frame: .css("iframe"))
            try await engine.press(.button("Open"))
            #expect(try await engine.text(of: .css("#around")) == "Around")
            try await engine.enter(frame: .css("iframe"))
            try await engine.enter(frame: .css("top"))
            #expect(await engine.page()?.path == "/framed")
        }
    }

    @Test("that reload themselves are read between two pages", .needsChromedriver, .timeLimit(.minutes(3)))
    func reloading() async throws {
        try await visit("/reloading") { engine in
            for _ in 0..<20 {
                #expect(try await engine.text(of: .css("#here")) == "Opened")
                try await engine.reload()
            }
        }
    }

    private func visit(_ path: String, _ body: (BrowserNavigationEngine) async throws -> Void) async throws {
        try await BrowserVisit.run(
            page: { "<title>Bank</title>" + (Self.pages[$0.prefixUpToQuery] ?? "") },
            { engine, origin in
                try await engine.open(origin + path)
                try await body(engine)
            })
    }
}

extension String {
    fileprivate var prefixUpToQuery: String { String(prefix { $0 != "?" }) }
}
