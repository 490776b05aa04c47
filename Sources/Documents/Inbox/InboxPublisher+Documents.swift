import Clocks
import Foundation
import Machine
import Messages
import Signer

// Several documents of one request: each is a delivery of its own, and a closing manifest ends them.

extension InboxPublisher {
    /// Puts one of several documents and its manifest into the inbox.
    ///
    /// - Throws: ``PublishError``; then manifest, document and temporary files are gone.
    public func publish(
        document source: URL, _ document: CompletionManifest.Document, for request: RequestID, completedAt: Timestamp,
        nonce: Nonce = Nonce()
    ) throws(PublishError) -> PublishedDelivery {
        let name = document.filename(for: request)
        if let there = verified(InboxPaths.manifestName(of: name)) {
            throw PublishError(message: "\(there.filename) is in the inbox already")
        }
        return try publish(source, as: name) { filename, digest, bytes in
            CompletionManifest(
                requestID: request, filename: filename, sha256: digest, bytes: bytes, completedAt: completedAt,
                nonce: nonce, document: document)
        }
    }

    /// Ends the documents of a request. The rename of this file is the commit point of them all.
    ///
    /// - Throws: ``PublishError``.
    public func close(_ closing: ClosingManifest) throws(PublishError) {
        try check()
        let file = folder.appending(path: ClosingManifest.filename(for: closing.requestID))
        let signed = closing.signed(with: secret)
        // One that was killed in this place has left it, and it would be in the way for ever.
        unlink(file.path + ".tmp")
        do {
            try AtomicFile.write(signed.bytes, to: file)
        } catch {
            // With its name the file counts, even if synchronising the folder failed.
            guard (try? DeliveryVerification().closing(file)) == signed else {
                throw PublishError(message: "the end of the documents cannot be put into the inbox: \(error)")
            }
        }
    }

    /// Removes what an interrupted publication of one of the documents left: temporary files, and files without a manifest.
    public func removeUnfinishedDocuments(of request: RequestID) {
        for name in names(of: request) {
            // A manifest ends like a document of the kind json.
            let isUnfinished =
                !InboxPaths.messageEndings.contains(where: name.hasSuffix)
                && InboxPaths.fileEndings.contains(where: name.hasSuffix)
                && verified(InboxPaths.manifestName(of: name)) == nil
            if isUnfinished || name.hasSuffix(".tmp") { unlink(folder.appending(path: name).path) }
        }
    }

    /// Removes a delivery: first the file that makes it one.
    ///
    /// - Returns: false when that is not there any more: the broker has taken the delivery.
    func withdraw(_ delivered: Delivered) -> Bool {
        switch delivered {
        case .end(let name): return unlink(folder.appending(path: name).path) == 0
        case .file(let name):
            guard unlink(folder.appending(path: InboxPaths.manifestName(of: name)).path) == 0 else { return false }
            unlink(folder.appending(path: name).path)
            return true
        }
    }
}
