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
    private let logger: Logger
    private let nudges = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    init(_ filer: any DocumentFiler, store: RequestStore, clock: BrokerClock, logger: Logger) {
        self.filer = filer
        self.store = store
        self.clock = clock
        self.logger = logger
    }

    /// Says that a document was accepted.
    func nudge() { nudges.continuation.yield() }

    /// Files what an earlier run left, and then each document as it is accepted, until the task is cancelled.
    func run() async {
        // A document that fails is offered again at the next start, not with each new one.
        var failed: Set<UnfiledDocument.Key> = []
        nudge()
        for await _ in nudges.stream {
            if Task.isCancelled { return }
            do {
                try await fileAll(except: &failed)
            } catch is CancellationError {
                return
            } catch {
                logger.error("the documents to file could not be read", metadata: ["error": "\(error)"])
            }
        }
    }

    private func fileAll(except failed: inout Set<UnfiledDocument.Key>) async throws {
        var place: UnfiledDocument.Place?
        repeat {
            let (documents, next) = try await store.unfiledDocuments(after: place)
            for document in documents where !failed.contains(document.key) {
                try Task.checkCancellation()
                if try await !file(document) { failed.insert(document.key) }
            }
            place = next
        } while place != nil
    }

    private func file(_ document: UnfiledDocument) async throws -> Bool {
        let id = document.key.requestID
        do {
            try await filer.file(
                AcceptedDocument(
                    requestID: id, file: URL(filePath: document.file), sha256: document.sha256,
                    bankID: document.bankID, place: document.place))
        } catch {
            logger.error(
                "a document could not be filed; the next start tries again",
                metadata: ["request": "\(id)", "error": "\(error)"])
            try await store.recordFailedFiling(of: document.key, "\(error)", at: clock.now)
            return false
        }
        try await store.recordFiling(of: document.key, at: clock.now)
        logger.info("document filed", metadata: ["request": "\(id)"])
        return true
    }
}
