import Automation
import BankScript
import Foundation
import HTMLAutomation
import Secrets
import Selectors
import Synchronization
import TestSupport
import Testing

@testable import BrowserAutomation

/// Two pages that differ in what is private have the same picture, byte for byte, exactly if nothing private is on it.
@Suite("A picture of a page in Chromium", .serialized)
struct PagePictureInBrowserTests {
    private static let first = Secret("heron-quartz-velvet")
    private static let second = Secret("ember-quiver-saddle")

    /// Everything that can show a text. `WORD` and `NUMBER` stand for what is private.
    private static let ways = [
        "<input value='WORD'>", "<input type=password value='WORD'>", "<textarea>WORD</textarea>",
        "<input placeholder='WORD'>", "<select><option>WORD</option></select>", "<p>Your word is WORD</p>",
        "<p>Account NUMBER</p>", "<button>WORD</button>", "<input type=submit value='WORD'>",
        "<p style='text-shadow: 1px 1px red; -webkit-text-stroke: 1px blue'>WORD</p>",
        "<style>p.late::after { content: attr(data-word) }</style><p class=late data-word='WORD'>Late</p>",
        "<style>li.here::marker { content: 'WORD' }</style><ul><li class=here>Item</ul>",
        "<img width=300 height=30 src=\"data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><text y='20'>WORD</text></svg>\">",
        "<svg width=300 height=30><text y=20>WORD</text></svg>",
        "<div style=\"width:300px;height:30px;background:url(&quot;data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><text y='20'>WORD</text></svg>&quot;)\"></div>",
        "<canvas id=c width=300 height=30></canvas><script>c.getContext('2d').fillText('WORD', 5, 20)</script>",
        "<iframe srcdoc='<p>WORD'></iframe>",
        "<div id=s></div><script>s.attachShadow({ mode: 'closed' }).innerHTML = '<p>WORD</p>'</script>",
        "<div id=o></div><script>o.attachShadow({ mode: 'open' }).innerHTML = '<p>WORD</p><input value=WORD>'</script>",
        "<input id=f value='WORD' style='color: red; transition: all 9s'><script>f.select()</script>",
        "<p id=t>Wait</p><script>setInterval(() => { t.firstChild.data = 'WORD' }, 1)</script>",
        "<p id=n>Wait</p><script>setInterval(() => { n.textContent = 'WORD' }, 1)</script>",
    ]

    private static func page(_ parts: [String], _ word: Secret, _ number: String) -> String {
        "<style>* { font: 14px monospace; animation: none }</style>"
            + parts.joined().replacing("WORD", with: word.revealed()).replacing("NUMBER", with: number)
    }

    @Test("is the same whatever is private on it", .needsChromedriver, .timeLimit(.minutes(4)))
    func nothingPrivate() async throws {
        let pages = Self.ways.flatMap { way in
            [Self.page([way], Self.first, "40 2071 8836"), Self.page([way], Self.second, "40 9914 5207")]
        }
        try await visit(pages) { engine, open in
            for (index, way) in Self.ways.enumerated() {
                try await open(index * 2)
                let one = try #require(await engine.snapshot(outlining: nil)?.picture, "\(way)")
                try await open(index * 2 + 1)
                let other = try #require(await engine.snapshot(outlining: nil)?.picture, "\(way)")
                #expect(one.bytes == other.bytes, "\(way)")
            }
        }
    }

    @Test(
        "shows what is not private, where the match is, and leaves the page as it was", .needsChromedriver,
        .timeLimit(.minutes(3)))
    func shown() async throws {
        let watched = """
            <p id=a>Statements of May</p><a href=/x>Next</a><script>
            new MutationObserver(() => history.replaceState(0, "", "#seen"))
              .observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
            </script>
            """
        try await visit([watched, watched.replacing("May", with: "Mai"), "<p>Nothing here</p>"]) { engine, open in
            try await open(0)
            let one = try #require(await engine.snapshot(outlining: .link("Next"))?.picture)
            let again = try #require(await engine.snapshot(outlining: .link("Next"))?.picture)
            #expect(one == again)
            #expect(one.mediaType == "image/webp")
            let box = try #require(one.matches.first)
            #expect(one.matches.count == 1 && box.x >= 0 && box.x + box.width < 0.2 && box.y > 0 && box.y < 0.2)
            let page = try await engine.openPage()
            #expect(!page.location.description.contains("#seen"))
            let style = "() => getComputedStyle(document.querySelector('p')).webkitTextFillColor"
            let colour = try await engine.call(style)
            #expect(colour == "rgb(0, 0, 0)")
            try await open(1)
            let changed = try #require(await engine.snapshot(outlining: nil)?.picture)
            #expect(changed.bytes != one.bytes)
        }
    }

    @Test(
        "is not taken where the page's own style or a closed tree would show what is private, nor inside a frame",
        .needsChromedriver, .timeLimit(.minutes(3)),
        arguments: [
            "<input value=WORD style='-webkit-text-fill-color: red !important'>",
            "<p style='-webkit-text-stroke: 1px red !important'>WORD</p>",
            "<p style='text-shadow: 1px 1px red !important'>WORD</p>",
            "<img src=/x alt=WORD style='visibility: visible !important'>",
            "<style>#z::selection { color: red !important }</style><input id=z value=WORD>",
            "<p style='content: url(/x)'>WORD</p>", "<iframe src=/0></iframe>",
            "<x-pic></x-pic><script>customElements.define('x-pic', class extends HTMLElement { constructor() { super(); this.attachShadow({ mode: 'closed' }).innerHTML = '<canvas id=k width=300 height=30></canvas>'; } })</script>",
        ])
    func refused(_ part: String) async throws {
        try await visit([Self.page([part], Self.first, "")]) { engine, open in
            try await open(0)
            if part.hasPrefix("<iframe") { try await engine.enter(frame: .css("iframe")) }
            let snapshot = await engine.snapshot(outlining: nil)
            #expect(snapshot != nil && snapshot?.picture == nil)
        }
    }

    @Test("comes beside what the page wrote to the console", .needsChromedriver, .timeLimit(.minutes(3)))
    func console() async throws {
        let messages = Mutex<[ConsoleMessage]>([])
        let page = "<script>console.log('fine'); console.warn('slow'); setTimeout(() => missing(), 1)</script>"
        let keep: @Sendable (ConsoleMessage) -> Void = { message in messages.withLock { $0.append(message) } }
        try await visit([page], console: keep) { engine, open in
            try await open(0)
            let end = ContinuousClock.now + .seconds(60)
            while messages.withLock({ $0.count }) < 2, ContinuousClock.now < end {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        let seen = messages.withLock { $0 }
        #expect(seen.map(\.level) == [.warning, .error])
        #expect(seen.first?.text == "slow" && seen.last?.text.contains("missing is not defined") == true, "\(seen)")
        #expect(seen.last?.place?.hasSuffix("/0:1") == true, "\(seen)")
    }

    private func visit(
        _ pages: [String], console: (@Sendable (ConsoleMessage) -> Void)? = nil,
        _ body: (BrowserNavigationEngine, (Int) async throws -> Void) async throws -> Void
    ) async throws {
        try await BrowserVisit.run(
            ChromiumConfiguration(pictures: .masked, console: console),
            page: { path in
                "<title>Bank</title>"
                    + (Int(path.dropFirst()).flatMap { pages.indices.contains($0) ? pages[$0] : nil } ?? "")
            },
            { engine, origin in try await body(engine) { try await engine.open("\(origin)/\($0)") } })
    }
}
