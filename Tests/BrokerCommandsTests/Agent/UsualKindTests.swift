import BrokerClient
import Encodings
import Foundation
import Messages
import Testing

@testable import BrokerCommands

@Suite("A bank without PDF")
struct UsualKindTests {
    /// Runs a command as an agent that names no kind.
    private func run(_ words: [String], at session: MCPSession) async throws {
        let token = session.root.appending(path: "agent.token")
        try Data("\(MCPSession.token)\n".utf8).write(to: token)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: token.path)
        let options = ["--broker", session.url, "--token-file", token.path, "--json"]
        if words.first == "offers" {
            try await OffersAddCommand.parse(Array(words.dropFirst()) + options).run()
        } else {
            try await RequestCommand.parse(Array(words.dropFirst()) + options).run()
        }
    }

    @Test(
        "is asked for what it has by a command that names no kind",
        arguments: [
            ["request", "2026-01"], ["request", "2026-01", "--bank", "north"],
            ["request", "--month", "1", "--year", "2026"],
            ["request", "--from", "2026-01", "--to", "2026-01"], ["request", "2026-01", "--refetch"],
        ])
    func requests(words: [String]) async throws {
        try await MCPSession.with { session in
            try await session.tellBanks("north", kinds: ["camt", "csv"])
            try await run(words, at: session)
            let asked = try await session.client.page().requests
            #expect(asked.count == 1)
            let documents = try await session.client.request(try #require(asked.first).id).documents
            #expect(documents?.map(\.kind) == [.camt])
        }
    }

    @Test("is offered for what it has, too")
    func offers() async throws {
        try await MCPSession.with { session in
            try await session.tellBanks("north", kinds: ["camt"])
            try await run(["offers", "--from", "2026-01", "--to", "2026-01"], at: session)
            #expect(try await session.client.offers().map(\.kinds) == [[.camt]])
        }
    }

    @Test(
        "is asked or offered for what it has by an assistant that names no kind",
        arguments: [
            ("request_statement", ["month": 1, "year": 2026]),
            ("request_documents", ["from": "2026-01", "to": "2026-01"]),
            ("offer_documents", ["from": "2026-01"]),
        ] as [(String, JSONValue)])
    func assistant(tool: String, arguments: JSONValue) async throws {
        try await MCPSession.with { session in
            try await session.tellBanks("north", kinds: ["camt", "csv"])
            let answer = try await session.callTool(tool, arguments)
            #expect(answer["isError"] != true, "\(answer)")
            if tool == "offer_documents" {
                #expect(try await session.client.offers().map(\.kinds) == [[.camt]])
            } else {
                let asked = try await session.client.page().requests
                let documents = try await session.client.request(try #require(asked.first).id).documents
                #expect(asked.count == 1 && documents?.map(\.kind) == [.camt])
            }
        }
    }

    @Test("an assistant that names a kind gets no other one")
    func assistantWithKinds() async throws {
        try await MCPSession.with { session in
            try await session.tellBanks("north", kinds: ["camt"])
            let named: JSONValue = ["from": "2026-01", "to": "2026-01", "kinds": ["pdf"]]
            let answer = try await session.callTool("request_documents", named)
            #expect(answer["isError"] == true, "\(answer)")
            #expect(try await session.client.page().requests.isEmpty)
        }
    }

    @Test("is not asked for another kind than the one that was named, nor is one of several banks chosen")
    func others() async throws {
        try await MCPSession.with { session in
            try await session.tellBanks("north", kinds: ["camt"])
            await #expect(throws: (any Error).self) {
                try await run(["request", "2026-01", "--kinds", "pdf"], at: session)
            }
            try await session.tellBanks("north", "south", kinds: ["camt"])
            await #expect(throws: (any Error).self) { try await run(["request", "2026-01"], at: session) }
            #expect(try await session.client.page().requests.isEmpty)
        }
    }
}
