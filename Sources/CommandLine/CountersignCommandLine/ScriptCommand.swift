import ArgumentParser
import ScriptCommands

/// The language's tools, the mock bank to try them at, and what is plugged in for scripts to use.
struct ScriptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "script", abstract: "Write, check and run bank scripts, and the mock bank to try them at.",
        subcommands: AuthoringCommands.all + [MockBankCommand.self, PluginsCommand.self])
}
