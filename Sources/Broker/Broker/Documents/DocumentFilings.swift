import BrokerStore
import Clocks
import Foundation
import Logging
import Messages

/// Hands each accepted document to the filer, until the filer has taken it.
///
/// It works beside the deliveries: a filer that is slow or fails changes nothing about a request.
final class DocumentFilings: Sendable {
    private let filer: any DocumentFiler
    private let store: RequestStore
    private let clock: BrokerClock
    private let pause: Duration
    private let logger: Logger
    private let nudges = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    /// - Parameter pause: the time after which documents are offered again whose place was away or full.
    init(_ filer: any DocumentFiler, store: RequestStore, clock: BrokerClock, pause: Duration, logger: Logger) {
        self.filer = filer
        self.store = store
        self.clock = clock
        self.pause = pause
        self.logger = logger
    }

    /// Says that a document was accepted.
    func nudge() { nudges.continuation.yield() }

    /// The documents that were not filed in this run.
    private struct Left {
        /// They are offered again at the next start, not with each new one.
        var failed: Set<UnfiledDocument.Key> = []
        /// Those that are offered again after a pause, each with the reason that was told.
        var waiting: [UnfiledDocument.Key: String] = [:]
        /// Those that the filer has taken, and whose filing could not be recorded: they are recorded, and not filed once more.
        var taken: Set<UnfiledDocument.Key> = []
    }

    /// Files what an earlier run left, and then each document as it is accepted, until the task is cancelled.
    func run() async {
        var left = Left()
        var again: Task<Void, Never>?
        defer { again?.cancel() }
        // An archive of an earlier version, which was not remembered.
        if let folder = await filer.folderWithDocuments { try? await store.remember(folderWithDocuments: folder) }
        nudge()
        for await _ in nudges.stream {
            if Task.isCancelled { return }
            var isWhole = false
            do {
                try await fileAll(&left)
                isWhole = left.waiting.isEmpty
            } catch is CancellationError {
                return
            } catch {
                logger.error("the documents to file could not be read or recorded", metadata: ["error": "\(error)"])
            }
            again?.cancel()
            again = isWhole ? nil : Task { [self] in if (try? await Task.sleep(for: pause)) != nil { nudge() } }
        }
    }

    private func fileAll(_ left: inout Left) async throws {
        var place: UnfiledDocument.Place?
        repeat {
            let (documents, next) = try await store.unfiledDocuments(after: place)
            for document in documents where !left.failed.contains(document.key) {
                try Task.checkCancellation()
                try await file(document, &left)
            }
            place = next
        } while place != nil
    }

    private func file(_ document: UnfiledDocument, _ left: inout Left) async throws {
        let (id, key) = (document.key.requestID, document.key)
        do {
            if !left.taken.contains(key) {
                try await filer.file(
                    AcceptedDocument(
                        requestID: id, file: URL(filePath: document.file), sha256: document.sha256,
                        bankID: document.bankID, place: document.place))
            }
        } catch let error as PassingFilingFailure {
            let reason = error.description
            guard left.waiting.updateValue(reason, forKey: key) != reason else { return }
            logger.error(
                "a document could not be filed now; it is tried again by itself",
                metadata: ["request": "\(id)", "error": "\(reason)"])
            return try await store.recordFailedFiling(of: key, reason, at: clock.now)
        } catch {
            logger.error(
                "a document could not be filed; the next start tries again",
                metadata: ["request": "\(id)", "error": "\(error)"])
            left.waiting[key] = nil
            left.failed.insert(key)
            return try await store.recordFailedFiling(of: key, "\(error)", at: clock.now)
        }
        left.waiting[key] = nil
        left.taken.insert(key)
        try await store.recordFiling(of: key, in: await filer.folderWithDocuments, at: clock.now)
        left.taken.remove(key)
        logger.info("document filed", metadata: ["request": "\(id)"])
    }
}
