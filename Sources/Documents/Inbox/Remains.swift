import Foundation
import Machine
import Messages

/// A file that a phone has written and that is not a delivery, or not yet: its other half is missing, or it was never given its
/// name.
struct Remains: Sendable, Hashable {
    let name: String
    let request: RequestID
    /// The one of several documents that the file's name says; nil for a statement.
    let document: DocumentID?
    /// The name of the other half, a manifest or what it describes; nil for a temporary file.
    let counterpart: String?

    /// Returns nil for any name that no phone gives its files.
    init?(_ name: String) {
        let isTemporary = name.hasSuffix(".tmp")
        let whole = isTemporary ? name.dropLast(4) : name[...]
        guard let request = RequestID(String(whole.prefix(36))) else { return nil }
        (self.name, self.request) = (name, request)
        let rest = whole.dropFirst(36)
        if rest == InboxPaths.closingEnding {
            // With its name it is whole, and is judged as such.
            guard isTemporary else { return nil }
            (document, counterpart) = (nil, nil)
            return
        }
        let form = /-([0-9a-f]{32}|[a-z]{3}-[0-9]{4})(\.[a-z]{3,4})?(\.manifest\.json)?/
        guard let match = rest.wholeMatch(of: form) else { return nil }
        let (ending, isManifest) = (match.output.2.map { String($0) }, match.output.3 != nil)
        // Only a PDF's manifest does without the ending of its file.
        let isOurs = ending.map { InboxPaths.fileEndings.contains($0) && !(isManifest && $0 == ".pdf") } ?? isManifest
        guard isOurs else { return nil }
        document = DocumentID(String(match.output.1))
        if isTemporary {
            counterpart = nil
        } else if isManifest {
            counterpart = String(name.dropLast(InboxPaths.manifestEnding.count)) + (ending == nil ? ".pdf" : "")
        } else {
            counterpart = InboxPaths.manifestName(of: name)
        }
    }
}

/// Takes away the remains of a phone that was killed between a file and its manifest, and that does not come back to remove
/// them itself, and those of a broker that was killed between the two while it removed them.
///
/// Nothing that could still become a document is touched: the ledger has to say that no delivery for the request can be
/// accepted any more, at two looks that are a span apart and see the same file. Wall clocks play no part, and the time during
/// which this machine slept does not count: nothing arrives while it sleeps.
actor RemainsSweep {
    private let folder: URL
    private let rejected: RejectedDeliveries
    private let ledger: any DeliveryLedger
    private let span: Duration
    private var looks: [String: Look] = [:]

    private struct Look {
        let stamp: InboxListing.Stamp
        let hasEnded: Bool
        let at: SuspendingClock.Instant
    }

    init(folder: URL, rejected: RejectedDeliveries, ledger: any DeliveryLedger, span: Duration) {
        self.folder = folder
        self.rejected = rejected
        self.ledger = ledger
        self.span = span
    }

    func look(at listed: [(remains: Remains, stamp: InboxListing.Stamp)]) async {
        let names = Set(listed.map(\.remains.name))
        looks = looks.filter { names.contains($0.key) }
        for (remains, stamp) in listed where !Task.isCancelled {
            let before = looks[remains.name].flatMap { $0.stamp == stamp ? $0 : nil }
            // The ledger is asked once in a span, however many files there are.
            if let before, before.at.duration(to: SuspendingClock.now) < span { continue }
            let hasEnded = (try? await ledger.hasEnded(remains.request, document: remains.document)) ?? false
            looks[remains.name] = Look(stamp: stamp, hasEnded: hasEnded, at: SuspendingClock.now)
            guard hasEnded, before?.hasEnded == true else { continue }
            let discarded = try? await BlockingWork.run { [folder, rejected] () -> Int? in
                // It may have come since the folder was listed.
                if let other = remains.counterpart, access(folder.appending(path: other).path, F_OK) == 0 {
                    return nil
                }
                return rejected.move(folder.appending(path: remains.name), seenAs: stamp)
            }
            // What cannot be moved now is tried again after a span.
            guard let discarded else { continue }
            looks[remains.name] = nil
            await ledger.tookAway(
                DeliveryRemains(
                    name: remains.name, requestID: remains.request, document: remains.document, discarded: discarded))
        }
    }
}
