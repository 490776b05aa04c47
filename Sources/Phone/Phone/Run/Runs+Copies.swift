import Automation
import Clocks
import Foundation
import KeyVault
import Messages
import PhoneStore

// The phone's own copies of what it delivers. A copy that cannot be kept never stops a delivery.

extension Runs {
    /// Takes the copies' key from an open vault; nil when the owner wants no copies.
    @discardableResult
    func takeCopies(_ secrets: VaultSecretStore) async throws -> DocumentCopies? {
        guard try await store.keepsCopies() else { return nil }
        let taken = try await DocumentCopies(of: home, store: store, in: secrets)
        copies.withLock { $0 = taken }
        return taken
    }

    /// - Returns: whether a copy is kept.
    func keepCopy(
        of document: FetchedDocument, as name: String, of run: ApprovedRun, _ copies: DocumentCopies?
    ) -> Bool {
        guard let copies else { return false }
        return (try? copies.keep(document.file, as: name, of: run.id)) != nil
    }

    /// Notes that a document was delivered.
    func note(
        _ document: FetchedDocument, as name: String, of run: ApprovedRun, _ place: DocumentPlace, isKept: Bool
    ) async {
        let received = ReceivedDocument(
            requestID: run.id, name: name, bankID: run.envelope.bankID, place: place, sha256: document.sha256,
            receivedAt: now, isKept: isKept)
        try? await store.remember(received)
    }
}
