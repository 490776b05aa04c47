import Encodings
import Foundation
import Synchronization
import Terminal
import TestCases
import TestSupport
import Testing

@testable import ScriptCommands

@Suite("The authors' tools over the Model Context Protocol", .timeLimit(.minutes(5)))
struct AuthorServerTests {
    private func call(_ tool: String, _ arguments: JSONValue, in folder: URL) async throws -> JSONValue {
        try await ask("tools/call", ["name": .string(tool), "arguments": arguments], in: folder)
    }

    private func ask(_ method: String, _ params: [String: JSONValue], in folder: URL) async throws -> JSONValue {
        var params = params
        params["_meta"] = [
            "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": [:],
        ]
        let request: JSONValue = [
            "jsonrpc": "2.0", "id": 1, "method": .string(method), "params": .object(params),
        ]
        let (lines, input) = AsyncStream<[UInt8]>.makeStream()
        input.yield(Array(request.compactText().utf8))
        input.finish()
        let answers = Mutex<[JSONValue]>([])
        await ContextServer(AuthorService(try AuthorFolder(folder.path))).serve(lines: lines) { line in
            if let json = try? JSONReader.read(line, limits: JSONLimits(size: 1 << 24)) {
                answers.withLock { $0.append(json) }
            }
        }
        let answer = try #require(answers.withLock { $0.last })
        return answer["result"] ?? answer
    }

    private static let period: JSONValue = ["month": 1, "year": 2026]

