import ArgumentParser
import Foundation
import Terminal

package struct MCPCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "mcp", abstract: "Let an assistant request statements over the Model Context Protocol.",
        discussion: """
            An MCP server on standard input and output. It holds the agent's token, so it can make and read requests; a \
            person must still approve them on the phone.
            """)

    @OptionGroup var broker: BrokerOptions

    package init() {}

    package func run() async throws {
        let client = try broker.client()
        await MCPServer(client, page: HouseholdFile.current?.phone?.pageOrigin).serve(lines: LineReader(STDIN_FILENO)) {
            line in
            try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
        }
        await client.close()
    }
}
