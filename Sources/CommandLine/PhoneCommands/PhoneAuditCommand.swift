import ArgumentParser
import Encodings
import Foundation
import HouseholdCommands
import Phone
import PhoneStore
import ScriptCommands
import Storage
import Terminal

struct PhoneAuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Show what the phone has done, from a tamper-evident log.",
        discussion: """
            A terminal gets sentences, the newest last. A program gets each event's type and details; --json prints whole records.
            """,
        subcommands: [
            AuditListCommand<PhoneAuditSource>.self, AuditExportCommand<PhoneAuditSource>.self,
            AuditVerifyCommand<PhoneAuditSource>.self,
        ],
        defaultSubcommand: AuditListCommand<PhoneAuditSource>.self)
}

/// The audit log of a phone, which only its owner reads.
struct PhoneAuditSource: AuditSource {
    @OptionGroup var home: HomeOption
    @OptionGroup var scripts: ScriptFolderOptions

    func log() throws -> AuditLog { try PhoneDatabase(home.phone(with: \.database)).audit }

    func note(_ kind: AuditKind, in log: AuditLog) async {
        // A log that cannot be written can still be read.
        _ = try? await log.record(AuditEvent(kind, details: ["uid": .number(Double(getuid()))]))
    }

    func sentences() throws -> ((AuditEvent) -> String)? {
        // A folder that cannot be read hides names of banks, but not what happened.
        let registry = try? scripts.registry(home: home.folder)
        return { AuditSentence.words($0) { registry?.script(forBank: $0)?.name ?? $0 } }
    }
}
