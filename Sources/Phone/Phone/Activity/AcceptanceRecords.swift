import Automation
import BankScript
import Encodings
import Foundation
import PhoneStore
import Storage

/// The audit log's records of accepted scripts: each may use the credentials of its bank from then on.
extension PhoneHome {
    /// Records that the owner accepted a script.
    ///
    /// A home that is not set up yet has no log. Its set-up records what was accepted before.
    ///
    /// - Parameter retired: the versions that are not accepted any more.
    package func recordAcceptance(of script: BankScript, retiring retired: [AcceptedScripts.Acceptance]) async throws {
        guard FileManager.default.fileExists(atPath: database.path) else { return }
        var details = Self.details(of: script.digest, ofBank: script.id)
        details["origins"] = .string(script.origins.map { "\($0)" }.sorted().joined(separator: ", "))
        if !retired.isEmpty { details["retired"] = .array(retired.map { .string($0.digest.hex) }) }
        try await PhoneDatabase(self).audit.record(
            AuditEvent(.scriptAccepted, severity: .warning, details: .object(details)))
    }

    /// Records that a script may not run any more, in a home that has a log.
    package func recordRevocation(of script: AcceptedScripts.Acceptance) async throws {
        guard FileManager.default.fileExists(atPath: database.path) else { return }
        try await PhoneDatabase(self).audit.record(
            AuditEvent(
                .scriptRevoked, severity: .warning,
                details: .object(Self.details(of: script.digest, ofBank: script.bankID))))
    }

    /// Records the scripts that were accepted before there was a log.
    func recordEarlierAcceptances(in store: PhoneDatabase) async throws {
        // A list that cannot be read accepts nothing: each use of it says so.
        guard let accepted = try? AcceptedScripts(home: folder).all(), !accepted.isEmpty else { return }
        let recorded = try await store.audit.records(
            AuditFilter(type: AuditKind.scriptAccepted.rawValue, limit: .max))
        let known = Set(recorded.compactMap { $0.event.details["digest"]?.stringValue })
        for script in accepted.reversed() where !known.contains(script.digest.hex) {
            var details = Self.details(of: script.digest, ofBank: script.bankID)
            details["accepted_at"] = .string(script.date.formatted(.iso8601))
            try await store.audit.record(
                AuditEvent(.scriptAccepted, severity: .warning, details: .object(details)))
        }
    }

    private static func details(of digest: ScriptDigest, ofBank bankID: String) -> [String: JSONValue] {
        ["digest": .string(digest.hex), "bank_id": .string(bankID)]
    }
}
