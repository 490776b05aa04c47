import ArgumentParser
import AssistantCommands
import BrokerCommands
import HouseholdCommands
import PhoneCommands
import ScriptCommands

// The argument parser makes every command that it is given, some 150, and reads the settings of each. So of a command line that
// names one of those that do most of the work, it is given that one alone.

extension Countersign {
    /// The first word of the command line, while it is parsed.
    @TaskLocal static var firstWord: String?

    /// Parses a command line, without the program's name.
    static func parse(_ arguments: [String]) throws -> any ParsableCommand {
        try $firstWord.withValue(arguments.first) { try parseAsRoot(arguments) }
    }

    /// Returns the command of a name, without making another.
    ///
    /// Budget: peak memory of a cold fetch.
    static func command(_ name: String) -> (any ParsableCommand.Type)? {
        switch name {
        case "script": ScriptCommand.self
        case "phone": PhoneCommand.self
        case "status": StatusCommand.self
        case "request": RequestCommand.self
        case "requests": RequestsCommand.self
        case "agent": AgentCommand.self
        default: nil
        }
    }
}
