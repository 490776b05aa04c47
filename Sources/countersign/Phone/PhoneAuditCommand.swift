import ArgumentParser
import AuditLog
import Foundation
import JSON
import PhoneRunner
import Signer

struct PhoneAuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Show what the phone has done, and whether the record is whole.")

    @OptionGroup var phone: PhoneOptions

    @Option(help: "How many of the newest records.")
    var limit = 50

    @Flag(help: "Print JSON, one record a line.")
    var json = false

    func run() async throws {
        try await clearly {
            let home = phone.phoneHome
            guard FileManager.default.fileExists(atPath: home.database.path) else {
                throw CommandFailure("\(home.folder.path) is no phone yet; run: countersign phone setup")
            }
            let log = try PhoneStore(home).audit
            let records = try await log.records(AuditFilter(limit: limit))
            for record in records {
                let event = record.event
                let words =
                    "\(Timestamp(event.time))  \(event.severity.rawValue)  \(event.type)  \(event.requestID ?? "")"
                Console.standard.line(json ? record.json.compactText() : "\(words)  \(event.details.compactText())")
            }
            if !json { Console.standard.line("\(try await log.verify())", .faint) }
        }
    }
}
