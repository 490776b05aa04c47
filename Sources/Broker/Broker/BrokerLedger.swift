import BrokerStore
import Foundation
import Inbox
import Logging
import Machine
import Messages
import Notifications
import Signer

/// Records the inbox's deliveries in the broker's database.
struct BrokerLedger: DeliveryLedger {
    let store: RequestStore
    let timekeeper: Timekeeper
    let notifiers: [any OwnerNotifying]
    let filings: DocumentFilings?
    let metrics: BrokerMetrics
    let inbox: URL
    /// The folder of the broker's own copies.
    let documents: URL
    let logger: Logger

    func verdict(on manifest: VerifiedManifest) async throws -> DeliveryVerdict {
        try await timekeeper.sweep()
        return try await store.verdict(on: manifest)
    }

    func accept(_ manifest: VerifiedManifest, storedPDF: URL) async throws -> DeliveryVerdict {
        let verdict = try await store.complete(manifest, file: storedPDF, at: timekeeper.clock.now)
        let id = manifest.manifest.requestID
        if verdict == .accepted, let document = manifest.manifest.document {
            logger.info(
                "document accepted",
                metadata: ["request": "\(id)", "number": "\(document.number)", "of": "\(document.count)"])
            await timekeeper.changes.announce(id)
            filings?.nudge()
        } else if verdict == .accepted {
            logger.info("statement accepted", metadata: ["request": "\(id)", "bytes": "\(manifest.manifest.bytes)"])
            metrics.delivered("accepted")
            await timekeeper.changes.announce(id)
            for notifier in notifiers { notifier.announceCompletion(of: id) }
            filings?.nudge()
        }
        return verdict
    }

    func close(_ closing: VerifiedClosing) async throws -> ClosingVerdict {
        try await timekeeper.sweep()
        let verdict = try await store.close(closing, at: timekeeper.clock.now)
        if verdict == .accepted {
            let id = closing.closing.requestID
            logger.info("documents complete", metadata: ["request": "\(id)"])
            metrics.delivered("accepted")
            await timekeeper.changes.announce(id)
            for notifier in notifiers { notifier.announceCompletion(of: id) }
        }
        return verdict
    }

    func postponed(_ name: String, because error: any Error) async {
        let isAway = access(documents.path, F_OK) != 0
        logger.error(
            "a delivery could not be taken; it stays in the inbox, and is tried again",
            metadata: [
                "name": "\(name.debugDescription)",
                "error": "\(error)\(isAway ? "; is the disk mounted on which the broker keeps its documents?" : "")",
            ])
    }

    func inboxChanged(isThere: Bool) async {
        guard !isThere else { return logger.info("the inbox is there again", metadata: ["inbox": "\(inbox.path)"]) }
        logger.error(
            "the inbox cannot be read; is its disk mounted? Nothing arrives until it is there again",
            metadata: ["inbox": "\(inbox.path)"])
    }

    func hasEnded(_ request: RequestID, document: DocumentID?) async throws -> Bool {
        try await store.hasEnded(request, document: document)
    }

    func tookAway(_ remains: DeliveryRemains) async {
        let metadata: Logger.Metadata = [
            "name": "\(remains.name.debugDescription)", "request": "\(remains.requestID)",
        ]
        do {
            guard try await !store.note(remains, at: timekeeper.clock.now) else {
                return logger.info(
                    "what was left over of a delivery that was taken went from the inbox", metadata: metadata)
            }
        } catch {
            logger.error("what was left of a delivery could not be recorded", metadata: ["error": "\(error)"])
        }
        logger.warning(
            "what was left of a delivery went from the inbox: its request has ended, and the rest never came",
            metadata: metadata)
    }

    func rejected(_ rejection: DeliveryRejection) async {
        metrics.delivered("rejected")
        do {
            if let id = try await store.note(rejection, at: timekeeper.clock.now) {
                await timekeeper.changes.announce(id)
            }
        } catch {
            logger.error("a refused delivery could not be recorded", metadata: ["error": "\(error)"])
        }
        logger.error(
            "delivery refused",
            metadata: [
                "error_code": "\(ErrorCode.manifestVerificationFailed.rawValue)",
                "name": "\(rejection.name.debugDescription)", "request": "\(rejection.requestID?.description ?? "-")",
                "reason": "\(rejection.reason)",
            ])
    }
}