    @Test("explain, replay, and propose a change, and write nothing")
    func whole() async throws {
        let made = try await AuthorsFolder.make()
        defer { made.folder.remove() }
        let folder = made.folder.url
        let names = made.folder.names
        let script: JSONValue = "meridian-savings.yaml"
        let lint = try await call("lint", ["script": script], in: folder)["structuredContent"]
        #expect(lint?["is_valid"] == true && lint?["digest"]?.stringValue?.count == 64)
        let explained = try await call("explain", ["script": script], in: folder)["structuredContent"]
        #expect(
            explained?["sends_untrusted"]?.arrayValue?.contains {
                $0["item"]?.stringValue?.contains("password") == true
            }
                == true, "\(explained ?? .null)")
        let replayed = try await call(
            "replay", ["script": script, "recording": "worked.har", "parameters": Self.period], in: folder)
        #expect(replayed["structuredContent"]?["matches"] == true, "\(replayed)")
        let failed = try await call(
            "replay", ["script": script, "recording": "failed.har", "parameters": Self.period], in: folder
        )["structuredContent"]
        #expect(failed?["matches"] == false && failed?["error_code"] != nil, "\(failed ?? .null)")
        let proposed = try await call(
            "propose",
            ["script": script, "old": "worked.har", "new": "failed.har", "parameters": Self.period], in: folder
        )["structuredContent"]
        #expect(proposed?["outcome"] == "proposed", "\(proposed ?? .null)")
        #expect(proposed?["script_untrusted"]?.stringValue?.contains(AuthorsFolder.renamed) == true)
        #expect(proposed?["sends_the_same"] == true && proposed?["digest"] != lint?["digest"])
        #expect(made.folder.names == names)
    }

    @Test("run the matrix against mock banks and say which row is not as expected")
    func matrix() async throws {
        let made = try await AuthorsFolder.make()
        defer { made.folder.remove() }
        let folder = made.folder.url
        let rows =
            "parameters: { month: 11, year: 2025 }\nscenarios:\n  - happy: statement\n  - wrong-password: statement\n"
        try Data(rows.utf8).write(to: folder.appending(path: "small.yaml"))
        let answer = try await call(
            "matrix", ["script": "meridian-savings.yaml", "matrix": "small.yaml"], in: folder)["structuredContent"]
        #expect(answer?["rows"] == 2 && answer?["not_as_expected"] == 1, "\(answer ?? .null)")
        #expect(answer?["results"]?.arrayValue?.last?["surprise_untrusted"]?.stringValue?.contains("got") == true)
    }

    @Test(
        "refuse what leads out of the folder",
        arguments: [
            ("matrix", ["script": "a.yaml", "matrix": "out.yaml"]),
            ("matrix", ["script": "a.yaml", "matrix": "other.yaml"]),
            ("replay", ["script": "a.yaml", "recording": "../a.har"]),
            ("propose", ["script": "a.yaml", "old": "/tmp/a.har", "new": "b.har"]),
            ("lint", ["script": "../a.yaml"]), ("lint", ["script": "a.yaml", "accept": true]),
        ] as [(String, JSONValue)])
    func outside(tool: String, arguments: JSONValue) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try FileManager.default.copyItem(
            at: Repository.file("BankScripts/DefaultBank/meridian-savings.yaml"), to: folder.appending("a.yaml"))
        try Data("scenarios:\n  - har: ../../etc/hosts.har\n    expect: statement\n".utf8)
            .write(to: folder.appending("out.yaml"))
        try Data("scenarios:\n  - happy: statement\n    script: /etc/a.yaml\n".utf8)
            .write(to: folder.appending("other.yaml"))
        let answer = try await call(tool, arguments, in: folder.url)
        #expect(answer["isError"] == true, "\(answer)")
        #expect(answer["content"]?.arrayValue?.first?["text"]?.stringValue?.isEmpty == false)
    }

    @Test("are five, and none of them accepts, writes or runs at a bank")
    func names() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let tools = try await ask("tools/list", [:], in: folder.url)["tools"]?.arrayValue ?? []
        #expect(tools.compactMap { $0["name"]?.stringValue } == ["lint", "explain", "replay", "propose", "matrix"])
        #expect(tools.allSatisfy { $0["annotations"]?["readOnlyHint"] == true })
        let unknown = try await call("accept", [:], in: folder.url)
        #expect(unknown["error"]?["code"]?.intValue == -32602, "\(unknown)")
    }

    @Test("put a page's words only where the name says that they are a stranger's")
    func injection() async throws {
        let made = try await AuthorsFolder.make()
        defer { made.folder.remove() }
        let folder = made.folder.url
        let evil = try String(contentsOf: folder.appending(path: "meridian-savings.yaml"), encoding: .utf8)
            .replacing("name: Meridian Savings", with: "name: \(AuthorsFolder.injected)")
        try Data(evil.utf8).write(to: folder.appending(path: "evil.yaml"))
        try Data("scenarios:\n  - har: \(AuthorsFolder.injected).har\n    expect: statement\n".utf8)
            .write(to: folder.appending(path: "rows.yaml"))
        var heard = 0
        for (tool, arguments) in [
            ("lint", ["script": "evil.yaml"]), ("explain", ["script": "evil.yaml"]),
            (
                "replay",
                ["script": "evil.yaml", "recording": "failed.har", "parameters": Self.period]
            ),
            (
                "propose",
                [
                    "script": "evil.yaml", "old": "worked.har", "new": "failed.har", "parameters": Self.period,
                ]
            ),
            ("matrix", ["script": "evil.yaml", "matrix": "evil.yaml"]),
            ("matrix", ["script": "evil.yaml", "matrix": "rows.yaml"]),
        ] as [(String, JSONValue)] {
            let answer = try await call(tool, arguments, in: folder)
            let structured: JSONValue
            if let content = answer["structuredContent"] {
                structured = content
            } else {
                let text = answer["content"]?.arrayValue?.first?["text"]?.stringValue ?? ""
                structured = (try? JSONReader.read(text.utf8)) ?? .string(text)
            }
            heard += Self.places(of: AuthorsFolder.injected, in: structured, under: "").count
            for place in Self.places(of: AuthorsFolder.injected, in: structured, under: "") {
                #expect(place.contains("_untrusted"), "\(tool) says it at \(place)")
            }
        }
        #expect(heard > 0)
    }

    /// Returns the paths of the texts that contain words.
    private static func places(of words: String, in json: JSONValue, under path: String) -> [String] {
        switch json {
        case .string(let text): text.contains(words) ? [path] : []
        case .array(let items): items.flatMap { places(of: words, in: $0, under: path) }
        case .object(let members):
            members.flatMap { key, value in
                (key.contains(words) ? [path] : []) + places(of: words, in: value, under: "\(path).\(key)")
            }
        default: []
        }
    }
}

@Suite("The official MCP client at the authors' server", .needsPeers)
struct AuthorServerPeerTests {
    @Test("lists the tools and calls each", .timeLimit(.minutes(3)), arguments: ["legacy", "2026-07-28"])
    func everyTool(mode: String) async throws {
        let made = try await AuthorsFolder.make()
        defer { made.folder.remove() }
        let rows = "parameters: { month: 11, year: 2025 }\nscenarios:\n  - happy: statement\n"
        try Data(rows.utf8).write(to: made.folder.appending("meridian-savings.test.yaml"))
        let outcome = try await Peers.run(
            script: "mcp_authors.py", [Repository.countersign.path, made.folder.url.path, mode])
        let printed = outcome.text
        #expect(outcome.status == 0, "\(printed)")
        let version = mode == "legacy" ? "2025-11-25" : mode
        for expected in [
            "version \(version)", "tools lint explain replay propose matrix", "lint True", "explain True",
            "worked True", "failed False", "proposed proposed True", "matrix 1 0", "outside True", "unknown True",
        ] { #expect(printed.contains(expected + "\n"), "\(expected) in \(printed)") }
    }
}
