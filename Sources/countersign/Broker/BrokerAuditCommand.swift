import ArgumentParser
import AuditLog
import Broker
import BrokerStore
import Foundation
import JSON
import Terminal

struct BrokerAuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Show the broker's history, export it, and check that it is intact.",
        discussion: """
            Reads the database of BROKER_DATABASE_PATH, whether the broker runs or not. Exit status: 0 the log is intact, \
            1 it is not, or it cannot be read. Looking and exporting are recorded in the log too.
            """,
        subcommands: [BrokerAuditListCommand.self, BrokerAuditExportCommand.self, BrokerAuditVerifyCommand.self],
        defaultSubcommand: BrokerAuditListCommand.self)
}

/// The records to read from the broker's log.
struct BrokerAuditOptions: ParsableArguments {
    @Option(help: "Only records of at least this severity: info, warning, error or critical.")
    var severity: AuditSeverity = .info

    @Option(help: "Only types that begin with this, e.g. request or device.")
    var type: String?

    @Option(help: "Only this request, by its full id.")
    var request: String?

    @Option(help: "Only records from this day or time on, e.g. 2026-01-31.")
    var since: String?

    @Option(help: "Only records before this day or time.")
    var until: String?

    func filter(limit: Int) throws -> AuditFilter {
        AuditFilter(
            requestID: request, leastSeverity: severity, type: type, since: try AuditReading.time(since, "--since"),
            until: try AuditReading.time(until, "--until"), limit: limit)
    }

    static func log() throws -> AuditLog {
        try BrokerAudit.open(
            BrokerConfiguration.database(HouseholdFile.completing(ProcessInfo.processInfo.environment)))
    }

    /// Records a look at the log, or an export of it.
    static func note(_ type: String, in log: AuditLog) async {
        // A log that cannot be written, such as a copy that is read-only, can still be read.
        _ = try? await log.record(AuditEvent(type, details: ["uid": .number(Double(getuid()))]))
    }
}

struct BrokerAuditListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show the newest records, and whether the log is intact.",
        discussion: "Exit status: 0 the log is intact, 1 it is not.")

    @OptionGroup var audit: BrokerAuditOptions

    @Option(help: "The number of records to show.")
    var limit = 50

    @Flag(help: "Print JSON, one record per line.")
    var json = false

    func run() async throws {
        try await reportingFailures {
            let filter = try audit.filter(limit: limit)
            let log = try BrokerAuditOptions.log()
            try await AuditReading.list(log, filter, json: json)
            await BrokerAuditOptions.note("audit.viewed", in: log)
        }
    }
}

struct BrokerAuditExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Print all records for another program.",
        discussion: "The JSON lines include the hashes, so that other programs can check the chain.")

    @OptionGroup var audit: BrokerAuditOptions

    @Option(help: "jsonl or csv.")
    var format = AuditExport.jsonl

    func run() async throws {
        try await reportingFailures {
            let filter = try audit.filter(limit: .max)
            let log = try BrokerAuditOptions.log()
            Console.standard.text(format.text(of: try await log.records(filter)))
            await BrokerAuditOptions.note("audit.exported", in: log)
        }
    }
}

struct BrokerAuditVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Check the whole chain, and print a checkpoint to keep elsewhere.",
        discussion: """
            Changed or missing records are always detected. Only an earlier checkpoint, kept elsewhere, shows that the \
            newest records were cut off. Exit status: 0 the log is intact, 1 it is not.
            """)

    @Option(help: "A checkpoint that an earlier verify printed, such as 17:9f86d0….")
    var checkpoint: String?

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await reportingFailures {
            try await AuditReading.verify(try BrokerAuditOptions.log(), against: checkpoint, json: json)
        }
    }
}
