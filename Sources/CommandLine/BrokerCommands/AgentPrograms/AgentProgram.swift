import Encodings
import Foundation

/// A program that runs an assistant, and the file in which its user lists MCP servers.
///
/// The places and forms are the programs' own. Each carries a page that describes it, and the day on which it was looked up.
struct AgentProgram: Sendable, Hashable {
    /// The form of the file, and the place of the list in it.
    enum Form: Sendable, Hashable {
        /// A JSON object; the list is the object at this path.
        case json([String])
        /// TOML with one table for each server.
        case toml(table: String)
        /// YAML with one mapping for each server under this key.
        case yaml(key: String)

        var words: String {
            switch self {
            case .json(let path): "JSON, `\(path.joined(separator: "."))`"
            case .toml(let table): "TOML, `[\(table).NAME]`"
            case .yaml(let key): "YAML, `\(key)`"
            }
        }
    }

    /// The name in `countersign agent add NAME`, and of the agent.
    let name: String
    let title: String
    /// The file, from the user's home, on Linux.
    let file: String
    /// The variable that names the folder of the file instead, if the program reads one.
    var folderVariable: String?
    let form: Form
    /// The entry names its transport.
    var namesTransport = false
    /// The page that describes the file.
    let source: String
    /// The day on which this was looked up: YYYY-MM-DD.
    let lookedUp: String

    static let all = [
        AgentProgram(
            name: "claude-code", title: "Claude Code", file: ".claude.json", form: .json(["mcpServers"]),
            namesTransport: true, source: "https://code.claude.com/docs/en/mcp", lookedUp: "2026-11-28"),
        AgentProgram(
            name: "claude-desktop", title: "Claude Desktop", file: ".config/Claude/claude_desktop_config.json",
            form: .json(["mcpServers"]),
            source: "https://www.mintlify.com/microsoft/mcp-for-beginners/modules/03-mcp-hosts",
            lookedUp: "2026-11-28"),
        AgentProgram(
            name: "codex", title: "Codex", file: ".codex/config.toml", folderVariable: "CODEX_HOME",
            form: .toml(table: "mcp_servers"), source: "https://developers.openai.com/codex/mcp", lookedUp: "2026-11-28"
        ),
        AgentProgram(
            name: "cursor", title: "Cursor", file: ".cursor/mcp.json", form: .json(["mcpServers"]),
            source: "https://cursor.com/docs/mcp", lookedUp: "2026-11-28"),
        AgentProgram(
            name: "gemini", title: "Gemini CLI", file: ".gemini/settings.json", form: .json(["mcpServers"]),
            source: "https://github.com/google-gemini/gemini-cli/blob/main/docs/tools/mcp-server.md",
            lookedUp: "2026-11-28"),
        AgentProgram(
            name: "goose", title: "goose", file: ".config/goose/config.yaml", form: .yaml(key: "extensions"),
            source: "https://block.github.io/goose/docs/guides/config-files", lookedUp: "2026-11-28"),
        AgentProgram(
            name: "openclaw", title: "OpenClaw", file: ".openclaw/openclaw.json", form: .json(["mcp", "servers"]),
            source: "https://docs.openclaw.ai/tools/mcp", lookedUp: "2026-11-28"),
        AgentProgram(
            name: "vscode", title: "Visual Studio Code", file: ".config/Code/User/mcp.json", form: .json(["servers"]),
            namesTransport: true, source: "https://code.visualstudio.com/docs/agents/reference/mcp-configuration",
            lookedUp: "2026-11-28"),
    ]

    static func named(_ name: String) -> AgentProgram? { all.first { $0.name == name } }

    /// Returns the file's place for the user of an environment.
    func place(_ environment: [String: String]) -> URL {
        if let variable = folderVariable, let folder = environment[variable], folder.hasPrefix("/") {
            return URL(filePath: folder).appending(path: URL(filePath: file).lastPathComponent)
        }
        let home = environment["HOME"] ?? NSHomeDirectory()
        if file.hasPrefix(".config/"), let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") {
            return URL(filePath: folder).appending(path: String(file.dropFirst(".config/".count)))
        }
        return URL(filePath: home).appending(path: file)
    }
}

/// The command that starts the MCP server for one agent. It names the file of the agent's token, and holds no token.
struct ServerCommand: Sendable, Hashable {
    /// The key of the entry in a program's list.
    static let key = "countersign"

    let program: String
    let arguments: [String]

    func json(namingTransport: Bool) -> JSONValue {
        var members: [String: JSONValue] = [
            "command": .string(program), "args": .array(arguments.map { .string($0) }),
        ]
        if namingTransport { members["type"] = "stdio" }
        return .object(members)
    }
}
