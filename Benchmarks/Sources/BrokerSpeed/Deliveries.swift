import Clocks
import Crypto
import Foundation
import Inbox
import Messages
import Secrets
import Signer
import Synchronization

/// Compares deliveries of 250 KB through the inbox with reading, hashing, copying and syncing the same files in a bare loop.
struct Deliveries {
    private let home: URL
    private let secret: Signer.SharedSecret

    init(home: URL) throws {
        self.home = home
        secret = try Signer.SharedSecret(Secret("a shared secret of more than thirty-two bytes"))
        for name in ["inbox", "store", "bare"] {
            try FileManager.default.createDirectory(
                at: home.appending(path: name), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        }
    }

    func compare(_ count: Int) async throws {
        let inbox = home.appending(path: "inbox", directoryHint: .isDirectory)
        let source = home.appending(path: "statement.pdf")
        var bytes = [UInt8]("%PDF-1.4 ".utf8)
        while bytes.count < 250_000 { bytes.append(UInt8.random(in: 0...255)) }
        bytes += "\nstartxref\n0\n%%EOF\n".utf8
        try Data(bytes).write(to: source)
        let publisher = InboxPublisher(folder: inbox, secret: secret)
        for _ in 0..<count {
            _ = try publisher.publish(
                pdf: source, for: Messages.RequestID(), period: MonthYear(month: 1, year: 2026)!,
                completedAt: Timestamp(Date()))
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: inbox.path).filter { $0.hasSuffix(".pdf") }
        let bare = try Self.seconds {
            for name in names {
                try Self.copy(inbox.appending(path: name), to: home.appending(path: "bare/\(name)"))
            }
        }
        let ledger = CountingLedger()
        var timing = IngestTiming()
        timing.stability = .milliseconds(1)
        let ingestor = InboxIngestor(
            folder: inbox, store: home.appending(path: "store", directoryHint: .isDirectory),
            rejected: RejectedDeliveries(folder: home.appending(path: "rejected", directoryHint: .isDirectory)),
            secret: secret, ledger: ledger, timing: timing)
        let clock = ContinuousClock()
        let start = clock.now
        while ledger.count < count {
            await ingestor.scan()
            try await Task.sleep(for: .milliseconds(2))
        }
        let (whole, part) = (clock.now - start).components
        let ours = Double(whole) + Double(part) / 1e18
        BrokerSpeed.report(
            "\(count) deliveries of 250 KB, to a bare loop of reading, hashing, copying and fsyncing",
            Double(count) / ours, Double(count) / bare, atLeast: 0.5)
    }

    /// Reads, hashes, writes and syncs a file, and nothing else.
    private static func copy(_ file: URL, to target: URL) throws {
        FileManager.default.createFile(atPath: target.path, contents: nil)
        let (source, copy) = (try FileHandle(forReadingFrom: file), try FileHandle(forWritingTo: target))
        defer {
            try? source.close()
            try? copy.close()
        }
        var hash = SHA256()
        while let part = try source.read(upToCount: 64 << 10), !part.isEmpty {
            hash.update(data: part)
            try copy.write(contentsOf: part)
        }
        try copy.synchronize()
        _ = hash.finalize()
    }

    private static func seconds(_ work: () throws -> Void) rethrows -> Double {
        let (whole, part) = try ContinuousClock().measure(work).components
        return Double(whole) + Double(part) / 1e18
    }
}

/// Accepts everything; the database's part is measured with the requests.
private final class CountingLedger: DeliveryLedger {
    private let accepted = Mutex(0)
    var count: Int { accepted.withLock { $0 } }

    func verdict(on manifest: VerifiedManifest) -> DeliveryVerdict { .accepted }

    func accept(_ manifest: VerifiedManifest, storedPDF: URL) -> DeliveryVerdict {
        accepted.withLock { $0 += 1 }
        return .accepted
    }

    func rejected(_ rejection: DeliveryRejection) async { fatalError("\(rejection.reason)") }
}
