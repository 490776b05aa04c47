import Foundation
import Machine
import Synchronization

/// The differences between an archive's index and its files.
package struct ArchiveVerification: Sendable, Hashable {
    /// Documents whose file is not where it was filed. It may have been moved into another system.
    package var missing: [ArchivedDocument] = []
    /// Documents whose file has another digest.
    package var changed: [ArchivedDocument] = []
    /// The paths of files that the index does not know.
    package var extra: [String] = []
    /// Documents whose file cannot be read, with the reason.
    package var unreadable: [Unreadable] = []
    /// The number of documents that were compared, and the bytes that were hashed.
    package var documents = 0
    package var bytes = 0

    package struct Unreadable: Sendable, Hashable {
        package let document: ArchivedDocument
        package let reason: String
    }

    /// True without a difference.
    package var isClean: Bool { missing.isEmpty && changed.isEmpty && extra.isEmpty && unreadable.isEmpty }
}

extension DocumentArchive {
    /// The documents that are hashed at a time: one waits for the disk while another is hashed.
    private static let hashedAtOnce = min(4, max(2, ProcessInfo.processInfo.activeProcessorCount))
    private static let batch = 256

    /// Computes the digest of every file again, and compares the files with the index. Nothing is changed.
    package func verify() async throws -> ArchiveVerification {
        try await BlockingWork.run { try self.verifyBlocking() }
    }

    private func verifyBlocking() throws -> ArchiveVerification {
        // A folder that is away is told as such, before its files are listed.
        _ = try index
        let result = Mutex(ArchiveVerification())
        let workers = (0..<Self.hashedAtOnce).map { _ in FileDigest() }
        // The extra files first: what is filed meanwhile is then not one of them.
        var unknown: Set<String> = []
        try FolderWalk(root: root).visit { unknown.insert($0) }
        var waiting: [ArchivedDocument] = []
        func compareWaiting() {
            // Each thread has a buffer of its own, and takes every n-th document.
            let (batch, files) = (waiting, Workers(digests: workers))
            DispatchQueue.concurrentPerform(iterations: workers.count) { worker in
                var part = ArchiveVerification()
                for place in stride(from: worker, to: batch.count, by: files.digests.count) {
                    compare(batch[place], files.digests[worker], &part)
                }
                result.withLock { $0.add(part) }
            }
            waiting.removeAll(keepingCapacity: true)
        }
        try index.visit { document in
            unknown.remove(document.path)
            waiting.append(document)
            if waiting.count == Self.batch { compareWaiting() }
        }
        compareWaiting()
        // A document that is being filed has its file before its entry in the index, and both when the lock is free.
        let extra =
            try unknown.isEmpty
            ? []
            : withExtendedLifetime(try lock()) { try unknown.filter { try index.document(atPath: $0) == nil } }.sorted()
        return result.withLock { result in
            result.extra = extra
            result.missing.sort { $0.path < $1.path }
            result.changed.sort { $0.path < $1.path }
            result.unreadable.sort { $0.document.path < $1.document.path }
            return result
        }
    }

    /// A thread uses only the digest with its own number.
    private struct Workers: @unchecked Sendable {
        let digests: [FileDigest]
    }

    private func compare(_ document: ArchivedDocument, _ digest: FileDigest, _ result: inout ArchiveVerification) {
        result.documents += 1
        do throws(FileError) {
            guard PathBelow(document.path, below: root) != nil else {
                let reason = "the index has a path that leads out of the archive; countersign archive rebuild mends it"
                result.unreadable.append(.init(document: document, reason: reason))
                return
            }
            guard let seen = try digest.of(root.path + "/" + document.path) else {
                result.missing.append(document)
                return
            }
            result.bytes += seen.bytes
            if seen.sha256 != document.keptSHA256 { result.changed.append(document) }
        } catch {
            result.unreadable.append(.init(document: document, reason: error.description))
        }
    }
}

extension ArchiveVerification {
    fileprivate mutating func add(_ other: ArchiveVerification) {
        missing += other.missing
        changed += other.changed
        unreadable += other.unreadable
        documents += other.documents
        bytes += other.bytes
    }
}
