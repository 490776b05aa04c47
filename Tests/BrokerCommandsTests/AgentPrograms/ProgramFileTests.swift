import Encodings
import Foundation
import TestSupport
import Testing

@testable import BrokerCommands

@Suite("The file of an assistant's program")
struct ProgramFileTests {
    private static let command = ServerCommand(
        program: "/opt/a \"b\"/countersign", arguments: ["mcp", "--token-file", "/home/zoë/t.token"])

    /// A file before, after the entry was added, and after it was taken out again.
    struct Change: Sendable, CustomTestStringConvertible {
        let name: String
        let before: String
        let after: String
        /// Nil when it is the text before.
        var undone: String?

        var testDescription: String { "\(name): \(before.prefix(40))" }
    }

    private static let jsonEntry = """
        "countersign": {
              "args": ["mcp","--token-file","/home/zoë/t.token"],
              "command": "/opt/a \\"b\\"/countersign"
            }
        """

    private static let tomlEntry = """
        [mcp_servers.countersign]
        command = "/opt/a \\"b\\"/countersign"
        args = ["mcp", "--token-file", "/home/zoë/t.token"]

        """

    private static let yamlEntry = """
          countersign:
            enabled: true
            type: stdio
            name: "countersign"
            cmd: "/opt/a \\"b\\"/countersign"
            args:
              - "mcp"
              - "--token-file"
              - "/home/zoë/t.token"
            timeout: 600

        """

    static let changes = [
        Change(
            name: "cursor", before: "", after: "{\n  \"mcpServers\": {\n    \(jsonEntry)\n  }\n}\n", undone: "{}\n"),
        Change(name: "cursor", before: "{}", after: "{\n  \"mcpServers\": {\n    \(jsonEntry)\n  }\n}"),
        Change(
            name: "cursor", before: "{ \n }\n", after: "{\n  \"mcpServers\": {\n    \(jsonEntry)\n  }\n}\n",
            undone: "{}\n"),
        Change(
            name: "cursor", before: "{\n  \"theme\" : \"a}b\\\"\",\n  \"n\": [1, {\"x\": {}}]\n}\n",
            after:
                "{\n  \"mcpServers\": {\n    \(jsonEntry)\n  },\n  \"theme\" : \"a}b\\\"\",\n  \"n\": [1, {\"x\": {}}]\n}\n"
        ),
        Change(
            name: "cursor", before: "{\"mcpServers\": {\"other\": {\"command\": \"x\"}}, \"z\": 1}",
            after: "{\"mcpServers\": {\n    \(jsonEntry),\"other\": {\"command\": \"x\"}}, \"z\": 1}",
            undone: "{\"mcpServers\": {\n    \"other\": {\"command\": \"x\"}}, \"z\": 1}"),
        Change(
            name: "codex", before: "", after: tomlEntry, undone: ""),
        Change(
            name: "codex", before: "model = \"m\"\n\n[mcp_servers.other]\ncommand = \"x\"\n",
            after: "model = \"m\"\n\n[mcp_servers.other]\ncommand = \"x\"\n\n" + tomlEntry),
        Change(name: "goose", before: "", after: "extensions:\n" + yamlEntry, undone: ""),
        Change(
            name: "goose", before: "GOOSE_MODEL: m\nextensions:\n  other:\n    enabled: true\nlast: 1\n",
            after: "GOOSE_MODEL: m\nextensions:\n" + yamlEntry + "  other:\n    enabled: true\nlast: 1\n"),
    ]

    @Test("gets one entry, keeps everything else, and loses the entry again", arguments: changes)
    func change(change: Change) throws {
        let text = try #require(AgentProgram.named(change.name)).text
        let after = try text.adding(Self.command, to: change.before)
        #expect(after == change.after)
        #expect(try text.adding(Self.command, to: after) == after, "adding twice is adding once")
        #expect(try text.removing(from: after) == change.undone ?? change.before)
        #expect(try text.removing(from: change.before) == nil)
    }

