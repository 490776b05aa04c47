import CurlClient
import Foundation
import Testing

@Suite("A session's own authorities")
struct AuthoritiesTests {
    private func withServers(_ body: (TLSServer, TLSServer, URL) async throws -> Void) async throws {
        let (first, second) = (try await TLSServer(), try await TLSServer())
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).pem")
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await body(first, second, file))
        } catch {
            outcome = .failure(error)
        }
        await first.stop()
        await second.stop()
        try? FileManager.default.removeItem(at: file)
        try outcome.get()
    }

    /// Returns the error of a new session's exchange, or nil when it has an answer.
    private func refusal(_ server: TLSServer, trusting file: URL) async -> CurlError.Code? {
        var configuration = CurlConfiguration()
        configuration.extraCAFile = file
        let session = CurlSession(configuration)
        var code: CurlError.Code?
        do {
            _ = try await session.send(HTTPRequest("GET", server.url))
        } catch {
            code = error.code
        }
        await session.close()
        return code
    }

    @Test("are those in the file when the session begins: removed ones are no longer trusted")
    func changed() async throws {
        try await withServers { first, second, file in
            let (one, other) = (try Data(contentsOf: first.authority), try Data(contentsOf: second.authority))
            for _ in 0..<2 {
                try one.write(to: file)
                #expect(await refusal(first, trusting: file) == nil)
                #expect(await refusal(second, trusting: file) == .tls)
                // In place, at the same moment, and often of the same length.
                try other.write(to: file)
                #expect(await refusal(first, trusting: file) == .tls)
                #expect(await refusal(second, trusting: file) == nil)
                try (one + Data("\n".utf8) + other).write(to: file)
                #expect(await refusal(first, trusting: file) == nil)
                #expect(await refusal(second, trusting: file) == nil)
                try Data("no certificate\n".utf8).write(to: file)
                #expect(await refusal(first, trusting: file) == .tls)
            }
        }
    }

    @Test("belong to one session, however many sessions there are")
    func together() async throws {
        try await withServers { first, second, file in
            await withTaskGroup { group in
                for number in 0..<12 {
                    let (server, other) = number.isMultiple(of: 2) ? (first, second) : (second, first)
                    group.addTask {
                        #expect(await refusal(server, trusting: server.authority) == nil)
                        #expect(await refusal(server, trusting: other.authority) == .tls)
                    }
                }
            }
        }
    }
}
