import Clocks
import Foundation
import Machine
import Messages
import Secrets
import Signer
import TestSupport
import Testing

@testable import Inbox

/// A ledger that accepts each expected request once.
actor TestLedger: DeliveryLedger {
    private var expected: Set<RequestID>
    private var nonces: [RequestID: Nonce] = [:]
    private(set) var accepted: [RequestID: URL] = [:]
    private(set) var rejections: [DeliveryRejection] = []
    private(set) var changes: [Bool] = []
    private(set) var postponements: [String] = []
    private(set) var takenAway: [DeliveryRemains] = []
    private var ended: Set<RequestID> = []
    /// A file that another program removes as soon as the ledger is asked about a delivery.
    private var lost: URL?

    init(expecting expected: RequestID...) {
        self.expected = Set(expected)
    }

    func expect(_ id: RequestID) { expected.insert(id) }

    func end(_ id: RequestID) { ended.insert(id) }

    func lose(_ file: URL) { lost = file }

    func verdict(on manifest: VerifiedManifest) -> DeliveryVerdict {
        if let lost { unlink(lost.path) }
        let claim = manifest.manifest
        if nonces[claim.requestID] == claim.nonce { return .duplicate }
        guard expected.contains(claim.requestID) else { return .refused("not expected") }
        return nonces[claim.requestID] == nil ? .accepted : .refused("completed already")
    }

    func accept(_ manifest: VerifiedManifest, storedPDF: URL) -> DeliveryVerdict {
        let verdict = verdict(on: manifest)
        if verdict == .accepted {
            nonces[manifest.manifest.requestID] = manifest.manifest.nonce
            accepted[manifest.manifest.requestID] = storedPDF
        }
        return verdict
    }

    func rejected(_ rejection: DeliveryRejection) { rejections.append(rejection) }

    func inboxChanged(isThere: Bool) { changes.append(isThere) }

    func postponed(_ name: String, because error: any Error) { postponements.append("\(error)") }

    func hasEnded(_ request: RequestID, document: DocumentID?) -> Bool { ended.contains(request) }

    func tookAway(_ remains: DeliveryRemains) { takenAway.append(remains) }
}

/// A watch that reports nothing.
private final class SilentWatch: FolderWatch {
    let events: AsyncStream<DirectoryEvent>
    private let continuation: AsyncStream<DirectoryEvent>.Continuation

    init() { (events, continuation) = AsyncStream.makeStream() }
}

/// A synced folder with a phone on one side and a broker on the other.
final class InboxStage: Sendable {
    private let folder: TemporaryFolder
    let secret = try! SharedSecret(Secret("a shared secret of more than thirty-two bytes"))
    let period = MonthYear(month: 1, year: 2026)!

    var root: URL { folder.url }
    var inbox: URL { root.appending(path: "inbox", directoryHint: .isDirectory) }
    var store: URL { root.appending(path: "store", directoryHint: .isDirectory) }
    var rejected: RejectedDeliveries { RejectedDeliveries(folder: root.appending(path: "rejected")) }
    var publisher: InboxPublisher { InboxPublisher(folder: inbox, secret: secret) }

    init() throws {
        folder = try TemporaryFolder()
        try PrivateFolder.make(folder.appending("inbox"))
        try PrivateFolder.make(folder.appending("store"))
    }

    /// - Parameter remains: see ``IngestTiming/remains``; nil for the usual half an hour.
    func ingestor(_ ledger: TestLedger, remains: Duration? = nil) -> InboxIngestor {
        var timing = timing
        if let remains { timing.remains = remains }
        return InboxIngestor(
            folder: inbox, store: store, rejected: rejected, secret: secret, ledger: ledger, timing: timing)
    }

    /// Makes an ingestor whose watch reports nothing: only its own scans find deliveries.
    func unwatchedIngestor(_ ledger: TestLedger) -> InboxIngestor {
        InboxIngestor(
            folder: inbox, store: store, rejected: rejected, secrets: { [secret] _ in [secret] }, ledger: ledger,
            timing: timing, watch: { _ in SilentWatch() })
    }

