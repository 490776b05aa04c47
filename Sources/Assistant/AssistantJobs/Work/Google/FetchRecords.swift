import AssistantProcesses
import Foundation
import Synchronization

/// Chooses which looks at Google the audit log tells of. A look each minute would bury everything else there.
final class FetchRecords: Sendable {
    private static let interval: TimeInterval = 3600
    private static let most = 200_000

    private struct Key: Hashable {
        let userID: UUID
        let scope: GoogleScope
    }

    private struct Record {
        var time: Date
        var failure: String?
        /// The looks since that time.
        var looks = 0
    }

    private let records = Mutex<[Key: Record]>([:])

    /// Notes a look.
    ///
    /// - Returns: the number of looks with the same end to record now, this one included; nil when this one is recorded
    ///   later.
    func note(_ scope: GoogleScope, of userID: UUID, _ failure: String?, at now: Date) -> Int? {
        records.withLock { records in
            if records.count > Self.most { records = [:] }
            let key = Key(userID: userID, scope: scope)
            let isSame = records[key]?.failure == failure
            let looks = (isSame ? records[key]?.looks ?? 0 : 0) + 1
            if let last = records[key], isSame,
                (0..<Self.interval).contains(now.timeIntervalSince(last.time))
            {
                records[key]?.looks = looks
                return nil
            }
            records[key] = Record(time: now, failure: failure)
            return looks
        }
    }
}
