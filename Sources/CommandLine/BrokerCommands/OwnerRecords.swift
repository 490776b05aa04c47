import Broker
import BrokerStore
import Encodings
import Foundation
import Storage
import Terminal

/// Records what the owner of a broker did at the terminal, in the broker's audit log.
enum OwnerRecords {
    /// A machine without a broker has no such log, and a copy of one may be read-only: then nothing is recorded.
    static func record(_ kind: AuditKind, _ details: [String: JSONValue]) async {
        var details = details
        details["uid"] = .number(Double(getuid()))
        guard let environment = try? HouseholdFile.completing(ProcessInfo.processInfo.environment),
            let log = try? BrokerAudit.open(BrokerConfiguration.database(environment))
        else { return }
        _ = try? await log.record(AuditEvent(kind, severity: .warning, details: .object(details)))
    }
}
