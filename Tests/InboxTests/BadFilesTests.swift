import Clocks
import Foundation
import Machine
import Messages
import Secrets
import Signer
import TestCases
import Testing

@testable import Inbox

/// Takes every document that its request asks for, and remembers.
private actor BadFilesLedger: DeliveryLedger {
    private(set) var stored: [URL] = []
    private(set) var rejections: [DeliveryRejection] = []

    func verdict(on manifest: VerifiedManifest) -> DeliveryVerdict { .accepted }

    func accept(_ manifest: VerifiedManifest, storedPDF: URL) -> DeliveryVerdict {
        stored.append(storedPDF)
        return .accepted
    }

    func close(_ closing: VerifiedClosing) -> ClosingVerdict { .accepted }
    func rejected(_ rejection: DeliveryRejection) { rejections.append(rejection) }
}

/// Files that a phone has signed for and that are not what they say: a phone can be deceived, or be a thief's.
@Suite("Bad files of each kind in the inbox")
struct BadFilesTests {
    private static let files: [(kind: DocumentKind, bytes: [UInt8], words: String)] =
        [
            (.pdf, Array("%PDF-1.4 cut off".utf8), "%%EOF"),
            (.pdf, Array("<!doctype html><title>Sign in</title>".utf8), "does not begin with a PDF's header"),
        ]
        + (BadFile.data + BadFile.archives).compactMap { file in
            file.kind.document.map { ($0, file.bytes, file.words) }
        }

    private func deliver(
        _ kind: DocumentKind, _ bytes: [UInt8], changing change: (PublishedDelivery) throws -> Void = { _ in }
    ) async throws -> (ledger: BadFilesLedger, stage: InboxStage) {
        let stage = try InboxStage()
        let ledger = BadFilesLedger()
        var timing = IngestTiming()
        timing.stability = .milliseconds(20)
        let ingestor = InboxIngestor(
            folder: stage.inbox, store: stage.store, rejected: stage.rejected, secret: stage.secret, ledger: ledger,
            timing: timing)
        let selection = try #require(DocumentSelection(periods: [stage.period], kinds: [kind]))
        let item = try #require(selection.items(ofBank: "default").first)
        let file = stage.root.appending(path: "arrived")
        try AtomicFile.write(bytes, to: file)
        try change(
            try stage.publisher.publish(
                document: file, .init(item, number: 1, of: 1), for: RequestID(), completedAt: Timestamp(Date())))
        while await ingestor.scan() { try await Task.sleep(for: .milliseconds(25)) }
        return (ledger, stage)
    }

    @Test("is refused with a sentence, and leaves nothing in the inbox and among the documents", arguments: files)
    func refused(kind: DocumentKind, bytes: [UInt8], words: String) async throws {
        let (ledger, stage) = try await deliver(kind, bytes)
        let rejections = await ledger.rejections
        #expect(rejections.count == 1)
        let reason = try #require(rejections.first?.reason)
        #expect(reason.contains(words) && reason.contains(" "), "\(reason)")
        #expect(await ledger.stored.isEmpty)
        #expect(stage.names("inbox").isEmpty && stage.names("store").isEmpty)
    }

    @Test("a file that has grown to 4 GB is refused by its size, and is not copied")
    func huge() async throws {
        let (ledger, stage) = try await deliver(.csv, Array("a;b\n1;2\n".utf8)) { delivery in
            #expect(truncate(delivery.pdf.path, 4 << 30) == 0)
        }
        let reason = try #require(await ledger.rejections.first?.reason)
        #expect(reason.contains("larger than 67108864 bytes"), "\(reason)")
        #expect(await ledger.stored.isEmpty)
        #expect(stage.names("store").isEmpty)
    }
}
