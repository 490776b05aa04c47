import Automation
import BankScript
import CurlClient
import Foundation
import HTMLAutomation
import Messages
import Secrets
import TestCases
import TestSupport
import Testing

/// Obtains and renews tokens at a server by others: oauthlib's.
@Suite("An exchange with oauthlib's server", .enabled(if: Peers.python != nil, "COUNTERSIGN_PEERS is not set"))
struct OAuthPeerTests {
    /// A browser that opens the page and takes where it leads.
    private struct Browser: OwnersBrowser {
        func redirect(_ wanted: String?) async throws -> String { "http://127.0.0.1:17265/" }

        func visit(_ page: OwnersPage) async throws -> Secret {
            let session = CurlSession()
            let answer = try await session.send(HTTPRequest("GET", page.address))
            await session.close()
            let place = try #require(answer.header("location"), "\(answer.status)")
            return Secret(place.split(separator: "?", maxSplits: 1).last.map(String.init) ?? "")
        }

        func show(_ code: OwnersCode) async throws {}
    }

    @Test("gives a code with a proof key for a token, and rotates the refresh token five times")
    func rotates() async throws {
        // A life within the margin, so that each run renews.
        let server = try PeerServer(["oauth_server.py", "60"])
        defer { server.end() }
        let origin = "http://127.0.0.1:\(try await server.line())"
        let script = try BankScript(
            yaml: """
                bank: peer
                name: Peer
                origins: ["\(origin)"]
                testing: true
                credentials: [client_secret]
                exchange: { authorize: "\(origin)/authorize", token: /token, client: peer-client, secret: $client_secret, scope: read }
                steps:
                  - download: { request: { GET: /doc, headers: { Authorization: Bearer $access_token } } }
                """, file: "peer.yaml")
        #expect(ScriptLint.findings(in: script).filter { $0.severity == .error }.isEmpty)
        let folder = FileManager.default.temporaryDirectory.appending(path: "peer-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var services = HostServices(
            credentials: TestCredentials(values: ["client_secret": "peer secret/+%"]), person: TestPerson(),
            downloads: FolderSink(folder))
        services.grants = MemoryGrants()
        let runner = ScriptRunner(services: services) {
            try HTMLNavigationEngine(for: $0, configuration: EngineConfiguration())
        }
        _ = try await runner.connect(script, with: Browser())
        for _ in 1...5 { _ = try await runner.run(script, parameters: ["month": 3, "year": 2026]) }
        try server.write("report")
        #expect(try await server.line() == #"{"codes": 1, "refreshes": 5, "refused": 0}"#)
    }
}
