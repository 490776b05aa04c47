import AgentDoor
import ArgumentParser
import Foundation

struct MCPCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mcp", abstract: "Let an assistant ask for statements, over the Model Context Protocol.",
        discussion: """
            A server on standard input and output, for an assistant's list of servers. It has the agent's token: it can \
            ask and look, and a person still approves on the phone.
            """)

    @OptionGroup var broker: BrokerOptions

    func run() async throws {
        let client = try broker.client()
        await AgentDoor(client).serve(lines: LineReader(STDIN_FILENO)) { line in
            try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
        }
        await client.close()
    }
}
