import Automation
import BankScript
import HTMLAutomation
import Secrets
import Selectors
import TestSupport
import Testing

@testable import BrowserAutomation

/// A step looks for names on one page. What only a frame of it has, the error says, with the frame to enter.
@Suite("Frames in the browser", .serialized)
struct FramesInBrowserTests {
    private static let code = "<label>One-time code <input id=code></label><button>Confirm</button>"

    private static func page(at path: String) -> String {
        switch path {
        case "/code": code
        case "/twice": code + code
        case "/empty": "<p>Nothing here</p>"
        case "/one": "<h1>Bank</h1><iframe name=code src=/code></iframe>"
        case "/nested": "<iframe id=outer src=/one></iframe>"
        case "/two": "<iframe id=first src=/code></iframe><iframe title='The second' src=/twice></iframe>"
        case "/written": "<iframe id=written srcdoc='\(code)'></iframe>"
        case "/component":
            "<div id=host></div><script>host.attachShadow({ mode: 'open' }).innerHTML = "
                + "'<iframe name=inside src=/code></iframe>'</script>"
        case "/without": "<iframe id=empty src=/empty></iframe>"
        case "/far": "<iframe id=far src='data:text/html,\(code)'></iframe>"
        default: "<p>\(path)</p>"
        }
    }

    /// The words of the error for the field of that name, on each page.
    private static let errors: [(path: String, words: [String])] = [
        (
            "/one",
            ["nothing is found by: field “One-time code”", "write before the step enter: \"iframe[name='code']\""]
        ),
        ("/nested", ["enter: \"#outer\", then enter: \"iframe[name='code']\""]),
        ("/two", ["2 frames have it", "enter: \"#first\", or enter: \"iframe[title='The second']\""]),
        ("/written", ["enter: \"#written\""]),
        ("/component", ["enter: \"iframe[name='inside']\""]),
        ("/without", ["the page has 1 frame(s)", "enter #empty first?"]),
        // A frame of another origin is not read.
        ("/far", ["the page has 1 frame(s)", "enter #far first?"]),
    ]

    @Test("are named by the error about what only they have", .needsChromedriver, .timeLimit(.minutes(4)))
    func named() async throws {
        try await visit { engine, origin in
            for known in Self.errors {
                try await engine.open(origin + known.path)
                let error = await #expect(throws: EngineError.self) {
                    try await engine.fill(.field("One-time code"), with: .text("x"))
                }
                #expect(error?.kind == .notFound)
                for words in known.words {
                    #expect(error?.message.contains(words) == true, "\(known.path): \(error?.message ?? "")")
                }
            }
        }
    }

    @Test("hold the step that follows the advice", .needsChromedriver, .timeLimit(.minutes(3)))
    func entered() async throws {
        try await visit { engine, origin in
            try await engine.open(origin + "/nested")
            try await engine.enter(frame: .css("#outer"))
            try await engine.enter(frame: .css("iframe[name='code']"))
            try await engine.fill(.field("One-time code"), with: .text("x"))
        }
    }

    private func visit(_ body: (BrowserNavigationEngine, String) async throws -> Void) async throws {
        try await BrowserVisit.run(page: { "<title>Bank</title>" + Self.page(at: $0) }, body)
    }
}
