import Clocks
import Foundation
import Machine
import Messages
import Secrets
import Signer
import Testing

@testable import Inbox

/// A ledger of one request for three documents.
private actor DocumentsLedger: DeliveryLedger {
    let request = RequestID()
    let items = DocumentSelection(periods: (1...3).map { MonthYear(month: $0, year: 2026)! })!.items(ofBank: "default")
    private(set) var stored: [DocumentID: (sha256: String, file: URL)] = [:]
    private(set) var closings: [ClosingManifest] = []
    private(set) var rejections: [DeliveryRejection] = []

    func verdict(on manifest: VerifiedManifest) -> DeliveryVerdict {
        guard manifest.manifest.requestID == request, let document = manifest.manifest.document else {
            return .refused("not expected")
        }
        return stored[document.id] == nil ? .accepted : .refused("it was delivered before")
    }

    func accept(_ manifest: VerifiedManifest, storedPDF: URL) -> DeliveryVerdict {
        let verdict = verdict(on: manifest)
        if verdict == .accepted, let document = manifest.manifest.document {
            stored[document.id] = (manifest.manifest.sha256, storedPDF)
        }
        return verdict
    }

    func close(_ closing: VerifiedClosing) -> ClosingVerdict {
        guard closings.isEmpty else { return .duplicate }
        for entry in closing.closing.entries {
            guard case .delivered(let sha256) = entry.outcome else { continue }
            guard let there = stored[entry.id] else { return .waiting }
            guard there.sha256 == sha256 else { return .refused("another document") }
        }
        closings.append(closing.closing)
        return .accepted
    }

    func rejected(_ rejection: DeliveryRejection) { rejections.append(rejection) }
}

@Suite("The inbox with several documents")
struct DocumentsInboxTests {
    private struct Stage {
        let folder: InboxStage
        let ledger = DocumentsLedger()
        let ingestor: InboxIngestor

        init() throws {
            folder = try InboxStage()
            var timing = IngestTiming()
            timing.stability = .milliseconds(20)
            let secret = folder.secret
            ingestor = InboxIngestor(
                folder: folder.inbox, store: folder.store, rejected: folder.rejected, secret: secret, ledger: ledger,
                timing: timing)
        }

        var items: [DocumentSelection.Item] { ledger.items }

        @discardableResult
        func publish(_ index: Int) throws -> PublishedDelivery {
            try folder.publisher.publish(
                document: try folder.aPDF("%PDF-1.4 document \(index) startxref 0 %%EOF"),
                .init(items[index], number: index + 1, of: 3), for: ledger.request, completedAt: Timestamp(Date()))
        }

        func closing(_ delivered: [PublishedDelivery]) -> ClosingManifest {
            ClosingManifest(
                requestID: ledger.request,
                entries: items.enumerated().map { index, item in
                    .init(
                        id: item.id,
                        outcome: index < delivered.count
                            ? .delivered(sha256: delivered[index].manifest.sha256)
                            : .failed(.navigationFailed, message: "missing"))
                }, completedAt: Timestamp(Date()))
        }

        func settle() async throws {
            while await ingestor.scan() { try await Task.sleep(for: .milliseconds(25)) }
        }
    }

    @Test("takes each document by itself, and its end when all that it names are there")
    func order() async throws {
        let stage = try Stage()
        let first = try stage.publish(0)
        try await stage.settle()
        #expect(await stage.ledger.stored.count == 1)
        #expect(stage.folder.names("inbox").isEmpty)

        // The sync brings the end before the second document.
        let elsewhere = try InboxStage()
        let late = try elsewhere.publisher.publish(
            document: try elsewhere.aPDF("%PDF-1.4 late startxref 0 %%EOF"), .init(stage.items[1], number: 2, of: 3),
            for: stage.ledger.request, completedAt: Timestamp(Date()))
        try stage.folder.publisher.close(stage.closing([first, late]))
        try await stage.settle()
        #expect(await stage.ledger.closings.isEmpty)
        #expect(stage.folder.names("inbox").count == 1, "the end waits")
        for file in [late.pdf, late.manifestFile] {
            try FileManager.default.moveItem(
                at: file, to: stage.folder.inbox.appending(path: file.lastPathComponent))
        }
        try await stage.settle()
        #expect(await stage.ledger.stored.count == 2)
        #expect(await stage.ledger.closings.count == 1)
        #expect(stage.folder.names("inbox").isEmpty)
        #expect(await stage.ledger.rejections.isEmpty)
    }

