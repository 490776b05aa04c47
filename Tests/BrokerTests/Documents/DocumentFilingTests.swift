import Broker
import Foundation
import Messages
import Synchronization
import TestParties
import Testing

/// A filer that remembers what it was given.
private final class RememberingFiler: DocumentFiler {
    struct Full: Error, CustomStringConvertible { let description = "the disk is full" }

    private let state: Mutex<(documents: [AcceptedDocument], fails: Bool)>

    init(fails: Bool = false) { state = Mutex(([], fails)) }

    var documents: [AcceptedDocument] { state.withLock { $0.documents } }

    func file(_ document: AcceptedDocument) async throws {
        let fails = state.withLock { state in
            state.documents.append(document)
            return state.fails
        }
        if fails { throw Full() }
    }

    /// Waits until so many documents were offered.
    func wait(for count: Int) async throws {
        for _ in 0..<1500 where documents.count < count { try await Task.sleep(for: .milliseconds(20)) }
        #expect(documents.count == count)
    }
}

@Suite("Filing accepted documents")
struct DocumentFilingTests {
    private static func complete(_ stage: BrokerStage) async throws -> RequestID {
        let id = try await stage.request()
        #expect(try await stage.decide(id, "APPROVE").status == 200)
        try stage.publish(id)
        #expect(try await BrokerStage.wait(for: id, on: stage) == "COMPLETED")
        return id
    }

    @Test("each statement is offered once, after its request is completed, with the digest of its manifest")
    func once() async throws {
        let stage = try BrokerStage()
        let filer = RememberingFiler()
        try await stage.run(filer: filer) { stage in
            let id = try await Self.complete(stage)
            try await filer.wait(for: 1)
            let document = filer.documents[0]
            #expect(document.requestID == id)
            #expect(document.bankID == "default")
            #expect(document.period.description == "2026-01")
            #expect(document.sha256 == (try stage.column("result_sha256", of: id)))
            #expect(document.file.path == (try stage.column("result_file_path", of: id)))
            _ = try await Self.complete(stage)
            try await filer.wait(for: 2)
            try await Self.recorded(2, by: stage)
        }
        try await stage.run(filer: filer) { stage in
            // A round of filing offers everything that is not filed. The second of these needs a round after the first.
            for count in [3, 4] {
                let id = try await Self.complete(stage)
                try await filer.wait(for: count)
                #expect(filer.documents.last?.requestID == id, "no earlier document is offered again")
                try await Self.recorded(count, by: stage)
            }
        }
        #expect(filer.documents.count == 4)
    }

    /// Waits until so many filings are recorded: a broker that is stopped before offers the document again.
    private static func recorded(_ count: Int, by stage: BrokerStage) async throws {
        for _ in 0..<1500 where stage.logged.count(where: { $0.contains("document filed") }) < count {
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    @Test("a filer that fails changes nothing about the request, and is asked again at the next start")
    func failing() async throws {
        let stage = try BrokerStage()
        let failing = RememberingFiler(fails: true)
        try await stage.run(filer: failing) { stage in
            let id = try await Self.complete(stage)
            try await failing.wait(for: 1)
            let other = try await Self.complete(stage)
            try await failing.wait(for: 2)
            #expect(failing.documents.map(\.requestID) == [id, other])
            #expect(try await stage.status(id) == "COMPLETED")
            #expect(FileManager.default.fileExists(atPath: failing.documents[0].file.path))
        }
        #expect(stage.logged.contains { $0.contains("could not be filed") })
        let working = RememberingFiler()
        try await stage.run(filer: working) { _ in try await working.wait(for: 2) }
        #expect(Set(working.documents) == Set(failing.documents))
    }

    @Test("statements from before there was a filer are filed at the first start with one")
    func earlier() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in _ = try await Self.complete(stage) }
        let filer = RememberingFiler()
        try await stage.run(filer: filer) { _ in try await filer.wait(for: 1) }
    }

    /// A filer whose place is away until a test brings it back.
    private final class AwayFiler: DocumentFiler {
        let isBack = Atomic(false)
        let asked = Atomic(0)

        func file(_ document: AcceptedDocument) async throws {
            asked.add(1, ordering: .relaxed)
            guard isBack.load(ordering: .relaxed) else { throw PassingFilingFailure("the folder is not there") }
        }
    }

    @Test("a place that is away is asked again without a restart, is told once, and gets the document when it is back")
    func away() async throws {
        let stage = try BrokerStage()
        var configuration = stage.configuration
        configuration.filingPause = .milliseconds(10)
        let filer = AwayFiler()
        try await stage.run(configuration, filer: filer) { stage in
            _ = try await Self.complete(stage)
            for _ in 0..<1500 where filer.asked.load(ordering: .relaxed) < 3 {
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(filer.asked.load(ordering: .relaxed) >= 3)
            #expect(stage.logged.count(where: { $0.contains("the folder is not there") }) == 1)
            filer.isBack.store(true, ordering: .relaxed)
            try await Self.recorded(1, by: stage)
            #expect(stage.logged.contains { $0.contains("document filed") })
        }
    }
}
