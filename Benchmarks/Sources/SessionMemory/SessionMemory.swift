import Foundation
import HTMLEngine
import Hummingbird
import Logging
import Measuring
import Selectors
import WebURL

/// Measures a session that has opened twenty-one pages of 100 KB. The limit is 4 MB of resident memory per session.
@main
struct SessionMemory {
    private static let sessions = 20
    private static let pages = 20

    static func main() async throws {
        let row = "<tr><td class=\"date\">1 January 2026</td><td>Rent, flat 4</td><td class=\"num\">1,250.00</td></tr>"
        let rows = String(repeating: row, count: 100_000 / row.utf8.count)
        let html = "<!doctype html><title>Statements</title><table>\(rows)</table><a href=/next>Next</a>"
        let (ports, announce) = AsyncStream<Int>.makeStream()
        let responder = CallbackResponder<BasicRequestContext> { _, _ in
            Response(
                status: .ok, headers: [.contentType: "text/html; charset=utf-8"],
                body: .init(byteBuffer: ByteBuffer(string: html)))
        }
        var logger = Logger(label: "site")
        logger.logLevel = .critical
        let application = Application(
            responder: responder, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                if let port = channel.localAddress?.port { announce.yield(port) }
            }, logger: logger)
        let server = Task { try await application.run() }
        var iterator = ports.makeAsyncIterator()
        let origin = "http://127.0.0.1:\(await iterator.next() ?? 0)"
        // The first sessions pay for shared memory: the allocator's arenas, libcurl, the server's buffers.
        var open = try await visits(2, at: origin)
        let before = try residentBytes()
        open += try await visits(sessions, at: origin)
        let each = Double(try residentBytes() - before) / Double(sessions) / 1_048_576
        printRow(
            "a session's memory after \(pages) pages of \(html.utf8.count / 1000) KB, the page before kept whole",
            "\((each * 100).rounded() / 100) MB", value: each, atMost: 4, unit: " MB")
        for session in open { await session.close() }
        server.cancel()
    }

    private static func visits(_ count: Int, at origin: String) async throws -> [BrowserSession] {
        let policy = EgressPolicy(origins: [try Origin(parsing: origin)], allowsLoopbackHTTP: true)
        var result: [BrowserSession] = []
        for _ in 0..<count {
            let session = BrowserSession(BrowserConfiguration(egress: policy))
            for page in 0..<pages { try await session.open("\(origin)/\(page)") }
            _ = try await session.currentPage.elements(.link("Next"))
            result.append(session)
        }
        return result
    }

    private static func residentBytes() throws -> Int {
        let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        return (Int(fields[1]) ?? 0) * sysconf(Int32(_SC_PAGESIZE))
    }
}