    private var timing: IngestTiming {
        var timing = IngestTiming()
        timing.stability = .milliseconds(20)
        timing.reconciliation = .milliseconds(100)
        return timing
    }

    func aPDF(_ text: String = "%PDF-1.4 statement startxref 0 %%EOF") throws -> URL {
        let file = root.appending(path: "\(UUID().uuidString).pdf")
        try AtomicFile.write(Array(text.utf8), to: file)
        return file
    }

    @discardableResult
    func publish(_ id: RequestID, _ text: String = "%PDF-1.4 statement startxref 0 %%EOF") throws -> PublishedDelivery {
        try publisher.publish(pdf: try aPDF(text), for: id, period: period, completedAt: Timestamp(Date()))
    }

    /// Scans until no delivery needs another look.
    func settle(_ ingestor: InboxIngestor) async throws {
        while await ingestor.scan() { try await Task.sleep(for: .milliseconds(25)) }
    }

    func names(_ folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path).sorted()) ?? []
    }
}

@Suite("Publishing")
struct PublishingTests {
    @Test("leaves a PDF and its manifest under the specification's names, and no temporary file")
    func names() throws {
        let stage = try InboxStage()
        let id = RequestID()
        try stage.publish(id)
        #expect(stage.names("inbox") == ["\(id)-jan-2026.manifest.json", "\(id)-jan-2026.pdf"])
    }

    @Test("reports an unusable folder and writes nothing")
    func unusable() throws {
        let stage = try InboxStage()
        let gone = InboxPublisher(folder: stage.root.appending(path: "gone"), secret: stage.secret)
        let error = try #require(throws: PublishError.self) {
            try gone.publish(
                pdf: try stage.aPDF(), for: RequestID(), period: stage.period, completedAt: Timestamp(Date()))
        }
        #expect(error.message.contains("does not exist"))
    }

    @Test("removes the files of a killed publisher and publishes again")
    func leftovers() throws {
        let stage = try InboxStage()
        let id = RequestID()
        let other = RequestID()
        for name in ["\(id)-jan-2026.pdf.tmp", "\(id)-jan-2026.pdf", "\(other)-jan-2026.pdf.tmp"] {
            try Data([1]).write(to: stage.inbox.appending(path: name))
        }
        try stage.publish(id)
        #expect(
            stage.names("inbox")
                == ["\(id)-jan-2026.manifest.json", "\(id)-jan-2026.pdf", "\(other)-jan-2026.pdf.tmp"].sorted())
    }

    /// Runs `body` with a limit for the size of files, beyond which a write fails as on a full disk.
    private static func withDisk<Result>(full limit: Int, _ body: () throws -> Result) rethrows -> Result {
        var before = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &before)
        let ignored = signal(SIGXFSZ, SIG_IGN)
        var full = rlimit(rlim_cur: rlim_t(limit), rlim_max: before.rlim_max)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &full)
        defer {
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &before)
            signal(SIGXFSZ, ignored)
        }
        return try body()
    }

    @Test("a disk that fills up at any byte leaves no manifest without its PDF and no partial file")
    func fullDisk() async {
        // The file size limit holds for the whole process, so the test runs in a child process.
        await #expect(processExitsWith: .success) { try PublishingTests.publishOnFullDisks() }
    }

    private static func publishOnFullDisks() throws {
        let stage = try InboxStage()
        let pdf = stage.root.appending(path: "small.pdf")
        try Data("%PDF-1.7 startxref 0 %%EOF".utf8).write(to: pdf)
        var (failed, published) = (0, 0)
        for limit in stride(from: 0, through: 700, by: 7) {
            let id = RequestID()
            do {
                _ = try withDisk(full: limit) {
                    try stage.publisher.publish(
                        pdf: pdf, for: id, period: stage.period, completedAt: Timestamp(Date()))
                }
                published += 1
                #expect(stage.names("inbox") == ["\(id)-jan-2026.manifest.json", "\(id)-jan-2026.pdf"])
                for name in stage.names("inbox") {
                    try FileManager.default.removeItem(at: stage.inbox.appending(path: name))
                }
            } catch is PublishError {
                failed += 1
                #expect(stage.names("inbox").isEmpty, "after \(limit) bytes")
            }
        }
        #expect(failed > 50 && published > 10)
    }

    @Test("removes the PDF when the manifest cannot be written")
    func noManifest() throws {
        let stage = try InboxStage()
        let id = RequestID()
        // A folder with the manifest's name makes its rename fail, after the PDF's.
        let blocked = stage.inbox.appending(path: "\(id)-jan-2026.manifest.json.tmp")
        try FileManager.default.createDirectory(at: blocked, withIntermediateDirectories: false)
        #expect(throws: PublishError.self) { try stage.publish(id) }
        #expect(!stage.names("inbox").contains { $0.hasSuffix(".pdf") || $0.hasSuffix(".json") })
    }
}

