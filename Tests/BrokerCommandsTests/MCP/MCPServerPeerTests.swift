import Broker
import Foundation
import Machine
import Messages
import Secrets
import Synchronization
import TestSupport
import Testing

@Suite("The official MCP client at the agents' server", .needsPeers)
struct MCPServerPeerTests {
    @Test(
        "lists the tools, calls each, follows the link to the PDF",
        .timeLimit(.minutes(2)), arguments: ["legacy", "auto", "2026-07-28"])
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

/// A program whose output is read while it runs.
private final class LiveProcess: Sendable {
    let lines: AsyncStream<String>
    private let process: Process
    private let text = Mutex("")

    var printed: String { text.withLock { $0 } }

    init(_ program: URL, _ arguments: [String]) throws {
        let (process, output) = try ChildProcess.starting {
            let process = Process()
            process.executableURL = program
            process.arguments = arguments
            let output = Pipe()
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = output
            process.standardError = output
            try process.run()
            return (process, output)
        }
        self.process = process
        let (lines, writer) = AsyncStream<String>.makeStream()
        self.lines = lines
        Thread.detachNewThread { [self] in
            var rest = Data()
            while case let data = output.fileHandleForReading.availableData, !data.isEmpty {
                text.withLock { $0 += String(decoding: data, as: UTF8.self) }
                rest += data
                while let end = rest.firstIndex(of: 0x0A) {
                    writer.yield(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
                    rest = Data(rest[rest.index(after: end)...])
                }
            }
            writer.finish()
        }
    }

    func status() async -> Int32 {
        let process = process
        return
            (try? await BlockingWork.run {
                process.waitUntilExit()
                return process.terminationStatus
            }) ?? -1
    }
}
