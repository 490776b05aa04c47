import Automation
import BankScript
import Encodings
import Foundation
import PhoneStore

/// A page of a bank that has changed since the first whole run of its present script.
package struct PageHistory: Sendable, Hashable {
    package let bankID: String
    package let scriptDigest: String
    /// The first step on the page, from 1.
    package let step: Int
    package let before: PageSkeleton
    package let now: PageSkeleton
    package let changes: [SkeletonChange]
    /// The day of the first run, the first run that found the page changed, and the latest one.
    package let firstAt: Date?
    package let changedAt: Date?
    package let latestAt: Date?

    /// True if the script names what changed.
    package var touchesScript: Bool { changes.contains(where: \.isUsed) }

    init?(_ stored: StoredSkeleton) {
        guard stored.first != stored.latest, let before = Self.page(stored.first), let now = Self.page(stored.latest)
        else { return nil }
        let changes = before.changes(to: now)
        guard !changes.isEmpty else { return nil }
        bankID = stored.bankID
        scriptDigest = stored.scriptDigest
        step = stored.step
        self.before = before
        self.now = now
        self.changes = changes
        (firstAt, changedAt, latestAt) = (stored.firstAt, stored.changedAt, stored.latestAt)
    }

    private static func page(_ text: String) -> PageSkeleton? {
        (try? JSONReader.read(text.utf8)).flatMap { PageSkeleton($0) }
    }
}

extension PhoneDatabase {
    /// Returns the pages that changed, sorted by bank and step. A change of a menu, which every page has, is told of the first one.
    package func changedPages() async throws -> [PageHistory] {
        var seen: Set<[String]> = []
        return try await skeletons().compactMap(PageHistory.init).filter { page in
            seen.insert([page.bankID, page.scriptDigest] + page.changes.map(\.words).sorted()).inserted
        }
    }

    /// Keeps the skeletons of a run's pages.
    func keep(
        _ pages: [Int: PageSkeleton], of script: BankScript, isWhole: Bool, at now: Date
    ) async throws {
        try await keepSkeletons(
            pages.mapValues { $0.json.compactText() }, ofBank: script.id, digest: script.digest.hex, isWhole: isWhole,
            at: now)
    }
}
