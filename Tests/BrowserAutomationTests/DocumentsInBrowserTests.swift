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
            "/viewer-window", "/viewer-inside", "/written",
        ])
    func come(_ path: String) async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "statement.pdf")
        try await BrowserVisit.run(
            answer: { path in
                path.hasPrefix("/served")
                    ? "HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\nConnection: close\r\n\r\n" + Self.document
                    : BrowserVisit.answer(with: Self.pages[path] ?? "")
            },
            { engine, origin in
                // Every request of a page is held for a moment from then on.
                try await engine.watch(Secret("casey.navigator")) {}
                try await engine.open(origin + path)
                let received = try await engine.download(.control(.button("Statement")), to: file, limit: 1 << 20)
                #expect(received.isPDF && received.status == 200)
                #expect(try String(contentsOf: file, encoding: .utf8) == Self.document)
            })
    }
}
