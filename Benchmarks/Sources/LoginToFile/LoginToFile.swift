import CBareCurl
import Foundation
import HTMLEngine
import Measuring
import Secrets
import Selectors
import WebURL

/// Compares nine exchanges from a bank's front page to a statement: by a session that reads each page, and by one bare
/// libcurl handle that knows every URL and body in advance. The limit is 1.2.
@main
struct LoginToFile {
    private static let rounds = 200

    static func main() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "benchmark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let certificate = try ServerCertificate()
        let authority = try certificate.write(in: folder)
        for isSecure in [true, false] {
            let (ports, announce) = AsyncStream<Int>.makeStream()
            let application = try BankSite.application(tls: isSecure ? certificate.tls : nil) { announce.yield($0) }
            let server = Task { try await application.run() }
            var iterator = ports.makeAsyncIterator()
            let origin = "\(isSecure ? "https" : "http")://127.0.0.1:\(await iterator.next() ?? 0)"
            var session: [Duration] = []
            var bare: [Duration] = []
            // Alternate, so that other load on the machine affects both.
            for _ in 0..<rounds {
                bare.append(try measureBare(origin, isSecure ? authority : nil))
                session.append(try await measureSession(origin, isSecure ? authority : nil, in: folder))
            }
            server.cancel()
            let (ours, theirs) = (median(session), median(bare))
            printRow(
                "nine exchanges from front page to file over \(isSecure ? "TLS" : "plain HTTP"), pages of 4 KB, to one "
                    + "libcurl handle that knows every URL and body", ours, theirs)
        }
    }

    private static func measureSession(_ origin: String, _ authority: URL?, in folder: URL) async throws -> Duration {
        let allowed = try Origin(parsing: origin)
        let file = folder.appending(path: "\(UUID().uuidString).pdf")
        defer { try? FileManager.default.removeItem(at: file) }
        var configuration = BrowserConfiguration(egress: EgressPolicy(origins: [allowed], allowsLoopbackHTTP: true))
        configuration.http.extraCAFile = authority
        let clock = ContinuousClock()
        let start = clock.now
        let session = BrowserSession(configuration)
        // Like a run.
        let download = try await withTaskExecutorPreference(session.executor) {
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
            return try await session.download(
                .control(.link("PDF").within(.row("February 2026"))), to: file, limit: 1 << 20)
        }
        let end = clock.now
        await session.close()
        guard download.bytes == BankSite.statement.count else { fatalError("the file has \(download.bytes) bytes") }
        return end - start
    }

    private static func measureBare(_ origin: String, _ authority: URL?) throws -> Duration {
        let exchanges: [(path: String, body: String?)] = [
            ("/", nil), ("/login", nil), ("/session", BankSite.credentials), ("/verify", nil),
            ("/verify", BankSite.code),
            ("/accounts", nil), ("/statements", nil), ("/statements?year=2026", nil), ("/files/2", nil),
        ]
        let urls = exchanges.map { origin + $0.path }
        let clock = ContinuousClock()
        let start = clock.now
        let handle = bare_curl_new(authority?.path, origin)
        // A redirect's target replaces its page; the page before it stays the referrer.
        var page: String?
        for (exchange, url) in zip(exchanges, urls) {
            let status = bare_curl_exchange(handle, url, page, exchange.body)
            if status == 200 { page = url }
            guard status == 200 || status == 303 else { fatalError("\(url) answered \(status)") }
        }
        let end = clock.now
        guard bare_curl_size(handle) == BankSite.statement.count else { fatalError("the file is not whole") }
        bare_curl_free(handle)
        return end - start
    }
}
