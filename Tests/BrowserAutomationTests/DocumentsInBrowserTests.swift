import Automation
import Foundation
import Secrets
import Selectors
import TestSupport
import Testing

@testable import BrowserAutomation

/// A document that the page makes, or shows in a window or in a part of itself, comes as one that the server sends.
@Suite("Documents in the browser", .serialized)
struct DocumentsInBrowserTests {
    private static let document = "%PDF-1.4\nstatement\nstartxref\n0\n%%EOF\n"
    private static let make = "new Blob([`\(document)`], { type: 'application/pdf' })"

    /// Lets a page show what it makes in a frame, but not request it.
    private static let policy =
        "Content-Security-Policy: default-src 'self' 'unsafe-inline'; frame-src blob:; object-src blob:\r\n"

    private static func page(_ script: String, _ rest: String = "") -> String {
        "<title>Bank</title><button id=go>Statement</button>\(rest)<script>go.onclick = async () => { \(script) };</script>"
    }

    private static let pages: [String: String] = [
        "/revoked": page(
            """
            const link = document.createElement('a'); link.href = URL.createObjectURL(\(make)); link.download = 'x.pdf';
            link.click(); URL.revokeObjectURL(link.href);
            """),
        "/tab": page("window.open(URL.createObjectURL(\(make)));"),
        "/tab-late": page(
            "await new Promise((done) => setTimeout(done, 500)); window.open(URL.createObjectURL(\(make)));"),
        "/frame": page("part.src = URL.createObjectURL(\(make));", "<iframe id=part></iframe>"),
        "/named-frame": page("part.src = '/served.pdf';", "<iframe id=part></iframe>"),
        "/unnamed-frame": page("part.src = '/served';", "<iframe id=part></iframe>"),
        "/embed": page(
            "place.innerHTML = `<embed type=application/pdf src=${URL.createObjectURL(\(make))}>`;",
            "<div id=place></div>"),
        "/object": page(
            "place.innerHTML = '<object type=application/pdf data=/served></object>';", "<div id=place></div>"),
        "/viewer-window": page("window.open('/viewer');"),
        "/viewer": "<title>Viewer</title><iframe src=/served></iframe>",
        "/viewer-inside": page("part.src = '/viewer-page';", "<iframe id=part></iframe>"),
        "/viewer-page": "<title>Viewer</title><embed type=application/pdf src=/served>",
        "/written": page("const other = window.open('/served'); "),
        "/revoked-next": page(
            """
            const link = document.createElement('a'); link.href = URL.createObjectURL(\(make)); link.download = 'x.pdf';
            link.click(); setTimeout(() => URL.revokeObjectURL(link.href), 0);
            """),
        "/revoked-soon": page(
            """
            const link = document.createElement('a'); link.href = URL.createObjectURL(\(make)); link.download = 'x.pdf';
            link.click(); setTimeout(() => URL.revokeObjectURL(link.href), 100);
            """),
        "/tab-revoked": page(
            "const made = URL.createObjectURL(\(make)); window.open(made); URL.revokeObjectURL(made);"),
        "/tab-alone": page("window.open(URL.createObjectURL(\(make)), '_blank', 'noopener');"),
        "/tab-alone-revoked": page(
            """
            const made = URL.createObjectURL(\(make)); window.open(made, '_blank', 'noopener');
            URL.revokeObjectURL(made);
            """),
        "/tab-without-type": page("window.open(URL.createObjectURL(new Blob([`\(document)`])));"),
        "/tab-filled-later": page(
            "const other = window.open(''); setTimeout(() => { other.location = URL.createObjectURL(\(make)); }, 800);"),
        // The page of the window is written, and never ended.
        "/tab-written": page(
            """
            const other = window.open('');
            other.document.write(`<iframe src="data:application/pdf;base64,${btoa(`\(document)`)}"></iframe>`);
            """),
        "/frame-revoked": page(
            """
            const made = URL.createObjectURL(\(make)); part.onload = () => URL.revokeObjectURL(made); part.src = made;
            """, "<iframe id=part></iframe>"),
        "/frame-removed": page(
            """
            const made = URL.createObjectURL(\(make)); const part = document.createElement('iframe');
            part.onload = () => { URL.revokeObjectURL(made); part.remove(); };
            part.hidden = true; part.src = made; document.body.append(part);
            """),
        "/frame-inside-revoked": page("part.src = '/revoking';", "<iframe id=part></iframe>"),
        "/viewer-window-revoked": page("window.open('/revoking');"),
        "/revoking": """
        <title>Viewer</title><iframe id=part></iframe><script>setTimeout(() => {
          const made = URL.createObjectURL(\(make)); part.onload = () => URL.revokeObjectURL(made); part.src = made;
        }, 700)</script>
        """,
        "/object-made": page(
            "place.innerHTML = `<object data=${URL.createObjectURL(\(make))}></object>`;", "<div id=place></div>"),
        "/embed-without-type": page(
            "place.innerHTML = `<embed src=${URL.createObjectURL(\(make))}>`;", "<div id=place></div>"),
        "/gone": page(
            "const made = URL.createObjectURL(\(make)); part.src = made; URL.revokeObjectURL(made);",
            "<iframe id=part></iframe>"),
        "/around-tab": "<title>Around</title><iframe src=/tab></iframe>",
        "/around-revoked": "<title>Around</title><iframe src=/revoked></iframe>",
        "/around-frame": "<title>Around</title><iframe src=/frame-revoked></iframe>",
    ]

