import Clocks
import Foundation
import Messages
import Testing

@testable import Inbox

/// A phone was killed between a file and its manifest, and its home is gone.
@Suite("What a lost phone leaves in the inbox")
struct RemainsTests {
    private let stage: InboxStage
    private let id = RequestID()
    private let ledger: TestLedger

    init() throws {
        stage = try InboxStage()
        ledger = TestLedger(expecting: id)
    }

    private static let document = String(repeating: "a1", count: 16)
    private static let span: Duration = .milliseconds(40)

    private static let endings = [
        "-jan-2026.pdf", "-jan-2026.pdf.tmp", "-feb-2026.manifest.json", "-feb-2026.manifest.json.tmp",
        "-\(document).pdf", "-\(document).csv", "-\(document).csv.tmp", "-\(document).json",
        "-\(document).xlsx.manifest.json", ".closing.json.tmp",
    ]

    private func leave(_ ending: String, _ text: String = "half") throws {
        try Data(text.utf8).write(to: stage.inbox.appending(path: "\(id)\(ending)"))
    }

    /// Looks at the inbox as often as it takes to remove what may go, each time more than a span after the last.
    private func look(_ ingestor: InboxIngestor, times: Int = 3) async throws {
        for _ in 0..<times {
            await ingestor.scan()
            try await Task.sleep(for: Self.span + .milliseconds(10), clock: .suspending)
        }
    }

    @Test("goes to the refused deliveries when its request has ended, and is told of once", arguments: endings)
    func ended(_ ending: String) async throws {
        try leave(ending)
        await ledger.end(id)
        try await look(stage.ingestor(ledger, remains: Self.span))
        #expect(stage.names("inbox").isEmpty)
        #expect(stage.names("rejected").count == 1 && stage.names("rejected")[0].hasSuffix("-\(id)\(ending)"))
        #expect(
            await ledger.takenAway == [
                DeliveryRemains(
                    name: "\(id)\(ending)", requestID: id,
                    document: ending.contains(Self.document) ? DocumentID(Self.document) : nil, discarded: 0)
            ])
        #expect(await ledger.rejections.isEmpty)
    }

    @Test("stays while its request is open or is not known here, and goes a span after that has ended")
    func open() async throws {
        for ending in Self.endings { try leave(ending) }
        let ingestor = stage.ingestor(ledger, remains: Self.span)
        try await look(ingestor, times: 5)
        #expect(stage.names("inbox").count == Self.endings.count)
        await ledger.end(id)
        try await look(ingestor, times: 1)
        #expect(stage.names("inbox").count == Self.endings.count, "it has just ended")
        try await look(ingestor, times: 2)
        #expect(stage.names("inbox").isEmpty)
    }

    @Test("stays for the span, within which its manifest makes it a delivery")
    func late() async throws {
        let delivery = try stage.publish(id)
        let manifest = try Data(contentsOf: delivery.manifestFile)
        try FileManager.default.removeItem(at: delivery.manifestFile)
        await ledger.end(id)
        let ingestor = stage.ingestor(ledger)
        try await look(ingestor, times: 5)
        #expect(stage.names("inbox") == [delivery.pdf.lastPathComponent])
        try manifest.write(to: delivery.manifestFile)
        try await stage.settle(ingestor)
        #expect(await ledger.accepted[id] != nil)
        #expect(await ledger.takenAway.isEmpty)
        #expect(stage.names("inbox").isEmpty)
    }

    @Test("of an open request becomes a delivery however late its manifest is")
    func later() async throws {
        let delivery = try stage.publish(id)
        let manifest = try Data(contentsOf: delivery.manifestFile)
        try FileManager.default.removeItem(at: delivery.manifestFile)
        let ingestor = stage.ingestor(ledger, remains: Self.span)
        try await look(ingestor, times: 5)
        try manifest.write(to: delivery.manifestFile)
        try await stage.settle(ingestor)
        #expect(await ledger.accepted[id] != nil)
        #expect(await ledger.takenAway.isEmpty)
    }

    @Test("stays while something writes to it")
    func growing() async throws {
        await ledger.end(id)
        let ingestor = stage.ingestor(ledger, remains: Self.span)
        for length in 1...5 {
            try leave("-jan-2026.pdf.tmp", String(repeating: "x", count: length))
            try await look(ingestor, times: 1)
        }
        #expect(stage.names("inbox").count == 1)
        try await look(ingestor, times: 2)
        #expect(stage.names("inbox").isEmpty)
    }

    @Test("is a plain file with a name that phones give; everything else stays, and nothing is followed")
    func others() async throws {
        await ledger.end(id)
        let target = stage.root.appending(path: "target.pdf")
        try Data("the owner's".utf8).write(to: target)
        let link = stage.inbox.appending(path: "\(id)-feb-2026.pdf")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
        try FileManager.default.createDirectory(
            at: stage.inbox.appending(path: "\(id)-mar-2026.pdf"), withIntermediateDirectories: false)
        #expect(mkfifo(stage.inbox.appending(path: "\(id)-apr-2026.pdf.tmp").path, 0o600) == 0)
        for ending in [
            "-holiday.pdf", "-jan-2026.exe", "-jan-2026.pdf.part", ".pdf", "-jan-2026",
            "-\(Self.document).pdf.manifest", "-\(Self.document)0.pdf",
        ] {
            try leave(ending)
        }
        try Data("photo".utf8).write(to: stage.inbox.appending(path: "holiday-jan-2026.pdf"))
        let before = stage.names("inbox")
        try await look(stage.ingestor(ledger, remains: Self.span), times: 4)
        #expect(stage.names("inbox") == before && before.count == 11)
        #expect(await ledger.takenAway.isEmpty)
        #expect(await ledger.rejections.isEmpty)
        #expect(try Data(contentsOf: target) == Data("the owner's".utf8))
    }

    @Test("stays while it cannot be copied, and goes when it can")
    func noRoom() async throws {
        try leave("-jan-2026.pdf")
        await ledger.end(id)
        // A file in the folder's place, as a disk that takes nothing.
        let blocked = stage.root.appending(path: "rejected")
        try Data().write(to: blocked)
        let ingestor = stage.ingestor(ledger, remains: Self.span)
        try await look(ingestor, times: 4)
        #expect(stage.names("inbox").count == 1)
        #expect(await ledger.takenAway.isEmpty)
        try FileManager.default.removeItem(at: blocked)
        try await look(ingestor)
        #expect(stage.names("inbox").isEmpty && stage.names("rejected").count == 1)
    }
}
