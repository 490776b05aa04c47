import ArgumentParser
import AuditLog
import Phone
import PhoneStore
import Terminal

struct PhoneAuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Show what the phone has done, from a tamper-evident log.",
        subcommands: [
            AuditListCommand<PhoneAuditSource>.self, AuditExportCommand<PhoneAuditSource>.self,
            AuditVerifyCommand<PhoneAuditSource>.self,
        ],
        defaultSubcommand: AuditListCommand<PhoneAuditSource>.self)
}

/// The audit log of a phone, which only its owner reads.
struct PhoneAuditSource: AuditSource {
    @OptionGroup var home: HomeOption

    func log() throws -> AuditLog { try PhoneDatabase(home.phone(with: \.database)).audit }

    func note(_ type: String, in log: AuditLog) async {}
}