@Suite("Ingesting")
struct IngestingTests {
    @Test("accepts a valid delivery, keeps a private copy and clears the inbox")
    func good() async throws {
        let stage = try InboxStage()
        let id = RequestID()
        let ledger = TestLedger(expecting: id)
        try stage.publish(id)
        try await stage.settle(stage.ingestor(ledger))
        let stored = try #require(await ledger.accepted[id])
        #expect(try Data(contentsOf: stored) == Data("%PDF-1.4 statement startxref 0 %%EOF".utf8))
        let mode = try FileManager.default.attributesOfItem(atPath: stored.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(stage.names("inbox").isEmpty)
        #expect(await ledger.rejections.isEmpty)
    }

    @Test("waits for both files, in either order", arguments: [".pdf", ".manifest.json"])
    func order(late: String) async throws {
        let stage = try InboxStage()
        let id = RequestID()
        let ledger = TestLedger(expecting: id)
        try stage.publish(id)
        let file = stage.inbox.appending(path: "\(id)-jan-2026\(late)")
        let aside = stage.root.appending(path: "aside")
        try FileManager.default.moveItem(at: file, to: aside)
        let ingestor = stage.ingestor(ledger)
        try await stage.settle(ingestor)
        #expect(await ledger.accepted.isEmpty)
        try FileManager.default.moveItem(at: aside, to: file)
        try await stage.settle(ingestor)
        #expect(await ledger.accepted[id] != nil)
        #expect(await ledger.rejections.isEmpty)
    }

    @Test("does not read a file that is still changing")
    func unstable() async throws {
        let stage = try InboxStage()
        let id = RequestID()
        let ledger = TestLedger(expecting: id)
        let delivery = try stage.publish(id)
        let whole = try Data(contentsOf: delivery.pdf)
        let ingestor = stage.ingestor(ledger)
        try whole.prefix(4).write(to: delivery.pdf)
        #expect(await ingestor.scan())
        try await Task.sleep(for: .milliseconds(25))
        try whole.write(to: delivery.pdf)
        #expect(await ingestor.scan(), "the second look sees another size and has to wait again")
        try await Task.sleep(for: .milliseconds(25))
        #expect(await !ingestor.scan())
        #expect(await ledger.accepted[id] != nil)
    }

    enum Tampering: String, CaseIterable, Sendable {
        case pdf, signature, foreignSecret, notJSON, unknownRequest, symlink, hardLink, fifo, largeManifest
    }

    @Test(
        "refuses an invalid delivery once, moves it away, and accepts a valid one after it",
        arguments: Tampering.allCases)
    func tampered(_ tampering: Tampering) async throws {
        let stage = try InboxStage()
        let id = RequestID()
        let ledger = TestLedger(expecting: id)
        let ingestor = stage.ingestor(ledger)
        let delivery = try stage.publish(id)
        var good: RequestID = id
        switch tampering {
        case .pdf: try Data("%PDF-1.4 another startxref 0 %%EOF".utf8).write(to: delivery.pdf)
        case .signature:
            let text = try String(contentsOf: delivery.manifestFile, encoding: .utf8)
            try text.replacing("\"bytes\":36", with: "\"bytes\":37").write(
                to: delivery.manifestFile, atomically: true, encoding: .utf8)
        case .foreignSecret:
            let foreign = try SharedSecret(Secret(String(repeating: "z", count: 40)))
            try Data(delivery.manifest.signed(with: foreign).bytes).write(to: delivery.manifestFile)
        case .notJSON: try Data("{".utf8).write(to: delivery.manifestFile)
        case .unknownRequest:
            try stage.publish(RequestID())
            try FileManager.default.removeItem(at: delivery.pdf)
            try FileManager.default.removeItem(at: delivery.manifestFile)
        case .symlink, .hardLink, .fifo:
            let aside = stage.root.appending(path: "aside")
            try FileManager.default.moveItem(at: delivery.pdf, to: aside)
            let made =
                switch tampering {
                case .symlink: symlink(aside.path, delivery.pdf.path)
                case .hardLink: link(aside.path, delivery.pdf.path)
                default: mkfifo(delivery.pdf.path, 0o600)
                }
            #expect(made == 0)
        case .largeManifest: try Data(repeating: 0x20, count: 70_000).write(to: delivery.manifestFile)
        }
        try await stage.settle(ingestor)
        try await stage.settle(ingestor)
        #expect(await ledger.accepted.isEmpty)
        #expect(await ledger.rejections.count == 1)
        #expect(stage.names("inbox").isEmpty)
        #expect(stage.names("store").isEmpty)

        if tampering == .unknownRequest { good = id }
        try stage.publish(good)
        try await stage.settle(ingestor)
        #expect(await ledger.accepted[good] != nil)
    }

    @Test("ignores a delivery that comes twice")
    func twice() async throws {
        let stage = try InboxStage()
        let id = RequestID()
        let ledger = TestLedger(expecting: id)
        let ingestor = stage.ingestor(ledger)
        let delivery = try stage.publish(id)
        let pdf = try Data(contentsOf: delivery.pdf)
        let manifest = try Data(contentsOf: delivery.manifestFile)
        try await stage.settle(ingestor)
        try pdf.write(to: delivery.pdf)
        try manifest.write(to: delivery.manifestFile)
        try await stage.settle(ingestor)
        #expect(await ledger.rejections.isEmpty)
        #expect(stage.names("inbox").isEmpty)
    }

    @Test("removes a manifest that a killed broker left behind, but not one that waits for its PDF")
    func leftManifest() async throws {
        let stage = try InboxStage()
        let done = RequestID()
        let waiting = RequestID()
        let ledger = TestLedger(expecting: done, waiting)
        let delivery = try stage.publish(done)
        let manifest = try Data(contentsOf: delivery.manifestFile)
        try await stage.settle(stage.ingestor(ledger))
        try manifest.write(to: delivery.manifestFile)
        try FileManager.default.removeItem(at: try stage.publish(waiting).pdf)
        try await stage.settle(stage.ingestor(ledger))
        #expect(stage.names("inbox") == ["\(waiting)-jan-2026.manifest.json"])
        #expect(await ledger.rejections.isEmpty)
    }

    @Test("accepts each of a hundred simultaneous deliveries once")
    func many() async throws {
        let stage = try InboxStage()
        let ledger = TestLedger()
        var ids: Set<RequestID> = []
        for _ in 0..<100 {
            let id = RequestID()
            ids.insert(id)
            await ledger.expect(id)
            try stage.publish(id, "%PDF-1.4 \(id) startxref 0 %%EOF")
        }
        try await stage.settle(stage.ingestor(ledger))
        let accepted = await ledger.accepted
        #expect(Set(accepted.keys) == ids)
        for (id, file) in accepted {
            #expect(try String(contentsOf: file, encoding: .utf8) == "%PDF-1.4 \(id) startxref 0 %%EOF")
        }
        #expect(stage.names("inbox").isEmpty)
        #expect(stage.names("store").count == 100)
    }

    @Test("finds a delivery that the watch did not report, by reconciliation", .timeLimit(.minutes(3)))
    func reconciliation() async throws {
        let stage = try InboxStage()
        let early = RequestID()
        let late = RequestID()
        let ledger = TestLedger(expecting: early, late)
        try stage.publish(early)
        let ingestor = stage.unwatchedIngestor(ledger)
        let running = Task { try await ingestor.run() }
        while await ledger.accepted[early] == nil { try await Task.sleep(for: .milliseconds(10)) }
        try stage.publish(late)
        while await ledger.accepted[late] == nil { try await Task.sleep(for: .milliseconds(10)) }
        running.cancel()
        _ = try? await running.value
    }

    @Test(
        "an inbox that goes away and comes back empty takes what arrives then, and both are told",
        arguments: [false, true])
    func away(isWatched: Bool) async throws {
        let stage = try InboxStage()
        let (early, late) = (RequestID(), RequestID())
        let ledger = TestLedger(expecting: early, late)
        let ingestor = isWatched ? stage.ingestor(ledger) : stage.unwatchedIngestor(ledger)
        let running = Task { try await ingestor.run() }
        try stage.publish(early)
        while await ledger.accepted[early] == nil { try await Task.sleep(for: .milliseconds(10)) }
        try FileManager.default.moveItem(at: stage.inbox, to: stage.root.appending(path: "unmounted"))
        while await ledger.changes != [false] { try await Task.sleep(for: .milliseconds(10)) }
        let error = try #require(throws: PublishError.self) { try stage.publish(late) }
        #expect(error.message.contains("mounted"), "\(error)")
        try PrivateFolder.make(stage.inbox)
        while await ledger.changes != [false, true] { try await Task.sleep(for: .milliseconds(10)) }
        try stage.publish(late)
        while await ledger.accepted[late] == nil { try await Task.sleep(for: .milliseconds(10)) }
        #expect(await ledger.rejections.isEmpty)
        running.cancel()
        _ = try? await running.value
    }

    @Test(
        "a store that goes away is told of once, nothing is made in its place, and the delivery is taken when it is back"
    )
    func storeAway() async throws {
        let stage = try InboxStage()
        let id = RequestID()
        let ledger = TestLedger(expecting: id)
        let ingestor = stage.ingestor(ledger)
        let away = stage.root.appending(path: "unmounted")
        try FileManager.default.moveItem(at: stage.store, to: away)
        try stage.publish(id)
        for _ in 0..<3 { try await stage.settle(ingestor) }
        let told = await ledger.postponements
        #expect(told.count == 1 && told.first?.contains("No such file or directory") == true, "\(told)")
        #expect(stage.names("inbox").count == 2 && !FileManager.default.fileExists(atPath: stage.store.path))
        try FileManager.default.moveItem(at: away, to: stage.store)
        try await stage.settle(ingestor)
        #expect(await ledger.accepted[id] != nil && stage.names("inbox").isEmpty)
    }

    @Test("a delivery that a sync takes away while it is read is told of as nothing, and is taken when it comes again")
    func vanished() async throws {
        let stage = try InboxStage()
        let id = RequestID()
        let ledger = TestLedger(expecting: id)
        let ingestor = stage.ingestor(ledger)
        let delivery = try stage.publish(id)
        let elsewhere = stage.root.appending(path: "elsewhere.pdf")
        try FileManager.default.copyItem(at: delivery.pdf, to: elsewhere)
        await ledger.lose(delivery.pdf)
        try await stage.settle(ingestor)
        #expect(!FileManager.default.fileExists(atPath: delivery.pdf.path), "it was read, and went meanwhile")
        #expect(await ledger.postponements.isEmpty)
        #expect(await ledger.rejections.isEmpty)
        #expect(await ledger.accepted.isEmpty)
        await ledger.lose(elsewhere.appending(path: "nothing"))
        try FileManager.default.moveItem(at: elsewhere, to: delivery.pdf)
        try await stage.settle(ingestor)
        #expect(await ledger.accepted[id] != nil && stage.names("inbox").isEmpty)
    }
}
