import CLibCurl
import CurlClient
import Testing

private let isListed = countersign_curl_version().map { $0.pointee.features & CURL_VERSION_PSL != 0 } ?? false

@Suite("A public suffix", .enabled(if: isListed, "this libcurl knows no Public Suffix List"))
struct PublicSuffixTests {
    @Test("gets no cookies, however many sessions run at once")
    func cookies() async throws {
        let server = try RawServer { head, _ in
            guard head.hasPrefix("GET /set ") else {
                let cookie = head.split(separator: "\r\n").first { $0.hasPrefix("Cookie: ") }
                return .ok(String(cookie ?? ""))
            }
            return .ok(
                "",
                headers: "Set-Cookie: wide=1; Domain=co.uk\r\nSet-Cookie: own=2; Domain=bank.co.uk\r\n")
        }
        defer { server.stop() }
        var configuration = CurlConfiguration()
        configuration.resolve = ["online.bank.co.uk:\(server.port):127.0.0.1"]
        let home = "http://online.bank.co.uk:\(server.port)"
        try await withThrowingTaskGroup { [configuration] group in
            for _ in 0..<32 {
                group.addTask {
                    let session = CurlSession(configuration)
                    for _ in 0..<3 { _ = try await session.send(HTTPRequest("GET", "\(home)/set")) }
                    let answer = try await session.send(HTTPRequest("GET", "\(home)/"))
                    #expect(String(decoding: answer.body, as: UTF8.self) == "Cookie: own=2")
                    await session.close()
                }
            }
            try await group.waitForAll()
        }
    }
}
