import ArgumentParser
import AssistantCommands
import BrokerCommands
import CWipingAllocator
@_exported import CountersignPlugins
import FileKinds
import Foundation
import HouseholdCommands
import Machine
import Messages
import PhoneCommands
import QRCode
import ScriptCommands
import Secrets
import Terminal

/// The command line. An own program calls ``main(with:)`` with its plug-ins.
public struct Countersign: AsyncParsableCommand {
    public static var configuration: CommandConfiguration {
        let chosen = firstWord.flatMap(command)
        return CommandConfiguration(
            commandName: "countersign",
            abstract: "Fetch bank statements, but only with your approval.",
            discussion: """
                An agent asks a broker for a statement, and the broker signs the request. The phone, the only place with bank \
                credentials, verifies the request and shows it. Only after you approve does it run the bank's script.

                Begin with `countersign demo`, which takes one request from start to end on this machine, then with \
                `countersign up`, which sets up a broker and a phone.
                """,
            version: ProductVersion.current,
            // Without a group: what an owner types.
            subcommands: chosen.map { [$0] } ?? ownerCommands,
            groupedSubcommands: chosen == nil ? roles : [])
    }

    private static let ownerCommands: [any ParsableCommand.Type] = [
        UpCommand.self, StatusCommand.self, DoctorCommand.self, ReportCommand.self, RequestCommand.self,
        RequestsCommand.self, PhoneApproveCommand.self, PhoneDenyCommand.self, BanksCommand.self, ScheduleCommand.self,
        ArchiveCommand.self, TransactionsCommand.self, TotpCommand.self, PairCommand.self, DevicesCommand.self,
        ConfigCommand.self, DemoCommand.self,
    ]

    private static let roles = [
        CommandGroup(name: "Agent", subcommands: [AgentCommand.self]),
        CommandGroup(name: "Script author", subcommands: [ScriptCommand.self]),
        CommandGroup(
            name: "Operator", subcommands: [BrokerCommand.self, PhoneCommand.self, AssistantCommand.self]),
    ]

    public init() {}

    /// Runs the command of the process's arguments with the plug-ins, and ends the process.
    ///
    /// Exit statuses: 0 success, 1 failure, 2 a wrong command line or a wrong list of plug-ins, 3 an invalid script.
    ///
    /// Call it first: a process that reads foreign files, or visits a bank, gives its rights up before there is a second thread, so
    /// this function begins on its caller's. A process that reads files makes no plug-ins; one that visits a bank makes them anew.
    ///
    /// - Parameter fileKinds: the kinds of files that are plugged in, which such a process has, too.
    public nonisolated(nonsending) static func main(
        with plugins: @autoclosure () -> Plugins, fileKinds: [FileKind] = []
    ) async {
        ProcessProtection.ignoreTLSVariables()
        ProcessProtection.forbidMemoryDumps()
        var arguments = Array(CommandLine.arguments.dropFirst())
        FileKind.plug(fileKinds)
        #if os(Linux)
            ConfinedService.serve(arguments, [FileTask.self, PictureTask.self, ProbeTask.self])
            let visit = VisitProcess.begin(arguments)
            // The file that runs, also after an upgrade has replaced it.
            ConfinedReader.install("/proc/self/exe")
        #endif
        do {
            try (plugins() + fileKinds.map(Plugin.fileKind)).install()
        } catch {
            Console.standard.error("\(error)")
            exit(withStatus: 2)
        }
        #if os(Linux)
            if let visit { await visit.serve() }
        #endif
        do {
            if let former = FormerName.beginning(arguments) {
                if isatty(STDERR_FILENO) == 1 { Console.standard.error(former.notice) }
                arguments = former.replaced(in: arguments)
            }
            // The argument parser shows the whole program's help for a command that it does not know.
            if arguments.first == "help", let mistyped = MistypedCommand(arguments, of: self) {
                throw CommandFailure(mistyped.message, status: 2)
            }
            var command = try parse(arguments)
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
            if status == .validationFailure,
                let mistyped = MistypedCommand(arguments, of: self, complaint: Self.message(for: error))
            {
                Console.standard.error(mistyped.message)
                exit(withStatus: 2)
            }
            let message = UsageText.wrapped(Console.showingWords(in: fullMessage(for: error)))
            if status == .success {
                if !message.isEmpty { print(UsageText.tellingStatus(message)) }
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
