import Automation
import BankScript
import ExampleBank
import Foundation
import MessageGateway
import MockBank
import StatementFetcher
import TestCases
import Testing

/// The examples that `docs/embedding.md` prints: a script, a host service, and a program that embeds both.
@Suite("The examples")
struct ExamplesTests {
    @Test("fetch a statement with the code from the gateway")
    func fetches() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let message = folder.appending(path: "message.txt")
        try Data("Meridian Savings: 123456 is your code. Keep it to yourself.".utf8).write(to: message)
        let bank = try await MockBankServer.start()
        let fetcher = StatementFetcher(
            scripts: [ExampleBank.script.served(at: bank.url, isForTesting: true)],
            credentials: TestCredentials(values: ["username": "robin.ashdown", "password": "correct horse"]),
            gateway: MessageGateway(file: message), into: folder)
        let outcome = await Result { try await fetcher.statement(ofBank: "example", month: 1, year: 2025) }
        await bank.stop()
        let document = try #require(try outcome.get())
        #expect(try Data(contentsOf: document.file) == Data(MockBankServer.statement(month: 1, year: 2025)))
        #expect(!FileManager.default.fileExists(atPath: message.path))
        #expect(try await fetcher.statement(ofBank: "another", month: 1, year: 2025) == nil)
    }

    @Test("lint clean")
    func lint() {
        #expect(ScriptLint.findings(in: ExampleBank.script).isEmpty)
    }

    @Test(
        "are printed in docs/embedding.md as they are compiled here",
        arguments: [
            "ExampleBank/ExampleBank", "MessageGateway/MessageGateway", "StatementFetcher/StatementFetcher",
            "LookUp/LookUpStep", "NtfyChannel/NtfyChannel", "InboxJournal/InboxJournal",
            "QuaysideExport/QuaysideExport", "OwnProgram/main",
        ])
    func printed(name: String) throws {
        let root = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL
        let code = try String(
            contentsOf: root.appending(path: "Examples/Sources/\(name).swift"), encoding: .utf8)
        let guide = try String(contentsOf: root.appending(path: "docs/embedding.md"), encoding: .utf8)
        #expect(guide.contains("```swift\n\(code)```"), "\(name).swift and docs/embedding.md are not the same")
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
