import ArgumentParser
import Broker
import Encodings
import Foundation
import Terminal

package struct ConfigCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Check and show the broker's configuration.",
        subcommands: [ConfigCheckCommand.self, ConfigShowCommand.self])

    package init() {}
}

/// The variables to look at: those of a file, else those of this shell and of the household.
struct VariablesOptions: ParsableArguments {
    @Option(help: "A file of variables, such as /etc/countersign/broker.env, instead of this shell's.")
    var file: String?

    /// The variables as they are set, and with what `countersign up` and the service's credentials add.
    ///
    /// - Parameter mayLackBroker: true to show a household without its broker, where that is on another machine.
    /// - Throws: ``CommandFailure``.
    func variables(withoutBroker mayLackBroker: Bool = false) throws -> (
        own: [String: String], complete: [String: String]
    ) {
        guard let file else {
            let own = ProcessInfo.processInfo.environment
            if mayLackBroker, let household = HouseholdFile.current, household.broker == nil {
                return (own, ServiceCredentials.completing(own))
            }
            return (own, try HouseholdFile.completing(own))
        }
        let own = try VariablesFile.read(file)
        return (own, own)
    }

    var source: String { file ?? "environment" }
}

struct ConfigCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check the broker's variables, without starting a broker.",
        discussion: "Exit status: 0 the broker could start with them, 2 it could not.")

    @OptionGroup var options: VariablesOptions

    @Flag(name: .customLong("no-telegram"), help: "Do without a Telegram bot, as broker serve --no-telegram.")
    var withoutTelegram = false

    /// True for the broker of this machine's household, which has a bot only where one is named.
    private func isOfHousehold(_ variables: [String: String]) -> Bool {
        guard options.file == nil, credentials == nil, (variables["TELEGRAM_BOT_TOKEN"] ?? "").isEmpty else {
            return false
        }
        return HouseholdFile.current?.broker != nil && !HouseholdFile.isOverridden(ProcessInfo.processInfo.environment)
    }

    @Option(help: "The folder with the service's credentials, such as /etc/countersign/credentials.")
    var credentials: String?

    func run() async throws {
        try await reportingFailures {
            var variables = try options.variables().complete
            if let credentials {
                variables["CREDENTIALS_DIRECTORY"] = URL(filePath: TypedPath.expanded(credentials)).path
                variables = ServiceCredentials.completing(variables)
            }
            let known = Set(Setting.all.map(\.name))
            let typos = variables.keys.filter { name in
                !known.contains(name) && ["BROKER_", "TELEGRAM_"].contains(where: name.hasPrefix)
            }
            for name in typos.sorted() {
                let meant = nearest(to: name, among: known).map { "; did you mean \($0)?" } ?? ""
                Console.standard.line("! \(name) is not a variable of Countersign\(meant)")
            }
            do throws(BrokerConfigurationError) {
                _ = try BrokerConfiguration(
                    environment: variables, usesTelegram: !withoutTelegram && !isOfHousehold(variables))
            } catch {
                for problem in error.problems { Console.standard.line("✗ \(problem)", .bad) }
                if options.file == nil, HouseholdFile.current == nil, let way = error.wayForFirstBroker {
                    Console.standard.line(way)
                }
                throw ExitCode(2)
            }
            Console.standard.line("✓ a broker can start with these variables", .good)
        }
    }
}

struct ConfigShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show every setting that has a value, where it comes from, and secrets as dots.")

    @OptionGroup var options: VariablesOptions

    @Flag(help: "Show settings without a value, too.")
    var all = false

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await reportingFailures {
            let variables = try options.variables(withoutBroker: true)
            var shown = Setting.shown(
                variables.own, variables.complete, source: options.source, withUnset: all)
            if options.file == nil { shown += Setting.shown(of: HouseholdFile.current?.phone) }
            guard !json else {
                let all = shown.map { setting -> JSONValue in
                    ["name": .string(setting.name), "value": .string(setting.value), "source": .string(setting.source)]
                }
                return Console.standard.line(JSONValue.array(all).compactText())
            }
            let width = shown.map(\.name.count).max() ?? 0
            for setting in shown {
                let padding = String(repeating: " ", count: width - setting.name.count)
                Console.standard.line("\(setting.name)\(padding)  \(setting.value)  (\(setting.source))")
            }
        }
    }
}
