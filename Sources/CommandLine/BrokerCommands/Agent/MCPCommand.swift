import ArgumentParser
import Broker
import Encodings
import Foundation
import HouseholdCommands
import Logging
import Machine
import ServiceLifecycle
import Terminal

package struct MCPCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "mcp", abstract: "Let an assistant request statements over the Model Context Protocol.",
        discussion: """
            An MCP server on standard input and output. It holds the agent's token, so it can make and read requests; a \
            person must still approve them on the phone.

            With --http it serves assistants on other machines instead. Run it on the broker's machine, behind a proxy with \
            TLS. It listens on 127.0.0.1 alone. Each assistant is allowed by a person on the phone's page, where it gets a \
            name and limits, and is an agent of that name.
            """)

    @OptionGroup var broker: BrokerOptions

    @Flag(help: "Serve assistants on other machines, each allowed by a person.")
    var http = false

    @Option(help: "With --http: the port on 127.0.0.1; by default \(Self.usualPort).")
    var port: Int?

    @Option(
        help:
            "With --http: the https origin under which a proxy on this machine serves it, such as https://mcp.example.")
    var behindProxy: String?

    static let usualPort = 8768

    package init() {}

    package func validate() throws {
        guard http || (port == nil && behindProxy == nil) else {
            throw ValidationError("--port and --behind-proxy belong to --http")
        }
        guard !http || broker.tokenFile == nil else {
            throw ValidationError("with --http each assistant has a token of its own; leave --token-file out")
        }
    }

    package func run() async throws {
        guard http else { return try await serveStandardInput() }
        try await reportingFailures { try await serveElsewhere() }
    }

    private func serveStandardInput() async throws {
        let client = try broker.client()
        await MCPServer(client, page: HouseholdFile.current?.phone?.pageOrigin).serve(lines: LineReader(STDIN_FILENO)) {
            line in
            try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
        }
        await client.close()
    }

    private func serveElsewhere() async throws {
        var logger = Logger(label: "countersign.mcp") { CleanLogHandler(label: $0, format: .text) }
        logger.logLevel = .info
        let configuration: RemoteAccessConfiguration
        do {
            configuration = try RemoteAccessConfiguration(port: port ?? Self.usualPort, behindProxy: behindProxy)
        } catch {
            throw CommandFailure(error.message, status: 2)
        }
        let administration = try BrokerAdministration.onThisMachine()
        let options = broker
        let agents = RemoteAgents(administration, page: HouseholdFile.current?.phone?.pageOrigin) { token in
            try options.client(showing: token)
        }
        let ready = logger
        let server = RemoteAccessServer(administration, configuration, logger: logger) { address in
            ready.info("assistants elsewhere can ask", metadata: ["address": "\(address)"])
        } answer: { call in
            do {
                return try await agents.transport(for: call.agent).answer(call)
            } catch {
                ready.error("a message is not answered", metadata: ["agent": "\(call.agent)", "problem": "\(error)"])
                return .message(status: 503, Self.unavailable.compactBytes())
            }
        }
        try await ServiceGroup(
            configuration: .init(
                services: [server], gracefulShutdownSignals: [.sigterm, .sigint],
                logger: Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() })
        ).run()
        await agents.close()
    }

    private static let unavailable: JSONValue = [
        "jsonrpc": "2.0", "error": ["code": -32603, "message": "the broker cannot be asked now; try again"],
    ]
}
