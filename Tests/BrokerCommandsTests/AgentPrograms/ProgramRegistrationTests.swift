import Encodings
import Foundation
import TestSupport
import Testing

@testable import BrokerCommands

@Suite("An assistant's program on an empty home", .timeLimit(.minutes(5)))
struct ProgramRegistrationTests {
    private func environment(_ session: MCPSession) -> [String: String] {
        [
            "HOME": session.root.appending(path: "home").path, "PATH": "/usr/bin:/bin",
            "BROKER_DATABASE_PATH": session.root.appending(path: "broker/broker.sqlite").path,
            "BROKER_URL": session.url,
        ]
    }

    private func run(_ session: MCPSession, _ arguments: [String]) async throws -> ChildProcess.Outcome {
        try await ChildProcess.run(Repository.countersign, arguments, environment: environment(session))
    }

    @Test("gets its entry, whose command reaches the broker, and loses it", arguments: AgentProgram.all.map(\.name))
    func wholeWay(name: String) async throws {
        try await MCPSession.with { session in
            let home = session.root.appending(path: "home")
            let program = try #require(AgentProgram.named(name))
            let file = program.place(["HOME": home.path])
            let shown = try await run(session, ["agent", "add", name, "--print"])
            #expect(shown.status == 0 && shown.text.contains(file.path), "\(shown.text)")
            #expect(!FileManager.default.fileExists(atPath: home.path), "--print writes nothing")
            let unasked = try await run(session, ["agent", "add", name])
            #expect(unasked.status == 2 && unasked.text.contains("--yes"), "\(unasked.text)")

            let added = try await run(session, ["agent", "add", name, "--yes", "--json"])
            #expect(added.status == 0, "\(added.text)")
            let answer = try JSONReader.read(Array(added.output))
            #expect(answer["file"]?.stringValue == file.path && answer["written"] == true)
            let token = try #require(answer["token_file"]?.stringValue)
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(text.contains(token) && text.contains(Repository.countersign.path))
            let secret = try String(contentsOfFile: token, encoding: .utf8).dropLast()
            #expect(secret.count > 30 && !text.contains(secret), "the file names the token's file, and not the token")
            let mode = try FileManager.default.attributesOfItem(atPath: token)[.posixPermissions] as? Int
            #expect(mode == 0o600)

            // The command of the entry, run as the program would.
            let messages = [
                #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#,
                #"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list_requests","arguments":{}}}"#,
            ]
            let served = try await ChildProcess.run(
                Repository.countersign, ["agent", "mcp", "--broker", session.url, "--token-file", token],
                environment: ["HOME": home.path, "PATH": "/usr/bin:/bin"],
                input: Data(messages.map { $0 + "\n" }.joined().utf8))
            #expect(served.text.contains("\"structuredContent\":{\"requests\":[]}"), "\(served.text)")

            let again = try await run(session, ["agent", "add", name, "--yes"])
            #expect(again.status == 0, "\(again.text)")
            #expect(try String(contentsOf: file, encoding: .utf8) == text)

            let removed = try await run(session, ["agent", "remove", name])
            #expect(removed.status == 0 && removed.text.contains(file.path), "\(removed.text)")
            #expect(!FileManager.default.fileExists(atPath: file.path))
            #expect(!FileManager.default.fileExists(atPath: token))
            #expect(try await run(session, ["agent", "list"]).text.contains(name) == false)
        }
    }

