import BankScript
import Foundation

/// A run of a script, as the phone remembers it.
package struct RememberedRun: Sendable, Hashable {
    package let digest: String
    package let endedAt: Date
    /// The name of an engine.
    package let engine: String
    /// Nil for a run that brought a statement.
    package let reason: FailureReason?
    package let step: Int?

    package init(digest: String, endedAt: Date, engine: String, reason: FailureReason?, step: Int?) {
        self.digest = digest
        self.endedAt = endedAt
        self.engine = engine
        self.reason = reason
        self.step = step
    }

    fileprivate var outcome: FieldOutcome? {
        guard let reason else { return .statement }
        return step.flatMap { FieldOutcome(reason, step: $0) }
    }
}

extension FieldResult {
    /// Returns the results that an owner may tell a collection: for each of its scripts and each week that has ended the last
    /// outcome that says something about the script.
    ///
    /// - Parameters:
    ///   - digests: the collection's scripts. Nothing is told of others.
    ///   - since: the week in which the owner said yes; weeks before it are not told.
    package static func own(
        _ runs: [RememberedRun], digests: Set<String>, since: ISOWeek, now: Date
    ) -> [FieldResult] {
        let today = ISOWeek(now)
        var latest: [String: [ISOWeek: (run: RememberedRun, outcome: FieldOutcome)]] = [:]
        for run in runs where digests.contains(run.digest) {
            let week = ISOWeek(run.endedAt)
            guard week >= since, week < today, let outcome = run.outcome else { continue }
            if let other = latest[run.digest]?[week], other.run.endedAt > run.endedAt { continue }
            latest[run.digest, default: [:]][week] = (run, outcome)
        }
        return latest.flatMap { digest, weeks in
            weeks.map { week, found in
                FieldResult(digest: digest, week: week, engine: found.run.engine, outcome: found.outcome)
            }
        }.sorted { ($0.week, $0.digest) < ($1.week, $1.digest) }
    }
}
