import CurlClient
import Foundation
import Testing

@Suite("Pinned certificates and keys")
struct PinTests {
    private func withServer(
        names: [String] = [], lifetime: TimeInterval = 86_400, _ body: (TLSServer) async throws -> Void
    ) async throws {
        let server = try await TLSServer(names: names, lifetime: lifetime)
        do {
            try await body(server)
            await server.stop()
        } catch {
            await server.stop()
            throw error
        }
    }

    private func answer(_ url: String, _ configuration: CurlConfiguration) async -> Outcome {
        let session = CurlSession(configuration)
        var outcome = Outcome()
        do {
            let request = HTTPRequest("POST", url, headers: [HTTPHeader("Authorization", "Bearer x")], body: [1, 2, 3])
            outcome.status = try await session.send(request).status
        } catch {
            outcome.error = error
        }
        await session.close()
        return outcome
    }

    private func pinned(_ certificates: String...) -> CurlConfiguration {
        var configuration = CurlConfiguration()
        configuration.pinnedCertificates = certificates
        return configuration
    }

    @Test(
        "replace the chain: its authority, names and dates do not count",
        arguments: [86_400.0, -3600.0])
    func accepted(lifetime: TimeInterval) async throws {
        try await withServer(lifetime: lifetime) { server in
            #expect(await answer(server.url, CurlConfiguration()).error?.code == .tls)
            #expect(server.received == 0)
            #expect(await answer(server.url, pinned(server.certificate)).status == 200)
            #expect(await answer(server.url, pinned(server.certificate.uppercased())).status == 200)
            let byName = "https://localhost:\(server.port)"
            #expect(await answer(byName, pinned(server.certificate)).status == 200)
            let other = String(repeating: "0", count: 64)
            #expect(await answer(server.url, pinned(other, server.certificate)).status == 200)
        }
    }

    static let others = [
        String(repeating: "0", count: 64), "", "no digest", String(repeating: "0", count: 63),
        String(repeating: "é", count: 64),
    ]

    @Test("refuse any other certificate before a byte of HTTP is sent, and report it", arguments: others)
    func refused(pin: String) async throws {
        try await withServer { server in
            var configuration = pinned(pin)
            // An authority that signed the certificate does not help.
            configuration.extraCAFile = server.authority
            let error = try #require(await answer(server.url, configuration).error)
            #expect(error.code == .pinMismatch)
            #expect(error.peerCertificate == server.certificate)
            #expect(error.message.contains(server.certificate) && error.message.contains("nothing was sent"))
            #expect(server.received == 0)
        }
    }

    @Test("apply to every exchange of a session, on reused and new connections")
    func everyExchange() async throws {
        let (first, second) = (try await TLSServer(), try await TLSServer())
        let session = CurlSession(pinned(first.certificate))
        #expect(try await session.send(HTTPRequest("GET", first.url)).status == 200)
        #expect(try await session.send(HTTPRequest("GET", first.url)).head.reusedConnection)
        for _ in 0..<2 {
            let error = await #expect(throws: CurlError.self) {
                try await session.send(HTTPRequest("GET", second.url))
            }
            #expect(error?.code == .pinMismatch && error?.peerCertificate == second.certificate)
        }
        #expect(second.received == 0)
        #expect(try await session.send(HTTPRequest("GET", first.url)).status == 200)
        await session.close()
        await first.stop()
        await second.stop()
    }

    @Test("refuse plain HTTP, which has no certificate")
    func plain() async throws {
        let server = try RawServer { _, _ in .ok("x") }
        defer { server.stop() }
        let error = await answer(server.url, pinned(String(repeating: "0", count: 64))).error
        #expect(error?.code == .pinMismatch && server.connections == 0)
    }

    @Test("a certificate can be read without a byte of HTTP")
    func looking() async throws {
        let server = try await TLSServer()
        let seen = try await CurlSession.peerCertificate(of: server.url)
        #expect(seen == server.certificate && server.received == 0)
        await server.stop()
        let plain = try RawServer { _, _ in .ok("x") }
        defer { plain.stop() }
        for url in ["https://127.0.0.1:\(plain.port)", plain.url, "https://127.0.0.1:1"] {
            await #expect(throws: CurlError.self) { try await CurlSession.peerCertificate(of: url) }
        }
    }

    @Test("of a public key apply only to their origin, in addition to the chain")
    func publicKeys() async throws {
        try await withServer { server in
            var configuration = CurlConfiguration()
            configuration.extraCAFile = server.authority
            let wrong = Data(repeating: 0, count: 32).base64EncodedString()
            for (origin, keys, isAccepted) in [
                (server.url, [server.publicKey], true), (server.url, [wrong, server.publicKey], true),
                (server.url, [wrong], false), ("https://127.0.0.1:1", [wrong], true),
            ] {
                configuration.pinnedPublicKeys = [origin: keys]
                let before = server.received
                let result = await answer(server.url + "/path", configuration)
                #expect((result.status == 200) == isAccepted)
                if !isAccepted {
                    #expect(result.error?.code == .pinMismatch)
                    #expect(server.received == before)
                }
            }
            configuration.pinnedPublicKeys = [server.url: [server.publicKey]]
            configuration.extraCAFile = nil
            #expect(await answer(server.url, configuration).error?.code == .tls, "the chain counts as well")
        }
    }
}

/// The result of an exchange: one of the two is set.
private struct Outcome {
    var status: Int?
    var error: CurlError?
}
