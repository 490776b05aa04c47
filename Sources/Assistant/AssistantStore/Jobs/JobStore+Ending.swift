import Foundation

extension JobStore {
    /// Extends the leases of jobs that are still running.
    ///
    /// - Returns: those that this worker still holds. The others have passed to another worker, or are gone.
    package func renew(
        _ jobs: [LeasedJob], for seconds: TimeInterval, at now: Date? = nil
    ) async throws -> Set<LeasedJob> {
        guard !jobs.isEmpty else { return [] }
        return try await database.transaction(.writing) { session in
            let end = try session.time(now).addingTimeInterval(seconds)
            var held: Set<LeasedJob> = []
            for round in SQLLists.rounds(jobs, by: \.id) {
                let ids = try Self.change(
                    round.map { ($0, end) }, "leased_until = runs.column3, next_run_at = runs.column3", [], session)
                held.formUnion(round.filter { ids.contains($0.id) })
            }
            return held
        }
    }

    /// Ends runs of leased jobs, in one transaction.
    ///
    /// - Returns: for each, false when the lease has passed to another worker or the job is gone. It then counts for
    ///   nothing.
    package func end(_ runs: [(job: LeasedJob, outcome: JobOutcome)], at now: Date? = nil) async throws -> [Bool] {
        guard !runs.isEmpty else { return [] }
        return try await database.transaction(.writing) { session in
            let now = try session.time(now)
            var counts = [Bool](repeating: false, count: runs.count)
            // Of two runs of one job, one holds the lease no more.
            for round in SQLLists.rounds(Array(runs.indices), by: { runs[$0].job.id }) {
                for change in JobChange.allCases {
                    let places = round.filter { JobChange(runs[$0].outcome) == change }
                    let ids = try Self.change(
                        places.map { (runs[$0].job, runs[$0].outcome.time ?? now) }, change.assignments,
                        change == .due ? [.time(now)] : [], session)
                    for place in places { counts[place] = ids.contains(runs[place].job.id) }
                }
            }
            // The jobs' rows are locked by now, and go with their users: the users are still there.
            let events = zip(runs, counts).compactMap { run, isCounted -> UserAuditEvent? in
                guard isCounted, case .setAside(let event) = run.outcome else { return nil }
                return UserAuditEvent(event: event, userID: run.job.userID, time: now)
            }
            try AuditEventStore.record(events, session)
            return counts
        }
    }

    package func end(_ job: LeasedJob, _ outcome: JobOutcome, at now: Date? = nil) async throws -> Bool {
        try await end([(job, outcome)], at: now).first ?? false
    }

    /// Changes the rows of jobs that are still running under their leases, in one statement.
    ///
    /// Two workers hold no job in common. Another transaction may change several jobs of one user; PostgreSQL ends one of the
    /// two if they wait for each other, and it is made again.
    ///
    /// - Parameters:
    ///   - runs: each job once, with the time that `assignments` call `runs.column3`.
    ///   - values: those of the first places in `assignments`.
    /// - Returns: the ids of the changed rows.
    private static func change(
        _ runs: [(job: LeasedJob, time: Date)], _ assignments: String, _ values: [SQLValue],
        _ session: any SQLSession
    ) throws -> Set<UUID> {
        guard !runs.isEmpty else { return [] }
        // One order for all transactions, so that two of them rarely wait for each other.
        let runs = runs.sorted { $0.job.id.uuidString < $1.job.id.uuidString }
        let rows = try session.rows(
            """
            UPDATE jobs SET \(assignments)
            FROM (VALUES \(SQLLists.rows(runs.count, of: 3, from: values.count + 1))) AS runs
            WHERE jobs.id = runs.column1 AND jobs.lease = runs.column2 AND jobs.state = 'RUNNING'
            RETURNING id
            """, values + runs.flatMap { [.uuid($0.job.id), .uuid($0.job.lease), .time($0.time)] })
        return Set(try rows.map { try $0.uuid("id") })
    }
}

/// The ways in which the end of a run changes a job's row.
private enum JobChange: CaseIterable {
    case done, due, again, againWithoutStrike, setAside

    init(_ outcome: JobOutcome) {
        self =
            switch outcome {
            case .done: .done
            case .due: .due
            case .again(_, let isStrike): isStrike ? .again : .againWithoutStrike
            case .setAside: .setAside
            }
    }

    /// The assignments of the update, with the outcome's time as `runs.column3`. ``due`` has the present as `$1`.
    var assignments: String {
        let change =
            switch self {
            case .done: "state = 'DONE', next_run_at = NULL, attempts = 0, strikes = 0"
            case .due:
                """
                state = 'PENDING', due_at = runs.column3, attempts = 0, strikes = 0, next_run_at = CASE
                    WHEN length(subject) = 0 AND (\(Self.wishesChanged)) THEN $1 ELSE runs.column3 END
                """
            case .again: "state = 'PENDING', next_run_at = runs.column3"
            case .againWithoutStrike: "state = 'PENDING', next_run_at = runs.column3, strikes = 0"
            case .setAside: "state = 'FAILED', next_run_at = NULL"
            }
        return "lease = NULL, leased_until = NULL, \(change)"
    }

    /// The condition that the user's wishes or connection have changed since a job began: it looks again at once.
    private static let wishesChanged = """
        EXISTS (SELECT 1 FROM preferences
            WHERE preferences.user_id = jobs.user_id AND preferences.updated_at > jobs.last_run_at)
        OR EXISTS (SELECT 1 FROM connectors
            WHERE connectors.user_id = jobs.user_id AND connectors.token_rotated_at > jobs.last_run_at)
        """
}

extension JobOutcome {
    /// The time at which the job runs again.
    fileprivate var time: Date? {
        switch self {
        case .due(let time), .again(let time, _): time
        case .done, .setAside: nil
        }
    }
}
