import ArgumentParser
import BrokerCommands
import HouseholdCommands

/// The banks of a household: the agent's list, and the owner's way to another one.
struct BanksCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "banks", abstract: "List the banks that statements can be asked for from, or add one.",
        subcommands: [BanksListCommand.self, BanksAddCommand.self], defaultSubcommand: BanksListCommand.self)
}
