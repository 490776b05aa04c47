import Foundation
import GRDB
import Messages

extension PhoneDatabase {
    /// Keeps the warnings of a run, such as that a later way of `any` matched.
    ///
    /// - Parameter warnings: the number of the step, and the message.
    package func keepWarnings(_ warnings: [RunWarning], of id: RequestID) async throws {
        guard !warnings.isEmpty else { return }
        try await database.write { database in
            for warning in warnings {
                try database.execute(
                    sql: "INSERT OR IGNORE INTO run_warnings VALUES (?, ?, ?)",
                    arguments: [id.description, warning.step, warning.message])
            }
        }
    }

    /// Returns the warnings of these runs, by request, in the order of the steps.
    package func runWarnings(of runs: [RequestID]) async throws -> [RequestID: [RunWarning]] {
        try await database.read { database in
            let marks = runs.map { _ in "?" }.joined(separator: ", ")
            let rows = try Row.fetchAll(
                database, sql: "SELECT * FROM run_warnings WHERE request_id IN (\(marks)) ORDER BY step, message",
                arguments: StatementArguments(runs.map(\.description)))
            return rows.reduce(into: [:]) { result, row in
                guard let id = RequestID(row["request_id"]) else { return }
                result[id, default: []].append(RunWarning(step: row["step"], message: row["message"]))
            }
        }
    }

    /// Returns the steps whose page is drifting away from the script, for each bank's latest script: a script breaks when
    /// its last way finds nothing any more.
    ///
    /// - Returns: the drifts sorted by bank and step.
    package func drift() async throws -> [ScriptDrift] {
        let runs = try await requests([.completed, .failed], limit: 1000)
        let warnings = try await runWarnings(of: runs.map(\.id))
        var drifts: [ScriptDrift] = []
        for (bank, all) in Dictionary(grouping: runs, by: \.bankID).sorted(by: { $0.key < $1.key }) {
            // An edited script starts anew: its author has seen the page.
            guard let digest = all.compactMap(\.scriptDigest).first else { continue }
            let own = all.filter { $0.scriptDigest == digest }
            var steps: [Int: [(run: StoredRequest, message: String)]] = [:]
            for run in own {
                for warning in warnings[run.id] ?? [] {
                    steps[warning.step, default: []].append((run, warning.message))
                }
            }
            for (step, found) in steps.sorted(by: { $0.key < $1.key }) {
                let times = found.map(\.run.updatedAt)
                guard let first = times.min(), let last = found.max(by: { $0.run.updatedAt < $1.run.updatedAt }) else {
                    continue
                }
                drifts.append(
                    ScriptDrift(
                        bankID: bank, scriptDigest: digest, step: step, message: last.message,
                        runs: Set(found.map(\.run.id)).count, allRuns: own.count, since: first,
                        latest: last.run.updatedAt))
            }
        }
        return drifts
    }
}
