import ArgumentParser

/// The names of agents at the broker, and the doors by which they ask.
package struct AgentCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "agent",
        abstract: "Name an agent and give it a token, serve it over MCP, offer documents, and check receipts.",
        discussion: """
            `add`, `list` and `remove` work on the broker's database (BROKER_DATABASE_PATH), whether the broker runs or not. \
            The approval card shows an agent's name, and a paired phone signs it with the approval. The agent of \
            BROKER_API_TOKEN needs no entry. The other commands ask the broker, as an agent.
            """,
        subcommands: [
            AgentAddCommand.self, AgentListCommand.self, AgentRemoveCommand.self, MCPCommand.self, OffersCommand.self,
            ReceiptCommand.self,
        ])
    package init() {}
}
