import ArgumentParser
import Foundation
import Storage

/// The side whose audit log is read: the broker or the phone.
package protocol AuditSource: ParsableArguments {
    func log() throws -> AuditLog

    /// Returns the sentences that tell of events at a terminal; nil to show their types and details.
    func sentences() throws -> ((AuditEvent) -> String)?

    /// Records a look at the log, or an export of it, where the log's owner wants to know.
    func note(_ kind: AuditKind, in log: AuditLog) async
}

extension AuditSource {
    package func sentences() throws -> ((AuditEvent) -> String)? { nil }

    package func note(_ kind: AuditKind, in log: AuditLog) async {}
}

extension AuditSeverity: ExpressibleByArgument {}
extension AuditExport: ExpressibleByArgument {}

/// The records to read from an audit log.
struct AuditFilterOptions: ParsableArguments {
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
}

package struct AuditListCommand<Source: AuditSource>: AsyncParsableCommand {
    package static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "list", abstract: "Show the newest records, and whether the log is intact.",
            discussion: "Exit status: 0 the log is intact, 1 it is not.")
    }

    @OptionGroup package var source: Source
    @OptionGroup var records: AuditFilterOptions

    @Option(help: "The number of records to show.")
    var limit = 50

    @Flag(help: "Print JSON, one record per line.")
    var json = false

    package init() {}

    package func run() async throws {
        try await reportingFailures {
            let filter = try records.filter(limit: limit)
            let log = try source.log()
            try await AuditReading.list(log, filter, json: json, try source.sentences())
            await source.note(.auditViewed, in: log)
        }
    }
}

package struct AuditExportCommand<Source: AuditSource>: AsyncParsableCommand {
    package static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "export", abstract: "Print all records for another program.",
            discussion: "The JSON lines include the hashes, so that other programs can check the chain.")
    }

    @OptionGroup package var source: Source
    @OptionGroup var records: AuditFilterOptions

    @Option(help: "jsonl or csv.")
    var format = AuditExport.jsonl

    package init() {}

    package func run() async throws {
        try await reportingFailures {
            let filter = try records.filter(limit: .max)
            let log = try source.log()
            Console.standard.text(format.text(of: try await log.records(filter)))
            await source.note(.auditExported, in: log)
        }
    }
}

package struct AuditVerifyCommand<Source: AuditSource>: AsyncParsableCommand {
    package static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "verify", abstract: "Check the whole chain, and print a checkpoint to keep elsewhere.",
            discussion: """
                Changed or missing records are always detected. Only an earlier checkpoint, kept elsewhere, shows that the \
                newest records were cut off. Exit status: 0 the log is intact, 1 it is not.
                """)
    }

    @OptionGroup package var source: Source

    @Option(help: "A checkpoint that an earlier verify printed, such as 17:9f86d0….")
    var checkpoint: String?

    @Flag(help: "Print JSON.")
    var json = false

    package init() {}

    package func run() async throws {
        try await reportingFailures {
            try await AuditReading.verify(try source.log(), against: checkpoint, json: json)
        }
    }
}
