import Automation
import BankScript
import BrowserAutomation
import Crypto
import Encodings
import Foundation
import MockBank
import TestCases
import TestServers
import TestSupport
import Testing

/// A bank whose own app tries to carry what it knows to another host, while the statement is fetched from it.
@Suite("A hostile bank in the browser", .serialized)
struct HostileBankInBrowserTests {
    /// The paths that the app's script asks of the other host. WebRTC and WebTransport have none.
    private static let ways: Set<String> = [
        "/fetch", "/redirect", "/image", "/beacon", "/socket", "/events", "/worker", "/shared-worker",
        "/service-worker", "/script", "/style", "/prefetch", "/frame", "/frame-redirect", "/form", "/download",
    ]

    @Test(
        "sends no byte to another host in twenty visits", .needsChromedriver, .timeLimit(.minutes(4)))
    func silence() async throws {
        let arrivals = try await visits(20, namingForeign: false)
        #expect(arrivals.connections == 0 && arrivals.bytes == 0 && arrivals.datagrams == 0, "\(arrivals)")
    }

    @Test(
        "reaches it by every way where the script names it, so that silence means something", .needsChromedriver,
        .timeLimit(.minutes(3)))
    func control() async throws {
        let arrivals = try await visits(1, namingForeign: true)
        #expect(Self.ways.subtracting(arrivals.paths) == [])
    }

    /// Fetches a statement a number of times, and returns what has reached the other host.
    private func visits(_ number: Int, namingForeign: Bool) async throws -> LoopbackSite.Arrivals {
        let foreign = try await LoopbackSite.start(countingDatagrams: true) { _ in
            "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"
        }
        var configuration = MockBankConfiguration()
        configuration.scenario = .hostileApp
        configuration.foreignHost = "127.0.0.1:\(foreign.port)"
        let bank = try await MockBankServer.start(configuration)
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = Repository.file("BankScripts/DefaultBank/Variants/single-page-app.yaml")
        let script = try BankScript(yaml: String(contentsOf: file, encoding: .utf8), file: file.path)
            .served(at: [bank.url] + (namingForeign ? ["http://" + configuration.foreignHost] : []), isForTesting: true)
        let services = HostServices(
            credentials: TestCredentials(
                values: ["username": configuration.username, "password": configuration.password]),
            person: TestPerson(code: configuration.oneTimeCode), downloads: FolderSink(folder.url))
        let runner = ScriptRunner(services: services) { try await BrowserNavigationEngine.start(for: $0) }
        let right = Base16.encode(SHA256.hash(data: MockBankServer.statement(month: 11, year: 2025)))
        for _ in 0..<number {
            let document = try await runner.run(script, parameters: ["month": 11, "year": 2025])
            #expect(document.sha256 == right)
        }
        let arrivals = foreign.arrivals
        await bank.stop()
        await foreign.stop()
        return arrivals
    }
}
