import Clocks
import Files
import Foundation
import Messages
import Secrets
import Signer
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
    private static let laughs = """
        <?xml version="1.0"?>
        <!DOCTYPE Document [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
        <Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02">&b;</Document>
        """
    private static let foreignEntity = """
        <?xml version="1.0" encoding="UTF-8"?>
        <?OFX OFXHEADER="200" VERSION="211"?>
        <!DOCTYPE OFX SYSTEM "file:///etc/passwd"><OFX></OFX>
        """
    private static let cutStatement = ":20:A\n:25:37040044/0532013000\n:60F:C250201EUR100,\n:61:250210"
    private static let bomb: [UInt8] = {
        // One entry that announces 4 GB in an archive of some bytes (PKWARE APPNOTE 6.3.10, 4.3.7 and 4.3.12).
        func two(_ number: Int) -> [UInt8] { [UInt8(number & 0xFF), UInt8(number >> 8 & 0xFF)] }
        func four(_ number: Int) -> [UInt8] { two(number & 0xFFFF) + two(number >> 16 & 0xFFFF) }
        func head(_ name: String) -> [UInt8] {
            four(0) + four(4) + four(0xFFFF_FFFE) + two(name.utf8.count) + two(0)
        }
        let name = "xl/workbook.xml"
        let local: [UInt8] =
            [0x50, 0x4B, 3, 4] + two(20) + two(0) + two(8) + four(0) + head(name) + Array(name.utf8)
            + [1, 2, 3, 4]
        let entry: [UInt8] =
            [0x50, 0x4B, 1, 2] + [20, 3] + two(20) + two(0) + two(8) + four(0) + head(name)
            + two(0) + two(0) + two(0) + four(0o100644 << 16) + four(0) + Array(name.utf8)
        return local + entry + [0x50, 0x4B, 5, 6] + two(0) + two(0) + two(1) + two(1) + four(entry.count)
            + four(local.count) + two(0)
    }()

    private static let files: [(kind: DocumentKind, bytes: [UInt8], words: String)] = [
        (.pdf, Array("%PDF-1.4 cut off".utf8), "%%EOF"),
        (.pdf, Array("<!doctype html><title>Sign in</title>".utf8), "does not begin with a PDF's header"),
        (.csv, Array("a;b;c\n1;2;3\n4;5\n".utf8), "line 3"),
        (.csv, Array("{\"error\": \"session ended\"}".utf8), "a JSON file"),
        (.camt, Array(laughs.utf8), "document type"), (.camt, Array("<note><to/></note>".utf8), "a file of markup"),
        (.ofx, Array(foreignEntity.utf8), "document type"),
        (.mt940, Array(cutStatement.utf8), "field :61:"), (.qif, Array("MZ\u{90}".utf8), "a Windows program"),
        (.xlsx, bomb, "4294967294"), (.xlsx, [0x50, 0x4B, 3, 4, 20, 0], "not a spreadsheet"),
        (.html, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "a PNG picture"),
        (.html, Array("%PDF-1.4".utf8), "a PDF"),
    ]

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
