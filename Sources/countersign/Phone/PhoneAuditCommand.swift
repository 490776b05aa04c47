import ArgumentParser
import AuditLog
import Foundation
import Phone
import Terminal

struct PhoneAuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Show what the phone has done, from a tamper-evident log.",
        subcommands: [PhoneAuditListCommand.self, PhoneAuditExportCommand.self, PhoneAuditVerifyCommand.self],
        defaultSubcommand: PhoneAuditListCommand.self)
}

/// The audit log to read, and a filter for its records.
struct AuditOptions: ParsableArguments {
    @OptionGroup var home: HomeOption

    @Option(help: "Only records of at least this severity: info, warning, error or critical.")
    var severity: AuditSeverity = .info

    @Option(help: "Only types that begin with this, e.g. request or totp.")
    var type: String?

    @Option(help: "Only this request, by its full id.")
    var request: String?

    func filter(limit: Int) -> AuditFilter {
        AuditFilter(requestID: request, leastSeverity: severity, type: type, limit: limit)
    }

    func log() throws -> AuditLog { try Self.log(in: home) }

    static func log(in option: HomeOption) throws -> AuditLog {
        try PhoneStore(option.phone(with: \.database)).audit
    }
}

extension AuditSeverity: ExpressibleByArgument {}
extension AuditExport: ExpressibleByArgument {}

struct PhoneAuditListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show the newest records, and whether the log is intact.",
        discussion: "Exit status: 0 the log is intact, 1 it is not.")

    @OptionGroup var audit: AuditOptions

    @Option(help: "The number of records to show.")
    var limit = 50

    @Flag(help: "Print JSON, one record per line.")
    var json = false

    func run() async throws {
        try await reportingFailures {
            try await AuditReading.list(try audit.log(), audit.filter(limit: limit), json: json)
        }
    }
}

struct PhoneAuditExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Print all records for another program.",
        discussion: "The JSON lines include the hashes, so that other programs can check the chain.")

    @OptionGroup var audit: AuditOptions

    @Option(help: "jsonl or csv.")
    var format = AuditExport.jsonl

    func run() async throws {
        try await reportingFailures {
            let records = try await audit.log().records(audit.filter(limit: .max))
            Console.standard.text(format.text(of: records))
        }
    }
}

struct PhoneAuditVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Check the whole chain, and print a checkpoint to keep elsewhere.",
        discussion: """
            Changed or missing records are always detected. Only an earlier checkpoint, kept elsewhere, shows that the \
            newest records were cut off. Exit status: 0 the log is intact, 1 it is not.
            """)

    @OptionGroup var home: HomeOption

    @Option(help: "A checkpoint that an earlier verify printed, such as 17:9f86d0….")
    var checkpoint: String?

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await reportingFailures {
            try await AuditReading.verify(try AuditOptions.log(in: home), against: checkpoint, json: json)
        }
    }
}
