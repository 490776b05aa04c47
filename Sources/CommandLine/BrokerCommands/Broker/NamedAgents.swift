import ArgumentParser
import Broker
import Encodings
import Foundation
import HouseholdCommands
import Messages
import Terminal

struct AgentAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add an agent, and print its token, or set up an assistant's program.",
        discussion: """
            The token is shown this once: the broker keeps only its hash. Give it to the agent as BROKER_API_TOKEN, or in a \
            file for --token-file.

            Under the name of a program that is known here, the agent's token goes into a file of its own, and an entry \
            for the MCP server into the program's own file: \
            \(AgentProgram.all.map(\.name).joined(separator: ", ")). The entry is shown first. `countersign agent \
            remove NAME` takes it out again.
            """)

    @Argument(help: "The agent's name: up to 40 lower-case letters, digits, dots, hyphens and underscores.")
    var name: String

    @Flag(name: .customLong("print"), help: "Of a program: show the entry, and change nothing.")
    var isTrial = false

    @Flag(help: "Of a program: write the entry without asking.")
    var yes = false

    @Flag(help: "Of a program: leave its file alone; add the agent, and print its token.")
    var token = false

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard isTrial || yes else { return }
        guard AgentProgram.named(name) != nil, !token else {
            throw ValidationError(
                "--print and --yes are for the programs that are known here: "
                    + AgentProgram.all.map(\.name).joined(separator: ", "))
        }
    }

    func run() async throws {
        let name = try AgentName.argument(name)
        if !token, let program = ProgramRegistration(name) {
            return try await reportingFailures {
                try await program.add(isTrial: isTrial, isAgreed: yes, json: json)
            }
        }
        try await reportingFailures {
            try checkSpelling()
            let token = try await BrokerAdministration.onThisMachine().agents.add(name)
            let answer: JSONValue = ["name": .string(name.description), "token": .string(token.revealed())]
            Console.standard.disclose((json ? answer.compactText() : token.revealed()) + "\n")
        }
    }
}

extension AgentAddCommand {
    /// Refuses a program's name with one slip in it: its person would look for the entry in the program's file.
    private func checkSpelling() throws(CommandFailure) {
        guard !token, let program = AgentProgram.all.map(\.name).first(where: { editDistance(name, $0) == 1 }) else {
            return
        }
        throw CommandFailure(
            "“\(name)” is not a program that is known here; did you mean \(program)? For an agent of that very name, add --token",
            status: 2)
    }
}

struct AgentListCommand: AsyncParsableCommand {
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
                    "no agent has its own token yet; make one with: countersign agent add NAME", .faint)
            }
        }
    }
}

struct AgentRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove an agent at once.",
        discussion: """
            Its token stops working at its next call. Requests that it made stay, and can still be approved. Under the name of \
            an assistant's program, the entry in the program's file goes, too.
            """)

    @Argument(help: "The agent's name.", completion: .agents)
    var name: String

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        let name = try AgentName.argument(name)
        try await reportingFailures {
            let file = try await remove(name)
            var answer: [String: JSONValue] = ["name": .string(name.description), "removed": true]
            if let file { answer["file"] = .string(file.path) }
            let place = file.map { ", and its entry is out of \($0.path)" } ?? ""
            Console.standard.line(json ? JSONValue.object(answer).compactText() : "\(name) is removed\(place)")
        }
    }
}

extension AgentRemoveCommand {
    /// - Returns: the file of a program from which an entry was taken.
    private func remove(_ name: AgentName) async throws -> URL? {
        guard let program = ProgramRegistration(name) else {
            try await BrokerAdministration.onThisMachine().agents.remove(name)
            return nil
        }
        return try await program.remove()
    }
}

extension AgentName {
    /// Reads a name from the command line.
    ///
    /// - Throws: ``CommandFailure`` with status 2.
    fileprivate static func argument(_ text: String) throws -> AgentName {
        guard let name = AgentName(text) else {
            throw CommandFailure(
                "“\(text)” is not an agent's name: use 1 to 40 lower-case letters, digits, dots, hyphens and underscores",
                status: 2)
        }
        return name
    }
}