    @Test("come as the answer to a form with values of the script", .needsChromedriver, .timeLimit(.minutes(3)))
    func submitted() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "statement.pdf")
        let paths = try await BrowserVisit.run(
            answer: { path in
                path.hasPrefix("/served")
                    ? "HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\nConnection: close\r\n\r\n" + Self.document
                    : BrowserVisit.answer(
                        with: "<title>Bank</title><form action=/served><input type=hidden name=id></form>")
            },
            { engine, origin in
                try await engine.open(origin + "/")
                let received = try await engine.download(
                    .submit(form: .css("form"), with: [("id", .text("7"))]), to: file, limit: 1 << 20)
                #expect(received.isPDF && received.status == 200)
            })
        #expect(paths.contains("/served?id=7"))
    }

    @Test(
        "that the bank asks to wait for come with that wish", .needsChromedriver, .timeLimit(.minutes(3)),
        arguments: [("text/html", "<h1>Too fast"), ("application/json", "{}")])
    func wait(type: String, body: String) async throws {
        let folder = try TemporaryFolder()
        try await BrowserVisit.run(
            answer: { path in
                path == "/statement"
                    ? "HTTP/1.1 429 Too Many Requests\r\nContent-Type: \(type)\r\nRetry-After: 7\r\nConnection: close\r\n\r\n"
                        + body
                    : BrowserVisit.answer(with: "<title>Bank</title>")
            },
            { engine, origin in
                try await engine.open(origin + "/")
                let request = EngineRequest(method: "GET", reference: "/statement", headers: [])
                for (index, source) in [EngineDownload.request(request), .open("/statement")].enumerated() {
                    let received = try await engine.download(
                        source, to: folder.url.appending(path: "\(index)"), limit: 1 << 20)
                    #expect(received.status == 429 && received.retryAfter == "7")
                }
            })
    }

    @Test("come whole where the bank calls them a page", .needsChromedriver, .timeLimit(.minutes(3)))
    func misnamed() async throws {
        let document = "%PDF-1.4\n1 0 obj<</Type/Catalog>>\n\nstartxref\n0\n%%EOF\n"
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "statement.pdf")
        try await BrowserVisit.run(
            answer: { path in
                path == "/statement"
                    ? "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n" + document
                    : BrowserVisit.answer(with: "<title>Bank</title><a href=/statement>Statement</a>")
            },
            { engine, origin in
                try await engine.open(origin + "/")
                let received = try await engine.download(.control(.link("Statement")), to: file, limit: 1 << 20)
                #expect(received.isPDF && received.bytes == document.utf8.count)
                #expect(try String(contentsOf: file, encoding: .utf8) == document)
            })
    }

    @Test(
        "come from", .needsChromedriver, .timeLimit(.minutes(3)),
        arguments: [
            "/revoked", "/tab", "/tab-late", "/frame", "/named-frame", "/unnamed-frame", "/embed", "/object",
            "/viewer-window", "/viewer-inside", "/written", "/revoked-next", "/revoked-soon", "/tab-revoked",
            "/tab-alone",
            "/tab-alone-revoked", "/tab-without-type", "/tab-filled-later", "/tab-written", "/frame-revoked",
            "/frame-removed", "/frame-inside-revoked", "/viewer-window-revoked", "/object-made", "/embed-without-type",
            "/around-tab", "/around-revoked", "/around-frame", "/policy-frame", "/policy-object-made", "/policy-embed",
        ])
    func come(_ path: String) async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "statement.pdf")
        try await BrowserVisit.run(
            answer: { path in
                path.hasPrefix("/served")
                    ? "HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\nConnection: close\r\n\r\n" + Self.document
                    : BrowserVisit.answer(with: Self.pages[path.replacing("/policy-", with: "/")] ?? "").replacing(
                        "Connection:", with: path.hasPrefix("/policy-") ? Self.policy + "Connection:" : "Connection:")
            },
            { engine, origin in
                // Every request of a page is held for a moment from then on.
                try await engine.watch(Secret("casey.navigator")) {}
                try await engine.open(origin + path)
                if path.hasPrefix("/around") { try await engine.enter(frame: .css("iframe")) }
                let received = try await engine.download(.control(.button("Statement")), to: file, limit: 1 << 20)
                #expect(received.isPDF && received.status == 200)
                #expect(try String(contentsOf: file, encoding: .utf8) == Self.document)
            })
    }

    @Test("are named as such where nothing can read them any more", .needsChromedriver, .timeLimit(.minutes(3)))
    func gone() async throws {
        let folder = try TemporaryFolder()
        try await BrowserVisit.run(
            page: { Self.pages[$0] },
            { engine, origin in
                try await engine.open(origin + "/gone")
                let error = await #expect(throws: EngineError.self) {
                    try await engine.download(
                        .control(.button("Statement")), to: folder.url.appending(path: "statement.pdf"),
                        limit: 1 << 20)
                }
                #expect(error?.message.contains("takes the address back") == true)
            })
    }
}
