import ArgumentParser
import Broker
import Encodings
import Foundation
import HouseholdCommands
import Terminal

package struct ConfigCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Show, check and change the configuration of the broker, and of a household.",
        subcommands: [ConfigShowCommand.self, ConfigSetCommand.self, ConfigUnsetCommand.self, ConfigCheckCommand.self])

    package init() {}
}

/// The variables to look at: those of a file, else those of this shell and of the household.
struct VariablesOptions: ParsableArguments {
    @Option(help: "A file of variables, such as /etc/countersign/broker.env, instead of this shell's.")
    var file: String?

    /// The variables with what `countersign up` and the service's credentials add.
    ///
    /// - Throws: ``CommandFailure``.
    var complete: [String: String] {
        get throws {
            if let file { return try VariablesFile.read(file) }
            return try HouseholdFile.completing(ProcessInfo.processInfo.environment)
        }
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
            var variables = try options.complete
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

    /// The settings, and the names of the variables of this shell that the household's programs do not take.
    private var shown: (settings: [Setting.Shown], untaken: [String]) {
        get throws {
            let environment = ProcessInfo.processInfo.environment
            guard options.file == nil, let household = HouseholdFile.current,
                !HouseholdFile.isOverridden(environment)
            else {
                let own = try options.file.map { try VariablesFile.read($0) } ?? environment
                let complete = options.file == nil ? ServiceCredentials.completing(own) : own
                return (Setting.shown(own, complete, source: options.source, withUnset: all), [])
            }
            let known = Set(Setting.all.map(\.name)).subtracting(["BROKER_CA_FILE", "BROKER_TRUST_UNPROVEN"])
            let decided = household.settings.names.union(UntakenVariables.ofHousehold(environment))
            let untaken = known.intersection(decided).filter { !(environment[$0] ?? "").isEmpty }.sorted()
            let taken = environment.filter { !untaken.contains($0.key) }
            var complete = household.phoneVariables.merging(taken) { $1 }
            if household.broker != nil { complete = try HouseholdFile.completing(complete, with: household) }
            let settings = Setting.shown(taken, complete, source: "environment", of: household, withUnset: all)
            return (settings + Setting.shown(of: household.phone), untaken)
        }
    }

    func run() async throws {
        try await reportingFailures {
            let (settings, untaken) = try shown
            guard !json else {
                let all = settings.map { setting -> JSONValue in
                    let isUntaken = untaken.contains(setting.name)
                    var members: [String: JSONValue] = [
                        "name": .string(setting.name), "value": .string(setting.value),
                        "source": .string(setting.source),
                    ]
                    if isUntaken { members["environment_not_taken"] = true }
                    return .object(members)
                }
                return Console.standard.line(JSONValue.array(all).compactText())
            }
            let width = settings.map(\.name.count).max() ?? 0
            for setting in settings {
                let padding = String(repeating: " ", count: width - setting.name.count)
                Console.standard.line("\(setting.name)\(padding)  \(setting.value)  (\(setting.source))")
            }
            guard !untaken.isEmpty else { return }
            Console.standard.paragraph(
                "Set in this shell, and not taken by the household, whose file decides: \(untaken.joined(separator: ", "))."
            )
        }
    }
}
