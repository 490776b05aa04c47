import NIOCore
import Testing

@testable import WebServing

@Suite("The address of a client's machine")
struct MachineAddressTests {
    @Test(
        "is the same on a socket for both families, and counts as one address",
        arguments: [
            ("192.0.2.1", "192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1", "192.0.2.1"),
            ("::ffff:127.0.0.1", "127.0.0.1", "127.0.0.1"), ("::1", "::1", "0.0.0.0.0.0.0.0"),
            ("2001:db8::7", "2001:db8::7", "32.1.13.184.0.0.0.0"), ("::ff:192.0.2.1", nil, "0.0.0.0.0.0.0.0"),
        ] as [(String, String?, String)])
    func machine(_ text: String, _ machine: String?, _ origin: String) throws {
        let address = try SocketAddress(ipAddress: text, port: 4711)
        #expect(address.machine == machine ?? address.ipAddress)
        #expect(OpenConnections.origin(of: address) == origin)
        #expect(OpenConnections.origin(of: text) == origin)
    }
}
