import CurlClient
import Foundation
import TestSupport
import Testing

@Suite(
    "Cookies, against the http-state working group's cases",
    .needsVectors)
struct CookieVectorTests {
    private static var folder: URL {
        get throws { try Vectors.url("http-state/tests/data/parser") }
    }

    /// Broken in the suite itself: the expectation contradicts the test.
    private static let broken: Set = ["0028"]

    /// Cases whose cookies expired in August 2019; they need an earlier clock.
    private static let dated: Set = ["0002", "comma0006", "comma0007"]

    /// Cases in which libcurl 7.88 deviates from RFC 6265.
    static let deviations: Set = [
        // Sends cookies of equal path length newest first (section 5.4: oldest first).
        "0014", "0015", "0016", "0020", "0021", "0022", "mozilla0008", "domain0019", "domain0023",
        "path0032",
        // Drops a cookie whose domain attribute does not match, whatever a later one says (section 5.3).
        "domain0035", "domain0036",
        // Matches a path that ends in a slash with the path without it.
        "path0014",
        // Keeps tabs around name and value.
        "value0006",
    ]

    @Test("behaves as RFC 6265 says, except for the listed deviations")
    func cases() async throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
            .filter { $0.hasSuffix("-test") && !$0.hasPrefix("disabled") }.map { String($0.dropLast(5)) }.sorted()
        var failed: Set<String> = []
        var counted = 0
        for name in names where !Self.broken.contains(name) && !Self.dated.contains(name) {
            counted += 1
            if try await !passes(name) { failed.insert(name) }
        }
        #expect(
            failed == Self.deviations,
            "not listed: \(failed.subtracting(Self.deviations).sorted()), listed and passed: \(Self.deviations.subtracting(failed).sorted())"
        )
        #expect(counted - failed.count >= 200, "of 217, the three dated ones among them")
    }

    private func passes(_ name: String) async throws -> Bool {
        let lines = try Data(contentsOf: Self.folder.appending(path: "\(name)-test"))
        let expected = try String(contentsOf: Self.folder.appending(path: "\(name)-expected"), encoding: .isoLatin1)
            .trimmingCharacters(in: .newlines)
        let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n".utf8)
        // Line by line, with HTTP's line ends.
        var headers: [UInt8] = []
        for line in lines.split(separator: 0x0A) {
            headers += line.last == 0x0D ? line.dropLast() : line
            headers += [0x0D, 0x0A]
        }
        let answer = head + headers + [0x0D, 0x0A]
        let server = try RawServer { request, _ in
            if request.hasPrefix("GET /cookie-parser?") { return .keep(answer) }
            let cookie = request.split(separator: "\r\n").first { $0.lowercased().hasPrefix("cookie:") } ?? ""
            return .ok(String(cookie))
        }
        defer { server.stop() }
        var configuration = CurlConfiguration()
        configuration.resolve = try String(
            contentsOf: Self.folder.appending(path: "../hosts").standardizedFileURL, encoding: .utf8
        ).split(separator: "\n").compactMap { $0.split(whereSeparator: \.isWhitespace).last }
            .map { "\($0):\(server.port):127.0.0.1" }
        let session = CurlSession(configuration)
        let home = "http://home.example.org:\(server.port)"
        let first = try await session.send(HTTPRequest("GET", "\(home)/cookie-parser?\(name)"))
        let location = first.header("location") ?? "/cookie-parser-result?\(name)"
        let target = location.hasPrefix("/") ? home + location : location.replacing(":8888", with: ":\(server.port)")
        let second = try await session.send(HTTPRequest("GET", target))
        await session.close()
        let seen = second.body.map { Character(UnicodeScalar($0)) }
        return String(seen) == expected
    }
}
