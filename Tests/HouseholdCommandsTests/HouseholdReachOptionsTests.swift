import Testing

@testable import HouseholdCommands

@Suite("The name under which other machines reach a broker")
struct HouseholdReachOptionsTests {
    private static func check(_ name: String) throws {
        try HouseholdReachOptions.parse(["--host-name", name]).check(forBroker: true)
    }

    @Test(
        "is a host name or the address of one machine",
        arguments: ["broker.home", "broker", "192.168.1.20", "127.0.0.1", "fd00::1", "::1", "::ffff:10.0.0.7", "none"])
    func accepted(name: String) throws { try Self.check(name) }

    @Test(
        "is not an address of all networks or of many machines: the message says what to give",
        arguments: [
            "0.0.0.0", "0.1.2.3", "224.0.0.251", "255.255.255.255", "::", "0:0:0:0:0:0:0:0", "::0.0.0.0",
            "::ffff:0.0.0.0", "ff02::1",
        ])
    func forMany(name: String) {
        #expect { try Self.check(name) } throws: {
            "\($0)".contains("not the address of one machine")
                && "\($0)".contains("such as broker.home or 192.168.1.20")
        }
    }
}
