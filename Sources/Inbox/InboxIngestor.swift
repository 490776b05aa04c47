import Foundation
import JSON
import Signer
import SyncedFolder

import struct Crypto.SHA256

/// How an inbox is watched.
public struct IngestTiming: Sendable {
    /// Between scans: 10 s (specification, section 13).
    public var reconciliation: Duration = .seconds(10)
    /// Between the two looks that have to see the same: 2 s.
    public var stability: Duration = .seconds(2)

    public init() {}
}

/// The broker's side of the synced folder: finds deliveries, verifies them, and hands them to the ledger.
///
/// What inotify says is a hint; the scan at the start, every ten seconds and after an overflow is the truth. A file
/// counts when two looks, two seconds apart, see the same size and time. The PDF is copied into the broker's own store
/// while it is hashed, through one descriptor: the bytes that were verified are the bytes that are kept.
public actor InboxIngestor {
    private let folder: URL
    private let store: URL
    private let secret: SharedSecret
    private let ledger: any DeliveryLedger
    private let timing: IngestTiming
    private var looks: [String: Look] = [:]

    /// The most bytes of a manifest and of a PDF.
    private static let manifestLimit = 64 << 10
    private static let pdfLimit = 64 << 20

    private struct Look {
        var manifest: Stamp
        var pdf: Stamp
        var at: ContinuousClock.Instant
    }

    private struct Stamp: Equatable {
        var size: Int
        var modified: Int
    }

    /// - Parameter store: the broker's own folder for accepted PDFs; made if it is missing.
    public init(
        folder: URL, store: URL, secret: SharedSecret, ledger: any DeliveryLedger, timing: IngestTiming = .init()
    ) {
        self.folder = folder
        self.store = store
        self.secret = secret
        self.ledger = ledger
        self.timing = timing
    }

    /// Watches until the task is cancelled.
    ///
    /// - Throws: `FileError` when the folder cannot be watched, or the store not be made.
    public func run() async throws {
        try PrivateFolder.make(store)
        let watch = try DirectoryWatch(folder: folder)
        let hints = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        hints.continuation.yield()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await event in watch.events where event.mayMatter { hints.continuation.yield() }
            }
            group.addTask { [timing] in
                while !Task.isCancelled {
                    try? await Task.sleep(for: timing.reconciliation)
                    hints.continuation.yield()
                }
            }
            for await _ in hints.stream {
                if Task.isCancelled { break }
                while await scan(), !Task.isCancelled { try? await Task.sleep(for: timing.stability) }
            }
            group.cancelAll()
        }
    }

    /// Looks at every delivery in the inbox once.
    ///
    /// - Returns: whether one of them has to be looked at again before it can count.
    @discardableResult
    public func scan() async -> Bool {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let manifests = names.filter { $0.hasSuffix(".manifest.json") && !TemporaryNames.isTemporary($0) }.sorted()
        looks = looks.filter { manifests.contains($0.key) }
        var isUnsettled = false
        for name in manifests {
            if Task.isCancelled { return false }
            if await consider(name) { isUnsettled = true }
        }
        return isUnsettled
    }

    private func consider(_ name: String) async -> Bool {
        let stem = String(name.dropLast(".manifest.json".count))
        let manifestFile = folder.appending(path: name)
        let pdfFile = folder.appending(path: stem + ".pdf")
        guard let manifest = Self.stamp(manifestFile), let pdf = Self.stamp(pdfFile) else {
            // Not both there yet, minutes apart perhaps, or something that is no plain file and never will be.
            looks[name] = nil
            if Self.isImpostor(manifestFile) || Self.isImpostor(pdfFile) {
                await reject(name, nil, "the manifest or the PDF is no plain file with one name")
            }
            return false
        }
        guard let look = looks[name], look.manifest == manifest, look.pdf == pdf else {
            looks[name] = Look(manifest: manifest, pdf: pdf, at: .now)
            return true
        }
        guard ContinuousClock.now - look.at >= timing.stability else { return true }
        looks[name] = nil
        await verify(name, manifestFile, pdfFile)
        return false
    }

    private static func stamp(_ file: URL) -> Stamp? {
        guard let opened = try? OpenedFile(file) else { return nil }
        return Stamp(size: opened.size, modified: opened.modified)
    }

    private static func isImpostor(_ file: URL) -> Bool {
        var status = stat()
        guard lstat(file.path, &status) == 0 else { return false }
        return status.st_mode & S_IFMT != S_IFREG || status.st_nlink != 1
    }

    // MARK: Verification

    private struct Refusal: Error {
        let reason: String
        var requestID: RequestID?
    }

    private func verify(_ name: String, _ manifestFile: URL, _ pdfFile: URL) async {
        do {
            let manifest = try verifiedManifest(manifestFile)
            let request = manifest.manifest.requestID
            guard manifest.manifest.filename == pdfFile.lastPathComponent else {
                throw Refusal(reason: "the manifest is about another file", requestID: request)
            }
            switch try await ledger.verdict(on: manifest) {
            case .accepted: break
            case .duplicate: return remove(manifestFile, pdfFile)
            case .refused(let reason): throw Refusal(reason: reason, requestID: request)
            }
            let stored = store.appending(path: pdfFile.lastPathComponent)
            let incoming = store.appending(path: "incoming-\(UUID().uuidString).pdf")
            defer { unlink(incoming.path) }
            try storeCopy(of: pdfFile, as: incoming, checking: manifest)
            // Under its own name before the state says that it is there.
            guard rename(incoming.path, stored.path) == 0 else { throw FileError("stored", stored.path) }
            try AtomicFile.synchronise(folder: store)
            switch try await ledger.accept(manifest, storedPDF: stored) {
            case .accepted, .duplicate: remove(manifestFile, pdfFile)
            case .refused(let reason):
                unlink(stored.path)
                throw Refusal(reason: reason, requestID: request)
            }
        } catch let refusal as Refusal {
            await reject(name, refusal.requestID, refusal.reason)
        } catch {
            // The disk or the database failed, not the delivery: it stays, and the next scan tries again.
        }
    }

    private func verifiedManifest(_ file: URL) throws -> VerifiedManifest {
        let bytes: [UInt8]
        do {
            bytes = try OpenedFile(file).bytes(atMost: Self.manifestLimit)
        } catch let error as FileError where error.code == EFBIG {
            throw Refusal(reason: "the manifest is larger than \(Self.manifestLimit) bytes")
        }
        do {
            return try SignedManifest(json: try JSONReader.read(bytes)).verified(with: secret)
        } catch {
            throw Refusal(reason: "\(error)")
        }
    }

    private func storeCopy(of pdf: URL, as incoming: URL, checking manifest: VerifiedManifest) throws {
        let expected = manifest.manifest
        var hash = SHA256()
        var bytes = 0
        do {
            try OpenedFile(pdf).copy(to: incoming, atMost: Self.pdfLimit) { chunk in
                hash.update(bufferPointer: chunk)
                bytes += chunk.count
            }
        } catch let error as FileError where error.code == EFBIG {
            throw Refusal(reason: "the PDF is larger than \(Self.pdfLimit) bytes", requestID: expected.requestID)
        }
        let digest = hash.finalize().map { String(format: "%02x", $0) }.joined()
        guard bytes == expected.bytes, digest == expected.sha256 else {
            throw Refusal(reason: "the PDF is not the one that the manifest is about", requestID: expected.requestID)
        }
    }

    // MARK: Tidying

    /// What was accepted leaves the synced folder: the broker's copy is the statement now.
    private func remove(_ files: URL...) {
        for file in files { unlink(file.path) }
    }

    private func reject(_ name: String, _ request: RequestID?, _ reason: String) async {
        let rejected = folder.appending(path: "rejected", directoryHint: .isDirectory)
        try? PrivateFolder.make(rejected)
        let stem = String(name.dropLast(".manifest.json".count))
        let mark = Nonce().description.prefix(8)
        for part in [name, stem + ".pdf"] {
            let target = rejected.appending(path: "\(mark)-\(part)")
            // What cannot be moved away would be found, and told, again and again.
            if rename(folder.appending(path: part).path, target.path) != 0 { unlink(folder.appending(path: part).path) }
        }
        await ledger.rejected(DeliveryRejection(name: name, requestID: request, reason: reason))
    }
}

extension DirectoryEvent {
    fileprivate var mayMatter: Bool {
        switch self {
        case .changed(let name): !TemporaryNames.isTemporary(name)
        case .overflow: true
        }
    }
}
