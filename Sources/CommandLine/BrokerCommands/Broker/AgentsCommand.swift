import ArgumentParser
import Broker
import Encodings
import Foundation
import HouseholdCommands
import Messages
import Terminal

package struct AgentsCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "agents",
        abstract: "Give each agent a name and a token of its own at the broker on this machine.",
        discussion: """
            Works on the broker's database (BROKER_DATABASE_PATH), whether the broker runs or not. The approval card shows \
            an agent's name, and a paired phone signs it with the approval. The agent of BROKER_API_TOKEN needs no entry.
            """,
        subcommands: [AgentsAddCommand.self, AgentsListCommand.self, AgentsRemoveCommand.self])
    package init() {}
}

struct AgentsAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add an agent, and print its token.",
        discussion: """
            The token is shown this once: the broker keeps only its hash. Give it to the agent as BROKER_API_TOKEN, or in a \
            file for --token-file.
            """)

    @Argument(help: "The agent's name: up to 40 lower-case letters, digits, dots, hyphens and underscores.")
    var name: String

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        let name = try AgentName.argument(name)
        try await reportingFailures {
            let token = try await BrokerAdministration.onThisMachine().agents.add(name)
            let answer: JSONValue = ["name": .string(name.description), "token": .string(token.revealed())]
            Console.standard.disclose((json ? answer.compactText() : token.revealed()) + "\n")
        }
    }
}

struct AgentsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the agents.")

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await reportingFailures {
            let agents = try await BrokerAdministration.onThisMachine().agents.agents()
            guard !json else {
                let answer: JSONValue = ["agents": .array(agents.map(\.json))]
                return Console.standard.line(answer.compactText())
            }
            if Console.isTerminal, !agents.isEmpty {
                var table = Table("NAME", "ADDED", "LAST ASKED")
                for agent in agents {
                    table.add(
                        agent.name.description, agent.createdAt.date.ago(), agent.lastAskedAt?.date.ago() ?? "never")
                }
                return Console.standard.table(table)
            }
            for agent in agents {
                Console.standard.line(
                    "\(agent.name)  added \(agent.createdAt)  last asked \(agent.lastAskedAt?.description ?? "never")")
            }
            if agents.isEmpty {
                Console.standard.line(
                    "no agent has a token of its own; add one with: countersign agents add NAME", .faint)
            }
        }
    }
}

struct AgentsRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove an agent at once.",
        discussion: "Its token stops working at its next call. Requests that it made stay, and can still be approved.")

    @Argument(help: "The agent's name.")
    var name: String

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        let name = try AgentName.argument(name)
        try await reportingFailures {
            try await BrokerAdministration.onThisMachine().agents.remove(name)
            let answer: JSONValue = ["name": .string(name.description), "removed": true]
            Console.standard.line(json ? answer.compactText() : "\(name) is removed")
        }
    }
}

extension AgentName {
    /// Reads a name from the command line.
    ///
    /// - Throws: `ValidationError`.
    fileprivate static func argument(_ text: String) throws -> AgentName {
        guard let name = AgentName(text) else {
            throw ValidationError(
                "“\(text)” is not an agent's name: use 1 to 40 lower-case letters, digits, dots, hyphens and underscores"
            )
        }
        return name
    }
}