    @Test(
        "what is shown before it is written has none of the file's own secrets, also of a file in one line",
        arguments: [
            ("cursor", #"{"mcpServers":{"mail":{"command":"x","env":{"KEY":"canary-of-mail"}}},"a":"canary-of-mail"}"#),
            ("claude-code", #"{"token":"canary-of-mail"}"#),
            ("codex", "key = \"canary-of-mail\"\n"), ("goose", "key: canary-of-mail"),
        ])
    func ownSecrets(name: String, text: String) async throws {
        try await MCPSession.with { session in
            let file = try #require(AgentProgram.named(name)).place(environment(session))
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
            // The second time there is an entry with another command.
            for broker in [session.url, "http://127.0.0.1:9"] {
                var variables = environment(session)
                variables["BROKER_URL"] = broker
                for arguments in [["--print"], ["--print", "--json"], ["--yes", "--json"]] {
                    let outcome = try await ChildProcess.run(
                        Repository.countersign, ["agent", "add", name] + arguments, environment: variables)
                    #expect(outcome.status == 0 && !outcome.text.contains("canary-of-mail"), "\(outcome.text)")
                    #expect(outcome.text.contains(broker) && outcome.text.contains("countersign"), "\(outcome.text)")
                }
            }
            #expect(try String(contentsOf: file, encoding: .utf8).contains("canary-of-mail"))
        }
    }

    @Test("a file that cannot be changed for certain stays as it is, and no agent is added")
    func unsure() async throws {
        try await MCPSession.with { session in
            let file = session.root.appending(path: "home/.config/Code/User/mcp.json")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data("{ // mine\n}".utf8).write(to: file)
            let outcome = try await run(session, ["agent", "add", "vscode", "--yes"])
            #expect(outcome.status == 1 && outcome.text.contains("is left as it is"), "\(outcome.text)")
            #expect(outcome.text.contains("\"type\": \"stdio\""), "the entry is told, to be added by hand")
            #expect(outcome.text.contains("countersign agent add vscode --token"), "so is where its token comes from")
            #expect(try String(contentsOf: file, encoding: .utf8) == "{ // mine\n}")
            #expect(try await run(session, ["agent", "list"]).text.contains("vscode") == false)
        }
    }

    @Test(
        "a file that cannot be changed does not keep the token alive",
        arguments: [
            ("gemini", "{ // mine\n  \"mcpServers\": {\"countersign\": {}} }"),
            ("codex", "[mcp_servers]\ncountersign.command = \"x\"\n"),
            ("goose", "extensions: {countersign: {enabled: true}}\n"),
        ])
    func unsureRemoval(name: String, text: String) async throws {
        try await MCPSession.with { session in
            let file = try #require(AgentProgram.named(name)).place(environment(session))
            let added = try await run(session, ["agent", "add", name, "--yes", "--json"])
            let token = try #require(try JSONReader.read(Array(added.output))["token_file"]?.stringValue)
            try Data(text.utf8).write(to: file)
            let removed = try await run(session, ["agent", "remove", name])
            #expect(removed.status == 1 && removed.text.contains("is removed, and its token"), "\(removed.text)")
            #expect(removed.text.contains("out of it by hand") && removed.text.contains(file.path), "\(removed.text)")
            #expect(try await run(session, ["agent", "list"]).text.contains(name) == false)
            #expect(!FileManager.default.fileExists(atPath: token))
            #expect(try String(contentsOf: file, encoding: .utf8) == text)
        }
    }

    @Test(
        "the advice for a file that cannot be changed keeps a token that is there",
        arguments: ["codex", "goose", "vscode"])
    func tokenKept(name: String) async throws {
        try await MCPSession.with { session in
            let file = try #require(AgentProgram.named(name)).place(environment(session))
            let added = try await run(session, ["agent", "add", name, "--yes", "--json"])
            let token = try #require(try JSONReader.read(Array(added.output))["token_file"]?.stringValue)
            let secret = try String(contentsOfFile: token, encoding: .utf8)
            try Data("[".utf8).write(to: file)
            func refusal() async throws -> String {
                let refused = try await run(session, ["agent", "add", name, "--yes"])
                #expect(refused.status == 1 && refused.text.contains("is left as it is"), "\(refused.text)")
                #expect(refused.text.contains(token), "\(refused.text)")
                return refused.text
            }
            // The agent and its file, the agent alone, and the file alone.
            #expect(try await refusal().contains("--token >") == false)
            #expect(try String(contentsOfFile: token, encoding: .utf8) == secret)
            try FileManager.default.removeItem(atPath: token)
            #expect(try await refusal().contains("--token >") == false)
            _ = try await run(session, ["agent", "remove", name])
            try Data(secret.utf8).write(to: URL(filePath: token))
            #expect(try await refusal().contains("--token >") == false)
            try FileManager.default.removeItem(atPath: token)

            // The command of the advice, run twice.
            let advice = try await refusal()
            let command = try #require(advice.split(separator: "\n").first { $0.contains("--token >") })
            let folder = Repository.countersign.deletingLastPathComponent().path
            var variables = environment(session)
            variables["PATH"] = "\(folder):/usr/bin:/bin"
            let shell = URL(filePath: "/bin/sh")
            #expect(try await ChildProcess.run(shell, ["-c", String(command)], environment: variables).status == 0)
            let made = try String(contentsOfFile: token, encoding: .utf8)
            #expect(made.count > 30 && made != secret)
            #expect(try await ChildProcess.run(shell, ["-c", String(command)], environment: variables).status != 0)
            #expect(try String(contentsOfFile: token, encoding: .utf8) == made)
        }
    }

    @Test("the entry that is told for a file in another form is in the file's own form")
    func formOfEntry() async throws {
        try await MCPSession.with { session in
            for (name, text, expected) in [
                ("codex", "mcp_servers = {}\n", "[mcp_servers.countersign]\ncommand = "),
                ("goose", "extensions: {}\n", "\n    cmd: "),
            ] {
                let file = try #require(AgentProgram.named(name)).place(environment(session))
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(text.utf8).write(to: file)
                let outcome = try await run(session, ["agent", "add", name, "--yes"])
                #expect(outcome.status == 1 && outcome.text.contains(expected), "\(outcome.text)")
            }
        }
    }

    @Test("--token adds an agent of that name alone, and other names are agents as before")
    func tokenAlone() async throws {
        try await MCPSession.with { session in
            for arguments in [["codex", "--token"], ["books"]] {
                let outcome = try await run(session, ["agent", "add"] + arguments)
                #expect(outcome.status == 0 && outcome.output.count > 30, "\(outcome.text)")
            }
            #expect(!FileManager.default.fileExists(atPath: session.root.appending(path: "home/.codex").path))
        }
    }
}
