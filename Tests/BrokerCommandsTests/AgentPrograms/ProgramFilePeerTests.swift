import Foundation
import TestSupport
import Testing

@testable import BrokerCommands

@Suite("Other parsers read the files of assistants' programs", .needsPeers)
struct ProgramFilePeerTests {
    @Test("each entry has the command and the arguments")
    func read() async throws {
        let command = ServerCommand(program: "/opt/a \"b\"\\c", arguments: ["mcp", "# no", ": {", "zoë's\ttab"])
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var arguments: [String] = []
        for program in AgentProgram.all {
            let file = folder.appending("\(program.name).txt")
            try Data(try program.text.adding(command, to: "").utf8).write(to: file)
            let (form, path) =
                switch program.form {
                case .json(let path): ("json", path)
                case .toml(let table): ("toml", [table])
                case .yaml(let key): ("yaml", [key])
                }
            arguments += [form, (path + [ServerCommand.key]).joined(separator: "/"), file.path]
        }
        let result = try await Peers.run(script: "program_files.py", arguments)
        #expect(result.status == 0, "\(result.text)")
        let lines = result.text.split(separator: "\n")
        #expect(lines.count == AgentProgram.all.count)
        for line in lines {
            #expect(line == ##"["/opt/a \"b\"\\c", "mcp", "# no", ": {", "zo\u00eb's\ttab"]"##)
        }
    }
}
