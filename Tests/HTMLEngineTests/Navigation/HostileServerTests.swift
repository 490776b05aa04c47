import CurlClient
import Foundation
import Testing

@testable import HTMLEngine

@Suite("A hostile server")
struct HostileServerTests {
    enum Hostile: String, CaseIterable, Sendable {
        case gzipBomb, endlessBody, slowBody, silence, headerOfOneMegabyte, manyHeaders, endlessRedirect
        case redirectToItself, endlessRefresh, thirtyMegabytes, tenThousandDivs

        /// The limit's name in the error.
        var limit: String {
            switch self {
            case .gzipBomb, .thirtyMegabytes: "body limit of 16777216 bytes"
            case .endlessBody: "body limit of 16777216 bytes"
            case .slowBody: "whole-exchange limit of 1 s"
            case .silence: "first-byte limit of 300 ms"
            case .headerOfOneMegabyte: "header line over the limit of 102400 bytes"
            case .manyHeaders: "header limit of 262144 bytes"
            case .endlessRedirect, .redirectToItself: "more than 20 redirects"
            case .endlessRefresh: "more than 20 refreshes"
            case .tenThousandDivs: "depth limit of 5120"
            }
        }

        func answer(_ asked: LoopbackSite.Asked) -> LoopbackSite.Answer {
            switch self {
            case .gzipBomb:
                return .init(
                    headers: [("content-type", "text/html"), ("content-encoding", "gzip, gzip")],
                    body: HostileServerTests.bomb)
            case .endlessBody: return .init(delivery: .endless, body: [UInt8](repeating: 0x78, count: 1 << 16))
            case .slowBody: return .init(delivery: .slow, body: [UInt8](repeating: 0x78, count: 1 << 16))
            case .silence: return .init(delivery: .never)
            case .headerOfOneMegabyte: return .html("", headers: [("x-a", String(repeating: "x", count: 1 << 20))])
            case .manyHeaders:
                let line = String(repeating: "x", count: 10_000)
                return .html("", headers: (0..<30).map { ("x-\($0)", line) })
            case .endlessRedirect: return .redirect(asked.target + "a")
            case .redirectToItself: return .redirect(asked.target)
            case .endlessRefresh: return .html("<meta http-equiv=refresh content='0; url=\(asked.target)a'>")
            case .thirtyMegabytes: return .init(body: [UInt8](repeating: 0x78, count: 30 << 20))
            case .tenThousandDivs: return .html(String(repeating: "<div>", count: 10_000))
            }
        }
    }

    /// 100 MB of NULs, compressed twice.
    fileprivate static let bomb = [UInt8](
        Data(
            base64Encoded:
                "H4sIAAAAAAAC/+3cLU4DURSG4WlpyATBj6hCQIJhCRiSYjAYBFgIC2ANnYSgMBgSdoFiATgkruC6AIJAVAFDZ5Zxv+dRVx93T07e"
                + "nbu66gzbz5fBYPlo7v+evuq1CgAAAChc83Gz0i0Dqt12dnx6DgAAAJTuamN91C8Ffi63j4wDAAAAind7eLDZXwh8T69HxgEAAADF"
                + "Gy/mk34X8No+b52ZBwAAABTvXTAAAAAAoggGAAAAQBbBAAAAAMgiGAAAAABhBAMAAAAgi2AAAAAAZBEMAAAAgCyCAQAAABBGMAAA"
                + "AACyCAYAAABAFsEAAAAAyCIYAAAAAGEEAwAAACCLYAAAAABkEQwAAACALIIBAAAAEEYwAAAAALIIBgAAAEAWwQAAAADI8rCYN91h"
                + "wOStnf3W4woAAKBAF8PHvf2T5ddn9R+754awNY4BAA==")!)

    @Test(
        "causes an error that names its limit, and the session continues", .timeLimit(.minutes(3)),
        arguments: Hostile.allCases)
    func hostile(hostile: Hostile) async throws {
        let site: LoopbackSite.Site = { asked in
            asked.path == "/fine" ? .html("<title>Fine</title>") : hostile.answer(asked)
        }
        try await LoopbackSite.run(site) { site in
            let session = try site.session {
                if hostile == .silence { $0.http.limits.firstByte = .milliseconds(300) }
                if hostile == .slowBody { $0.http.limits.whole = .seconds(1) }
            }
            let error = await #expect(throws: (any Error).self) { try await session.open(site.origin + "/start") }
            let message = error.map { "\($0)" } ?? ""
            #expect(message.contains(hostile.limit), "\(message)")
            #expect(!message.contains("xxxx"), "what was sent does not come back in a message")
            // The short limits apply here too, and a busy machine may need several attempts.
            var page: Page?
            for _ in 0..<20 where page == nil { page = try? await session.open(site.origin + "/fine") }
            #expect(page?.title == "Fine")
            await session.close()
        }
    }
}
