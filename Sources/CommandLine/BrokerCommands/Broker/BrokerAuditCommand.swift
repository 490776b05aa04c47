import ArgumentParser
import Broker
import BrokerStore
import Encodings
import Foundation
import Storage
import Terminal

struct BrokerAuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Show the broker's history, export it, and check that it is intact.",
        discussion: """
            Reads the database of BROKER_DATABASE_PATH, whether the broker runs or not. Exit status: 0 the log is intact, \
            1 it is not, or it cannot be read. Looking and exporting are recorded in the log too.
            """,
        subcommands: [
            AuditListCommand<BrokerAuditSource>.self, AuditExportCommand<BrokerAuditSource>.self,
            AuditVerifyCommand<BrokerAuditSource>.self,
        ],
        defaultSubcommand: AuditListCommand<BrokerAuditSource>.self)
}

/// The audit log of the broker on this machine.
struct BrokerAuditSource: AuditSource {
    func log() throws -> AuditLog {
        try BrokerAudit.open(
            BrokerConfiguration.database(HouseholdFile.completing(ProcessInfo.processInfo.environment)))
    }

    func note(_ kind: AuditKind, in log: AuditLog) async {
        // A log that cannot be written, such as a copy that is read-only, can still be read.
        _ = try? await log.record(AuditEvent(kind, details: ["uid": .number(Double(getuid()))]))
    }
}
