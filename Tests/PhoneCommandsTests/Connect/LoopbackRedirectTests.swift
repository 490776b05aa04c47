import CurlClient
import Foundation
import Secrets
import Testing

@testable import PhoneCommands

@Suite("A port to which a browser brings a bank's answer")
struct LoopbackRedirectTests {
    private static let state = Secret("Kestrel-state-77")

    /// Asks the port for an address, as a browser or another program does.
    private static func ask(_ address: String) async -> Int {
        let session = CurlSession()
        let answer = try? await session.send(HTTPRequest("GET", address))
        await session.close()
        return answer?.status ?? 0
    }

    @Test("gives the query with the right mark, after requests that have another one")
    func query() async throws {
        let port = try #require(try LoopbackRedirect(nil))
        #expect(port.address.hasPrefix("http://127.0.0.1:"))
        async let back = port.query(bringing: Self.state, until: Date().addingTimeInterval(60))
        for other in ["", "favicon.ico", "?code=a", "?code=a&state=other", "x?code=a&state=Kestrel-state-77"] {
            #expect(await Self.ask(port.address + other) == 404, "\(other)")
        }
        #expect(await Self.ask(port.address + "?code=Quay%209&state=Kestrel-state-77") == 200)
        #expect(try await back?.revealed() == "code=Quay%209&state=Kestrel-state-77")
    }

    @Test("ends when it is stopped, and when its time is over")
    func ends() async throws {
        let port = try #require(try LoopbackRedirect(nil))
        #expect(try await port.query(bringing: Self.state, until: Date()) == nil)
        async let back = port.query(bringing: Self.state, until: Date().addingTimeInterval(3600))
        port.stop()
        #expect(try await back == nil)
    }

    @Test(
        "serves plain http to this machine alone",
        arguments: [
            "https://127.0.0.1:17265/", "http://bank.example/", "http://127.0.0.1.bank.example/", "http://[::1]:4/",
            "http://0.0.0.0:17265/", "com.bank.app:/back", "http://127.0.0.1:17265/?a=1",
        ])
    func elsewhere(address: String) throws {
        #expect(try LoopbackRedirect(address) == nil)
    }

    @Test("says which port is taken")
    func taken() throws {
        let port = try #require(try LoopbackRedirect(nil))
        #expect(throws: (any Error).self) { try LoopbackRedirect(port.address) }
        withExtendedLifetime(port) {}
    }
}
