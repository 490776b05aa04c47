import ArgumentParser
import Foundation
import Terminal

struct ScriptMCPCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mcp",
        abstract: "Let a coding agent check scripts and propose changes over the Model Context Protocol.",
        discussion: """
            An MCP server on standard input and output, for the scripts and recordings of one folder. Its tools are lint, \
            explain, replay, propose and matrix. They read files of this folder only, follow no links, write nothing, and \
            reach no network but mock banks on this machine. It has no token and accepts nothing: you accept a script \
            yourself, with `script accept`.
            """)

    @Argument(help: "The folder with the scripts and recordings.", completion: .directory)
    var folder: String

    func run() async throws {
        let service = AuthorService(try AuthorFolder(folder))
        await ContextServer(service).serve(lines: LineReader(STDIN_FILENO)) { line in
            try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
        }
    }
}
