import CurlClient
import Foundation
import TestParties
import Testing

@testable import ApprovalPage

@Suite("The approval page on all networks", .timeLimit(.minutes(3)))
struct EveryNetworkTests {
    /// The addresses of this machine that stand for its networks.
    private static let addresses = ["127.0.0.1"] + (hasIPv6 ? ["[::1]"] : [])

    private static var hasIPv6: Bool {
        let descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_addr = in6addr_loopback
        let size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        return withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) == 0 }
        }
    }

    @Test("it answers to both families at one port")
    func families() async throws {
        try await TestPhone.with { phone in
            var configuration = TestPhone.pageConfiguration
            configuration.hostName = "phone.example"
            configuration.address = PageServerConfiguration.everyNetwork
            configuration.security = .ownAuthority
            _ = try OwnCertificate(in: phone.home, for: "phone.example")
            try await phone.opening(configuration) { page, _ in
                for address in Self.addresses {
                    var trusting = CurlConfiguration()
                    trusting.extraCAFile = PageAuthority.file(in: phone.home.folder, for: "phone.example")
                    trusting.resolve = ["phone.example:\(page.port):\(address)"]
                    let session = CurlSession(trusting)
                    let door = try await session.send(HTTPRequest("GET", page.origin + "/"))
                    #expect(door.status == 200, "\(address)")
                    await session.close()
                }
            }
        }
    }
}
