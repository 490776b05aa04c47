import BrokerStore
import Clocks
import Crypto
import Encodings
import Foundation
import Logging
import Machine
import Messages

/// Takes each accepted document to paperless-ngx, and follows it there to its end.
///
/// Each step is recorded before the next, so that a broker that is stopped goes on where it was. An upload whose answer was
/// lost is repeated. Versions 1 and 2 of paperless-ngx then find a duplicate, which counts as filed. Version 3 finds it only
/// with `PAPERLESS_CONSUMER_DELETE_DUPLICATES`, and otherwise keeps a second document.
package struct PaperlessFilings: Sendable {
    /// The pauses after attempts that fail in passing. The last one is repeated without end, for a server that is away on
    /// holiday, too.
    static let pauses: [Duration] = [1, 2, 5, 15, 60, 360].map { .seconds(60 * $0) }
    /// The pauses between looks at a task, which takes paperless-ngx seconds to minutes. The last one is repeated.
    static let pausesBetweenLooks: [Duration] = [.seconds(2), .seconds(5), .seconds(10), .seconds(30), .seconds(60)]
    /// The looks after which a task that paperless-ngx does not know is given up, and the document uploaded again.
    private static let looksForUnknownTask = 5
    /// The largest document in bytes. A phone delivers none that is larger.
    private static let largest = 64 << 20

    private let client: PaperlessClient?
    private let folder: ConsumeFolder?
    private let store: PaperlessStore
    private let clock: BrokerClock
    private let look: Duration
    private let logger: Logger

    /// - Parameter look: the time between two looks for documents that are due.
    package init(
        _ configuration: PaperlessConfiguration, store: PaperlessStore, clock: BrokerClock, look: Duration,
        logger: Logger
    ) {
        switch configuration {
        case .server(let server):
            client = PaperlessClient(server)
            folder = nil
        case .folder(let url):
            client = nil
            folder = ConsumeFolder(url)
        }
        self.store = store
        self.clock = clock
        self.look = look
        self.logger = logger
    }

    /// Works until the task is cancelled.
    package func run() async {
        await DueWork(
            look: look, complaint: "the documents for paperless-ngx could not be read or recorded", logger: logger,
            due: { [store, clock] in try await store.due(at: clock.now, limit: $0) }, step: advance
        ).run()
        await client?.close()
    }

    /// Takes the next step of one document.
    private func advance(_ document: PaperlessDocument) async throws {
        do throws(PaperlessError) {
            switch document.state {
            case .waiting: try await send(document)
            case .uploaded: try await follow(document)
            case .filed, .failed: break
            }
        } catch {
            // A broker that stops has not failed.
            try Task.checkCancellation()
            try await record(error, of: document)
        }
    }

    private func record(_ error: PaperlessError, of document: PaperlessDocument) async throws {
        let request: Logger.Metadata = ["request": "\(document.key.requestID)", "reason": "\(error)"]
        guard error.kind == .passing else {
            logger.error("paperless-ngx refused a document", metadata: request)
            return try await store.recordRefusal(of: document.key, error.description, at: clock.now)
        }
        let pause = Self.pauses[min(document.attempts, Self.pauses.count - 1)]
        logger.warning("a document could not be taken to paperless-ngx yet", metadata: request)
        try await store.record(
            failedAttempt: error.description, of: document.key, next: clock.now.addingTimeInterval(pause.seconds))
    }

    private func send(_ document: PaperlessDocument) async throws(PaperlessError) {
        let upload = try await Self.upload(of: document)
        if let folder {
            try folder.put(upload)
            return try await recording {
                try await store.recordFiling(of: document.key, as: nil, wasThere: false, at: clock.now)
            }
        }
        guard let client else { return }
        let task = try await client.upload(upload)
        try await recording {
            try await store.record(
                upload: task, of: document.key, at: clock.now,
                nextLook: clock.now.addingTimeInterval(Self.pausesBetweenLooks[0].seconds))
        }
    }

    private func follow(_ document: PaperlessDocument) async throws(PaperlessError) {
        guard let client, let task = document.task else {
            // The owner changed from the server to the folder meanwhile.
            return try await recording { try await store.recordLostTask(of: document.key, next: clock.now) }
        }
        let state = try await client.state(ofTask: task)
        let pause = Self.pausesBetweenLooks[min(document.looks, Self.pausesBetweenLooks.count - 1)]
        let next = clock.now.addingTimeInterval(pause.seconds)
        try await recording {
            switch state {
            case .filed(let id):
                try await store.recordFiling(of: document.key, as: id, wasThere: false, at: clock.now)
                logger.info("document filed in paperless-ngx", metadata: ["request": "\(document.key.requestID)"])
            case .duplicate(let id):
                try await store.recordFiling(of: document.key, as: id, wasThere: true, at: clock.now)
                logger.info("paperless-ngx had the document", metadata: ["request": "\(document.key.requestID)"])
            case .failed(let reason): try await record(PaperlessError(refusal: reason), of: document)
            case .running: try await store.recordLook(at: document.key, next: next)
            case nil where document.looks < Self.looksForUnknownTask:
                try await store.recordLook(at: document.key, next: next)
            case nil:
                // A task that is lost again may never be listed: its uploads become rare.
                let isAgain = document.reason == PaperlessStore.lostTask
                let after = isAgain ? clock.now.addingTimeInterval(Self.pauses.last!.seconds) : next
                try await store.recordLostTask(of: document.key, next: after)
            }
        }
    }

    /// Records a step. A database that fails is a passing failure.
    private func recording(_ body: () async throws -> Void) async throws(PaperlessError) {
        do {
            try await body()
        } catch {
            throw PaperlessError(passing: "the step could not be recorded: \(error)")
        }
    }

    /// Reads the broker's own copy of a document, and names it.
    private static func upload(of document: PaperlessDocument) async throws(PaperlessError) -> PaperlessUpload {
        let bytes: [UInt8]
        do {
            bytes = try await BlockingWork.run {
                try OpenedFile(URL(filePath: document.file)).bytes(atMost: largest)
            }
        } catch {
            throw PaperlessError(passing: "\(error)")
        }
        guard Base16.encode(SHA256.hash(data: bytes)) == document.sha256 else {
            throw PaperlessError(
                refusal:
                    "the broker's copy has changed since it was accepted; it is not filed. Fetch the document again")
        }
        let place = document.place
        let bank = document.bankName ?? document.bankID
        guard let created = CalendarDate(place.lastDay) else {
            throw PaperlessError(refusal: "its month is not a date")
        }
        return PaperlessUpload(
            bytes: bytes, mediaType: place.kind.mediaType, fileExtension: place.kind.fileExtension,
            sha256: document.sha256,
            title: [bank, place.account?.description, place.span + place.partWords].compactMap(\.self)
                .joined(separator: " "),
            created: created, correspondent: bank,
            documentType: place.kind == .pdf ? "Bank statement" : "Bank transactions",
            tags: ["countersign"] + (place.account.map { [$0.description] } ?? []))
    }
}