    @Test("removes an end that was taken before")
    func again() async throws {
        let stage = try Stage()
        let closing = stage.closing([try stage.publish(0)])
        for _ in 0..<2 {
            try stage.folder.publisher.close(closing)
            try await stage.settle()
        }
        #expect(await stage.ledger.closings.count == 1)
        #expect(stage.folder.names("inbox").isEmpty)
        #expect(await stage.ledger.rejections.isEmpty)
    }

    @Test(
        "refuses an end that this phone did not write",
        arguments: ["another secret", "another request", "a link", "a folder", "no JSON", "too large"])
    func forgeries(kind: String) async throws {
        let stage = try Stage()
        let closing = stage.closing([try stage.publish(0)])
        let name = ClosingManifest.filename(for: stage.ledger.request)
        let file = stage.folder.inbox.appending(path: name)
        switch kind {
        case "another secret":
            let stranger = try SharedSecret(Secret("another secret of more than thirty-two bytes"))
            try InboxPublisher(folder: stage.folder.inbox, secret: stranger).close(closing)
        case "another request":
            var other = closing
            other.requestID = RequestID()
            try AtomicFile.write(other.signed(with: stage.folder.secret).bytes, to: file)
        case "a link":
            let target = stage.folder.root.appending(path: "target.json")
            try AtomicFile.write(closing.signed(with: stage.folder.secret).bytes, to: target)
            try FileManager.default.createSymbolicLink(at: file, withDestinationURL: target)
        case "a folder": try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        case "no JSON": try AtomicFile.write(Array("{".utf8), to: file)
        default: try AtomicFile.write([UInt8](repeating: 32, count: 70_000), to: file)
        }
        try await stage.settle()
        #expect(await stage.ledger.closings.isEmpty)
        #expect(await stage.ledger.rejections.count == 1)
        try await stage.settle()
        #expect(await stage.ledger.rejections.count == 1, "it is reported once")
    }

    @Test("a phone that was killed while it wrote the end writes it again")
    func closingAgain() async throws {
        let stage = try Stage()
        let closing = stage.closing([try stage.publish(0)])
        let name = ClosingManifest.filename(for: stage.ledger.request) + ".tmp"
        try Data("half".utf8).write(to: stage.folder.inbox.appending(path: name))
        try stage.folder.publisher.close(closing)
        try await stage.settle()
        #expect(await stage.ledger.closings.count == 1)
        #expect(stage.folder.names("inbox").isEmpty)
    }

    @Test("does not publish a document twice, and removes only what is unfinished")
    func leftovers() throws {
        let stage = try Stage()
        let delivered = try stage.publish(0)
        #expect(throws: PublishError.self) { try stage.publish(0) }
        try stage.folder.publisher.close(stage.closing([delivered]))
        let request = stage.ledger.request
        for name in ["\(request)-\(stage.items[1].id).pdf", "\(request)-\(stage.items[2].id).pdf.tmp"] {
            try Data("half".utf8).write(to: stage.folder.inbox.appending(path: name))
        }
        try Data("someone else's".utf8).write(to: stage.folder.inbox.appending(path: "holiday.pdf"))
        stage.folder.publisher.removeUnfinishedDocuments(of: request)
        let stem = "\(request)-\(stage.items[0].id)"
        let kept = ["\(stem).manifest.json", "\(stem).pdf", "\(request).closing.json", "holiday.pdf"]
        #expect(stage.folder.names("inbox") == kept.sorted())
    }
}
