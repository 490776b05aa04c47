import Foundation
import Inbox
import Logging
import Signer

/// The inbox's deliveries, recorded in the broker's store.
struct BrokerLedger: DeliveryLedger {
    let store: RequestStore
    let clock: BrokerClock
    let changes: RequestChanges
    let notifier: TelegramNotifier?
    let logger: Logger

    func verdict(on manifest: VerifiedManifest) async throws -> DeliveryVerdict {
        try await store.endOverdue(at: clock.now)
        return try await store.verdict(on: manifest)
    }

    func accept(_ manifest: VerifiedManifest, storedPDF: URL) async throws -> DeliveryVerdict {
        let verdict = try await store.complete(manifest, file: storedPDF, at: clock.now)
        if verdict == .accepted {
            let id = manifest.manifest.requestID
            logger.info("statement accepted", metadata: ["request": "\(id)", "bytes": "\(manifest.manifest.bytes)"])
            await changes.announce(id)
            if let notifier { Task { await notifier.tellCompletion(of: id) } }
        }
        return verdict
    }

    func rejected(_ rejection: DeliveryRejection) async {
        logger.error(
            "delivery refused",
            metadata: [
                "error_code": "MANIFEST_VERIFICATION_FAILED", "name": "\(rejection.name.debugDescription)",
                "request": "\(rejection.requestID?.description ?? "-")", "reason": "\(rejection.reason)",
            ])
    }
}
