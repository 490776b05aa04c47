import CBareCurl
import Foundation
import HTMLEngine
import Secrets
import Selectors

/// Nine exchanges from a bank's front page to a statement, by a session that reads each page, and by one bare libcurl
/// handle that knows every URL and body beforehand. Prints the median of each and their ratio; the limit is 1.2.
@main
struct LoginToFile {
    private static let rounds = 200

    static func main() async throws {
        let (ports, announce) = AsyncStream<Int>.makeStream()
        let application = BankSite.application { announce.yield($0) }
        let server = Task { try await application.run() }
        var iterator = ports.makeAsyncIterator()
        let origin = "http://127.0.0.1:\(await iterator.next() ?? 0)"
        var session: [Duration] = []
        var bare: [Duration] = []
        // Turn by turn, so that whatever else the machine does falls on both.
        for _ in 0..<rounds {
            bare.append(try measureBare(origin))
            session.append(try await measureSession(origin))
        }
        server.cancel()
        let ours = median(session)
        let theirs = median(bare)
        print("nine exchanges, median of \(rounds): session \(ours), one libcurl handle \(theirs)")
        print("ratio \(String(format: "%.2f", ours / theirs)) (limit 1.20)")
    }

    private static func median(_ durations: [Duration]) -> Duration {
        durations.sorted()[durations.count / 2]
    }

    private static func measureSession(_ origin: String) async throws -> Duration {
        let allowed = try Origin(parsing: origin)
        let file = FileManager.default.temporaryDirectory.appending(path: "benchmark-\(UUID().uuidString).pdf")
        defer { try? FileManager.default.removeItem(at: file) }
        let clock = ContinuousClock()
        let start = clock.now
        let session = BrowserSession(
            BrowserConfiguration(egress: EgressPolicy(origins: [allowed], allowsLoopbackHTTP: true)))
        try await session.open(origin)
        try await session.follow(.link("Sign in"))
        try await session.fill(.field("Username"), with: .text("jane"))
        try await session.fill(.field("Password"), with: .secret(Secret("correct horse")))
        try await session.press(.button("Sign in"))
        try await session.fill(.field("One-time code"), with: .secret(Secret("123456")))
        try await session.press(.button("Continue"))
        try await session.follow(.link("Statements"))
        try await session.choose("2026", in: .field("Year"))
        try await session.press(.button("Show"))
        let download = try await session.download(
            .control(.link("PDF").within(.row("February 2026"))), to: file, limit: 1 << 20)
        let end = clock.now
        await session.close()
        guard download.bytes == BankSite.statement.count else { fatalError("the file has \(download.bytes) bytes") }
        return end - start
    }

    private static func measureBare(_ origin: String) throws -> Duration {
        let exchanges: [(path: String, body: String?)] = [
            ("/", nil), ("/login", nil), ("/session", BankSite.credentials), ("/verify", nil),
            ("/verify", BankSite.code),
            ("/accounts", nil), ("/statements", nil), ("/statements?year=2026", nil), ("/files/2", nil),
        ]
        let urls = exchanges.map { origin + $0.path }
        let clock = ContinuousClock()
        let start = clock.now
        let handle = bare_curl_new()
        for (exchange, url) in zip(exchanges, urls) {
            let status = bare_curl_exchange(handle, url, exchange.body)
            guard status == 200 || status == 303 else { fatalError("\(url) answered \(status)") }
        }
        let end = clock.now
        guard bare_curl_size(handle) == BankSite.statement.count else { fatalError("the file is not whole") }
        bare_curl_free(handle)
        return end - start
    }
}
