import Automation
import BankScript
import Foundation
import HTMLAutomation
import MockBank
import Testing

@Suite("A bank whose key the script pins")
struct PinnedBankTests {
    private static let other = "sha256/qvTGHdzF6KLavt4PO0gs2a6pQ00kSYz8GXf9tXJm9yQ="

    /// Opens the bank's first page with these pins, beside the bank's own when asked for.
    private func open(pins: [String], andItsOwn: Bool = false) async throws {
        var configuration = MockBankConfiguration()
        configuration.usesTLS = true
        let bank = try await MockBankServer.start(configuration)
        let authority = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).pem")
        try #require(bank.authorityPEM).write(to: authority, atomically: true, encoding: .utf8)
        let all = try pins + (andItsOwn ? [#require(bank.publicKeyPin)] : [])
        let script = BankScript(id: "b", name: "B", origins: [bank.url], pins: [bank.url: all], steps: [])
        let result: Result<Void, any Error>
        do {
            let engine = try HTMLNavigationEngine(for: script, configuration: .init(certificateAuthority: authority))
            do {
                try await engine.open(bank.url + "/login")
                result = .success(())
            } catch {
                result = .failure(error)
            }
            await engine.close()
        }
        try? FileManager.default.removeItem(at: authority)
        await bank.stop()
        try result.get()
    }

    @Test("is reached when its key is one of them")
    func reached() async throws {
        try await open(pins: [Self.other], andItsOwn: true)
    }

    @Test("is refused when its key is a different one, with its own message", arguments: [[other], ["no pin"], []])
    func refused(pins: [String]) async throws {
        let error = await #expect(throws: EngineError.self) { try await open(pins: pins) }
        #expect(error?.kind == .keyMismatch, "\(String(describing: error))")
        #expect(error?.message.contains("another key than the one that is pinned") == true)
    }
}