    @Test("an entry in the middle goes without a trace")
    func middle() throws {
        let json = try #require(AgentProgram.named("openclaw")).text
        let before = #"{"mcp": {"servers": {"a": 1, "countersign": {"command": "x"}, "b": 2}}}"#
        #expect(try json.removing(from: before) == #"{"mcp": {"servers": {"a": 1, "b": 2}}}"#)
        let last = #"{"mcp": {"servers": {"a": 1, "countersign": {"command": "x"}}}}"#
        #expect(try json.removing(from: last) == #"{"mcp": {"servers": {"a": 1}}}"#)
        let only = #"{"z": 0, "mcp": {"servers": {"countersign": {}}}}"#
        #expect(try json.removing(from: only) == #"{"z": 0}"#)
        let toml = try #require(AgentProgram.named("codex")).text
        #expect(
            try toml.removing(from: "a = 1\n[mcp_servers.countersign]\ncommand = \"x\"\n[b]\nc = 2\n")
                == "a = 1\n[b]\nc = 2\n")
        // The tables within the entry's are the entry's, and a comment above the next table is not.
        #expect(
            try toml.removing(
                from: "[mcp_servers.countersign]\ncommand = \"x\"\n\n[mcp_servers.countersign.env]\nA = \"x\"\n\n"
                    + "# mine\n[b]\n")
                == "# mine\n[b]\n")
    }

    @Test("every table within the entry's goes, wherever it stands, and a value in several lines is one value")
    func scattered() throws {
        let toml = try #require(AgentProgram.named("codex")).text
        let before = """
            [mcp_servers.countersign.env]
            A = "x"
            [b]
            rows = [ # [
              ["countersign", '['],
            ["mcp_servers.countersign"],
            ]
            [mcp_servers.countersign]
            args = [
              "a",
            [ "]" ],
            ]
            command = "x"

            # mine
            [c]
            d = 1
            [ mcp_servers . "countersign" . tools ] # theirs
            e = 1

            [[mcp_servers.countersign.more]]
            f = 1

            """
        let rest = """
            [b]
            rows = [ # [
              ["countersign", '['],
            ["mcp_servers.countersign"],
            ]
            # mine
            [c]
            d = 1

            """
        #expect(try toml.removing(from: before) == rest)
        #expect(try toml.removing(from: rest) == nil)
        #expect(try toml.adding(Self.command, to: before) == rest + "\n" + Self.tomlEntry)
        let own = Self.tomlEntry + "env = {A = \"x\"}\n\n[mcp_servers.countersign.tools]\nB = 1\n"
        #expect(try toml.adding(Self.command, to: own) == own, "what the user has added to the entry stays")
    }

    @Test(
        "keeps the ends of its lines",
        arguments: [
            ("codex", "a = 1\n\n[b]\nc = [\n  1,\n]\n", ["\r\n"]),
            ("goose", "a: x\nextensions:\n  b:\n    enabled: true\nlast: 1\n", ["\r\n", "\r"]),
            ("goose", "a: x\n", ["\r\n", "\r"]),
        ])
    func lineEnds(name: String, text: String, ends: [String]) throws {
        let file = try #require(AgentProgram.named(name)).text
        let expected = try file.adding(Self.command, to: text)
        for end in ends {
            let before = text.replacingOccurrences(of: "\n", with: end)
            let after = try file.adding(Self.command, to: before)
            #expect(after == expected.replacingOccurrences(of: "\n", with: end))
            #expect(try file.adding(Self.command, to: after) == after)
            #expect(try file.removing(from: after) == before)
            #expect(ProgramRegistration.difference(before, after) == ProgramRegistration.difference(text, expected))
        }
    }

    @Test("a file with several kinds of line ends keeps each", arguments: ["codex", "goose"])
    func mixedLineEnds(name: String) throws {
        let file = try #require(AgentProgram.named(name)).text
        let before = name == "codex" ? "a = 1\r\nb = 2\n" : "a: 1\r\nb: 2\n"
        let after = try file.adding(Self.command, to: before)
        #expect(after.hasPrefix(before) && after.filter { $0 == "\n" }.count == 1)
        #expect(try file.removing(from: after) == before)
    }

    @Test(
        "a table of another kind that names the program is left alone",
        arguments: [
            "[projects.\"/home/me/countersign\"]\ntrust_level = \"trusted\"\n",
            "[mcp_servers]\nother.command = \"/usr/bin/countersign\"\n",
            "[mcp_servers.b]\nargs = [\n  \"countersign\",\n]\n",
        ])
    func mentioned(text: String) throws {
        let toml = try #require(AgentProgram.named("codex")).text
        #expect(try toml.removing(from: text) == nil)
        #expect(try toml.adding(Self.command, to: text) == text + "\n" + Self.tomlEntry)
    }

    @Test(
        "is left alone when its form is not certain",
        arguments: [
            ("vscode", "{ // mine\n}"), ("vscode", "{\"servers\": {},}"), ("vscode", "[]"),
            ("cursor", "{\"mcpServers\": []}"), ("cursor", "{\"mcpServers\": 5}"), ("openclaw", "{\"mcp\": \"x\"}"),
            ("codex", "mcp_servers = { a = 1 }"), ("codex", "x = '''\n[mcp_servers.countersign]\n'''"),
            ("codex", "[mcp_servers.\"countersign\"]\ncommand = \"x\""), ("goose", "extensions: {}"),
            ("goose", "{ extensions: {} }"), ("goose", "---\na: 1\n"),
            // Each of these would have become a file that its program cannot read.
            ("codex", "mcp_servers.countersign.command = \"x\"\n"), ("codex", "[[mcp_servers]]\nname = \"x\"\n"),
            ("codex", "[mcp_servers]\ncountersign = { command = \"x\" }\n"),
            ("codex", "[mcp_servers]\n\"countersign\".command = \"x\"\n"),
            ("codex", "\"mcp_servers\" = { a = { command = \"x\" } }\n"), ("codex", "\"mcp\\u005fservers\" = {}\n"),
            ("codex", "[mcp_servers.countersign] # mine\ncommand = \"x\"\n"),
            ("codex", "[mcp_servers.countersign.env]\nA = \"x\"\n"),
            ("codex", "a = 1\r\nmcp_servers = { a = { command = \"x\" } }\r\n"),
            ("goose", "extensions:\n  countersign: {enabled: true}\n"),
            ("goose", "extensions:\n  \"countersign\":\n    enabled: true\n"),
            ("goose", "extensions:\n  countersign: # mine\n    enabled: true\n"),
            ("goose", "\"extensions\":\n  a:\n    enabled: true\n"),
            ("goose", "extensions :\n  a:\n    enabled: true\n"),
            ("goose", "extensions:\n- a\n"), ("goose", "a: x\r\nextensions: {}\r\n"),
            // A name that is not certain, a bracket that is not closed, a text that is not, and what is not TOML.
            ("codex", "\"a\\U0000006Dcp\" = 1\n"), ("codex", "a = [\n1,\n"), ("codex", "a = \"x\n"), ("codex", "a\n"),
            ("codex", "a = ]\n"), ("codex", "a = 1\rb = 2\r"),
            ("codex", "[mcp_servers.countersign]\n[[mcp_servers.countersign]]\n"),
            ("codex", "mcp_servers.countersign.a = 1\n[mcp_servers.countersign]\ncommand = \"x\"\n"),
            ("goose", "a: [\n"),
        ])
    func unsure(name: String, text: String) throws {
        let file = try #require(AgentProgram.named(name)).text
        #expect(throws: ProgramFileProblem.self) { try file.adding(Self.command, to: text) }
    }

    @Test("the list is in the guide, with each program's file, form, page and day")
    func guide() throws {
        let guide = try String(contentsOf: Repository.file("docs/agents.md"), encoding: .utf8)
        for program in AgentProgram.all {
            let row =
                "| `\(program.name)` | \(program.title) | `~/\(program.file)` | \(program.form.words) | "
                + "[\(program.lookedUp)](\(program.source)) |"
            #expect(guide.contains(row + "\n"), "\(row)")
        }
        #expect(AgentProgram.all.map(\.name) == AgentProgram.all.map(\.name).sorted())
    }

    @Test("is where the program's own variables put it")
    func places() throws {
        let codex = try #require(AgentProgram.named("codex"))
        #expect(codex.place(["HOME": "/h"]).path == "/h/.codex/config.toml")
        #expect(codex.place(["HOME": "/h", "CODEX_HOME": "/c"]).path == "/c/config.toml")
        let goose = try #require(AgentProgram.named("goose"))
        #expect(goose.place(["HOME": "/h", "XDG_CONFIG_HOME": "/x"]).path == "/x/goose/config.yaml")
        #expect(goose.place(["HOME": "/h", "XDG_CONFIG_HOME": "x"]).path == "/h/.config/goose/config.yaml")
    }
}
