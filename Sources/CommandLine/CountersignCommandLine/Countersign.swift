import ArgumentParser
import AssistantCommands
import BrokerCommands
import CWipingAllocator
@_exported import CountersignPlugins
import Foundation
import HouseholdCommands
import Messages
import PhoneCommands
import ScriptCommands
import Secrets
import Terminal

/// The command line. An own program calls ``main(with:)`` with its plug-ins.
public struct Countersign: AsyncParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "countersign",
        abstract: "Fetch bank statements, but only with your approval.",
        discussion: """
            An agent asks a broker for a statement, and the broker signs the request. The phone, the only place with bank \
            credentials, verifies the request and shows it. Only after you approve does it run the bank's script.

            Begin with `countersign demo`, which takes one request from start to end on this machine, then with \
            `countersign up`, which sets up a broker and a phone.
            """,
        version: ProductVersion.current,
        subcommands: [
            DemoCommand.self, UpCommand.self, StatusCommand.self, DoctorCommand.self, ReportCommand.self,
            ConfigCommand.self, RequestCommand.self, RequestsCommand.self, ReceiptCommand.self,
            // The two of the phone that a person types most often.
            PhoneApproveCommand.self, PhoneDenyCommand.self,
            BanksCommand.self, OffersCommand.self, ScheduleCommand.self,
            MCPCommand.self, BrokerCommand.self,
            AgentsCommand.self, PairCommand.self, DevicesCommand.self, PolicyCommand.self, PhoneCommand.self,
            TotpCommand.self,
            TransactionsCommand.self, ArchiveCommand.self, AssistantCommand.self, ScriptCommand.self,
            PluginsCommand.self, MockBankCommand.self,
        ])

    public init() {}

    /// Runs the command of the process's arguments with the plug-ins, and ends the process.
    ///
    /// Exit statuses: 0 success, 1 failure, 2 a wrong command line or a wrong list of plug-ins, 3 an invalid script.
    public static func main(with plugins: Plugins) async {
        ProcessProtection.ignoreTLSVariables()
        ProcessProtection.forbidMemoryDumps()
        do {
            try plugins.install()
        } catch {
            Console.standard.error("\(error)")
            exit(withStatus: 2)
        }
        do {
            var command = try parseAsRoot()
            // These say themselves what is wrong with the file, and `up` stops a household without it.
            if !(command is UpCommand || command is DoctorCommand || command is ReportCommand) {
                _ = try HouseholdFile.read(HouseholdFile.place())
            }
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let failure as CommandFailure {
            Console.standard.error(failure.message)
            exit(withStatus: failure.status)
        } catch {
            let status = exitCode(for: error)
            guard status == .success || status == .validationFailure || error is ExitCode else {
                Console.standard.error(Redactor.redact("\(error)"))
                exit(withStatus: 1)
            }
            let message = UsageText.wrapped(fullMessage(for: error))
            if status == .success {
                if !message.isEmpty { print(message) }
            } else if !message.isEmpty {
                try? FileHandle.standardError.write(contentsOf: Data((message + "\n").utf8))
            }
            exit(withStatus: status == .validationFailure ? 2 : status.rawValue)
        }
    }

    private static func exit(withStatus status: Int32) -> Never {
        fflush(nil)
        Foundation.exit(status)
    }
}
