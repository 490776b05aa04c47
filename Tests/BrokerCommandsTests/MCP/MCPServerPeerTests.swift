import Broker
import Foundation
import Machine
import Messages
import Secrets
import Synchronization
import TestParties
import TestSupport
import Testing

@Suite("The official MCP client at the agents' server", .needsPeers)
struct MCPServerPeerTests {
    @Test(
        "lists the tools, calls each, follows the link to the PDF",
        .timeLimit(.minutes(4)), arguments: ["legacy", "auto", "2026-07-28"])
    func everyTool(mode: String) async throws {
        try await MCPSession.with { session in
            let token = session.root.appending(path: "token.txt")
            try AtomicFile.write(Array(MCPSession.token.utf8), to: token)
            let client = try LiveProcess(
                try #require(Peers.python),
                [Peers.script("mcp_client.py").path, Repository.countersign.path, session.url, token.path, mode])
            for await line in client.lines {
                guard line.hasPrefix("request "), let id = RequestID(String(line.dropFirst(8))) else { continue }
                try await session.deliver(id, pdf: "%PDF-1.4 statement startxref 0 %%EOF")
            }
            let printed = client.printed
            #expect(await client.status() == 0, "\(printed)")
            let version = mode == "legacy" ? "2025-11-25" : "2026-07-28"
            for expected in [
                "version \(version)",
                "tools request_statement request_documents offer_documents get_request list_requests list_banks "
                    + "list_documents find_documents read_document",
                "asked PENDING_APPROVAL",
                "ended COMPLETED", "link resource_link application/pdf", "resource application/pdf JVBERi0x",
                "listed True", "offered WAITING 2025-03 2025-03 True", "refused True", "banks []",
                "documents 1 default pdf", "found 1 The [first] [page]",
                "read 2 2 The second page.", "nothing True",
            ] { #expect(printed.contains(expected + "\n"), "\(expected) in \(printed)") }
        }
    }
}

@Suite("The official MCP client follows a task", .needsPeers)
struct MCPTaskPeerTests {
    @Test("to its end, over a restart of client, MCP server and broker", .timeLimit(.minutes(3)))
    func restarts() async throws {
        let stage = try BrokerStage()
        let token = stage.root.appending(path: "token.txt")
        try AtomicFile.write(Array(BrokerStage.agentToken.utf8), to: token)
        let asked = Mutex<RequestID?>(nil)
        @Sendable func client(_ step: [String]) throws -> LiveProcess {
            try LiveProcess(
                try #require(Peers.python),
                [Peers.script("mcp_tasks.py").path, Repository.countersign.path, stage.url, token.path] + step)
        }
        try await stage.run { stage in
            let making = try client(["make"])
            for await line in making.lines where line.hasPrefix("task ") {
                asked.withLock { $0 = RequestID(String(line.dropFirst(5))) }
            }
            #expect(await making.status() == 0, "\(making.printed)")
            #expect(making.printed.contains("version 2026-07-28\nmade working\n"), "\(making.printed)")
        }
        let id = try #require(asked.withLock { $0 })
        // The broker, and with it the address, is another one now.
        try await stage.run { stage in
            let following = try client(["follow", id.description])
            #expect(try await stage.decide(id, "APPROVE").status == 200)
            try stage.publish(id)
            for await _ in following.lines {}
            #expect(await following.status() == 0, "\(following.printed)")
            #expect(
                following.printed.contains("ended completed COMPLETED\nlink resource_link\n"), "\(following.printed)")
        }
    }
}
