import Automation
import BankScript
import FileKinds
import Foundation
import HTMLAutomation
import MockBank
import TestCases
import TestSupport
import Testing

/// Reads a SimpleFIN server beside clients by others: simplefin4py and beangulp-simplefin.
@Suite("SimpleFIN beside other clients", .needsPeers)
struct SimpleFINPeerTests {
    private static let account = "EVERYDAY-7F3A"

    private static func serve() async throws -> MockBankServer {
        var configuration = MockBankConfiguration()
        configuration.scenario = .simplefin
        configuration.today = Date(timeIntervalSince1970: 1_795_000_000)
        return try await MockBankServer.start(configuration)
    }

    /// Returns what the ready bank's script delivers of November 2025, from a setup token that was never claimed.
    private static func bookings() async throws -> [String] {
        let bank = try await serve()
        defer { Task { await bank.stop() } }
        let script = try BankScript(
            yaml: String(contentsOf: Repository.file("BankScripts/SimpleFIN/simplefin.yaml"), encoding: .utf8),
            file: "simplefin.yaml"
        ).served(at: bank.url, isForTesting: true)
        let setup = Data("\(bank.url)/simplefin/claim/mock".utf8).base64EncodedString()
        var services = HostServices(
            credentials: TestCredentials(values: ["setup_token": setup]), person: TestPerson(),
            downloads: FolderSink(FileManager.default.temporaryDirectory))
        services.grants = MemoryGrants()
        let runner = ScriptRunner(services: services) { try HTMLNavigationEngine(for: $0) }
        let document = try await runner.run(script, parameters: ["month": 11, "year": 2025])
        defer { try? FileManager.default.removeItem(at: document.file) }
        return try TransactionFile.read(Array(Data(contentsOf: document.file))).flatMap(\.transactions).map {
            "\($0.booked) \($0.amount) \($0.purpose)"
        }.sorted()
    }

    @Test("has the same bookings, and a setup token works once", .timeLimit(.minutes(4)))
    func agrees() async throws {
        let own = try await Self.bookings()
        let bank = try await Self.serve()
        defer { Task { await bank.stop() } }
        let text = try await Peers.run(script: "simplefin.py", [bank.url, Self.account, "2025-11"]).text
        func bookings(of client: String) -> [String] {
            text.split(separator: "\n").filter { $0.hasPrefix("\(client) ") }.map {
                String($0.dropFirst(client.count + 1))
            }.sorted()
        }
        #expect(own.count > 8)
        #expect(bookings(of: "simplefin4py") == own, "\(text.suffix(2000))")
        #expect(bookings(of: "beangulp") == own, "\(text.suffix(2000))")
        #expect(text.contains("refused the second time") && !text.contains("claimed twice"))
    }
}
