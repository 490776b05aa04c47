import ApprovalPage
import CurlClient
import Foundation
import Phone
import PhoneStore
import Secrets
import TestParties
import TestServers
import Testing

@Suite("Another user of the machine takes the page's port", .timeLimit(.minutes(3)))
struct PortSquatterTests {
    @Test("the page does not start beside another program at the same port of ::1", .enabled(if: Squatter.hasIPv6))
    func squatted() async throws {
        try await TestPhone.with { phone in
            let port = try FreePort.find()
            let squatter = try Squatter(port: port)
            defer { squatter.end() }
            var configuration = TestPhone.pageConfiguration
            configuration.port = port
            let error = await #expect(throws: PhoneError.self) {
                try await phone.opening(configuration) { _, _ in }
            }
            #expect(error?.message.contains("port \(port) of ::1 is in use by another program") == true)
        }
    }

    @Test("while the page is open, no other program can listen at its port of ::1", .enabled(if: Squatter.hasIPv6))
    func taken() async throws {
        try await TestPhone.with { phone in
            try await phone.opening { page, _ in
                let port = try #require(URL(string: page.origin)?.port)
                #expect(throws: (any Error).self) { try Squatter(port: port) }
                for host in ["127.0.0.1", "[::1]"] {
                    let answer = try await CurlSession().send(
                        HTTPRequest(
                            "GET", "http://\(host):\(port)/", headers: [HTTPHeader("Host", "localhost:\(port)")]))
                    #expect(answer.status == 200, "\(host)")
                }
            }
        }
    }

    @Test("a phished passphrase signs no thief in without the code from the terminal")
    func phished() async throws {
        try await TestPhone.with { phone in
            try await phone.opening(unlocked: true) { page, _ in
                let thief = PageBrowser(page.origin)
                for path in ["/sign-in", "/at/AAAAAAAAAAAAAAAAAAAAAA/sign-in"] {
                    let answer = try await thief.post(path, form: ["passphrase": TestPhone.passphrase.revealed()])
                    #expect([401, 404].contains(answer.status), "\(path)")
                    #expect(answer.header("Set-Cookie") == nil)
                }
                #expect(
                    try await !thief.page().contains("type=\"password\""), "the bare address asks for no passphrase")
            }
        }
    }
}

/// A program that listens at a port of ::1.
private struct Squatter {
    private let descriptor: Int32

    init(port: Int) throws {
        descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_addr = in6addr_loopback
        address.sin6_port = in_port_t(port).bigEndian
        let length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) == 0 }
        }
        guard isBound, listen(descriptor, 8) == 0 else {
            let code = errno
            close(descriptor)
            throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO)
        }
    }

    func end() { close(descriptor) }

    static var hasIPv6: Bool {
        guard let squatter = try? Squatter(port: 0) else { return false }
        squatter.end()
        return true
    }
}
