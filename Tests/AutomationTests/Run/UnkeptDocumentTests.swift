import Automation
import BankScript
import Foundation
import HTMLAutomation
import Machine
import Messages
import MockBank
import TestCases
import TestSupport
import Testing

/// Documents that came, and that this machine's disk did not take.
@Suite("A document that cannot be kept")
struct UnkeptDocumentTests {
    private struct FullDisk: DownloadSink {
        func destination() async throws -> URL { throw FileError("written", "/home/ada/7.pdf", ENOSPC) }
    }

    private func failure(into downloads: any DownloadSink) async throws -> RunFailure? {
        var configuration = MockBankConfiguration()
        configuration.today = Date(timeIntervalSince1970: 1_795_000_000)
        let bank = try await MockBankServer.start(configuration)
        defer { Task { await bank.stop() } }
        let place = Repository.file("BankScripts/DefaultBank/meridian-savings.yaml")
        let script = try BankScript(yaml: String(contentsOf: place, encoding: .utf8), file: place.lastPathComponent)
        let services = HostServices(
            credentials: TestCredentials(values: ["username": "robin.ashdown", "password": "correct horse"]),
            person: TestPerson(code: "123456"), downloads: downloads)
        let runner = ScriptRunner(services: services) { try HTMLNavigationEngine(for: $0) }
        return await #expect(throws: RunFailure.self) {
            try await runner.run(
                script.served(at: bank.url, isForTesting: true), parameters: ["month": 11, "year": 2025])
        }
    }

    @Test("ends the visit with the disk's fault and the next step, and neither the bank nor the network is blamed")
    func fullDisk() async throws {
        let failure = try await failure(into: FullDisk())
        #expect(failure?.code == .inboxWriteFailed && failure?.reason == nil)
        let message = failure?.message ?? ""
        #expect(message.contains("No space left on device; free some space on its disk, and try again"), "\(message)")
    }

    @Test("is told in the same way where its folder is gone when the answer arrives")
    func vanishedFolder() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "gone-\(UUID().uuidString)")
        let failure = try await failure(into: FolderSink(folder))
        #expect(failure?.code == .inboxWriteFailed && failure?.reason == nil)
        #expect(failure?.message.contains("No such file or directory") == true, "\(failure?.message ?? "")")
    }

    private struct Unknown: Error, CustomStringConvertible {
        let description = "the moon is full"
    }

    @Test(
        "and any other error that ends a run keeps its words; a cancellation alone is called one",
        arguments: [
            (CancellationError(), .navigationFailed, .cancelled, "cancelled before its end"),
            (EngineError(.cancelled, "x"), .navigationFailed, .cancelled, "cancelled before its end"),
            (Unknown(), .navigationFailed, nil, "the moon is full"),
            (EngineError(.network, "no answer"), .navigationFailed, .networkFailed, "no answer"),
            (EngineError(.notFound, "no list"), .navigationFailed, .layoutChanged, "no list"),
            (EngineError(.notKept, "no room"), .inboxWriteFailed, nil, "no room"),
            (FileError("written", "/a", EROFS), .inboxWriteFailed, nil, "mount it for writing"),
            (FileError("read", "/a", EFBIG), .pdfDownloadFailed, .tooLarge, "too large"),
            (RunFailure(.bankLoginFailed, reason: .wrongCode, message: "no"), .bankLoginFailed, .wrongCode, "no"),
        ] as [(any Error, ErrorCode, FailureReason?, String)])
    func kinds(error: any Error, code: ErrorCode, reason: FailureReason?, words: String) {
        let failure = RunFailure(ending: error)
        #expect(failure.code == code && failure.reason == reason, "\(failure)")
        #expect(failure.message.contains(words), "\(failure.message)")
    }
}
