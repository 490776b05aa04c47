import Foundation
import Testing

@testable import DeviceTrust

@Suite("Avahi's listing")
struct AvahiListingTests {
    private static let id = "0b5a8c60-3a0e-4c53-9d5c-1a2b3c4d5e6f"
    private static let hex = String(repeating: "ab", count: 32)

    @Test("gives each broker once, with the address that a person can use")
    func brokers() throws {
        let tls = "\"tls_sha256=\(Self.hex)\" \"tls=1\" \"port=8765\" \"id=\(Self.id)\" \"v=1\""
        let output = """
            +;eth0;IPv4;Study\\032Broker;_countersign._tcp;local
            =;eth0;IPv6;Study\\032Broker;_countersign._tcp;local;study.local;2001:db8::5;8765;\(tls)
            =;eth0;IPv4;Study\\032Broker;_countersign._tcp;local;study.local;192.168.1.5;8765;\(tls)
            =;eth0;IPv6;Study\\032Broker;_countersign._tcp;local;study.local;fe80::1;8765;\(tls)
            """
        let brokers = AvahiListing.brokers(in: output)
        let broker = try #require(brokers.first)
        #expect(brokers.count == 1)
        #expect(broker.announcement.name == "Study Broker")
        #expect(broker.endpoint == "https://192.168.1.5:8765")
        #expect(broker.announcement.server.description == Self.id)
        #expect(broker.announcement.certificate?.hex == Self.hex)
    }

    @Test(
        "skips services that are not our brokers",
        arguments: [
            "=;eth0;IPv4;x;_countersign._tcp;local;h;192.168.1.5;0;\"v=1\" \"id=\(id)\" \"tls=0\"",
            "=;eth0;IPv4;x;_countersign._tcp;local;h;192.168.1.5;80;\"v=2\" \"id=\(id)\" \"tls=0\"",
            "=;eth0;IPv4;x;_countersign._tcp;local;h;192.168.1.5;80;\"v=1\" \"id=no\" \"tls=0\"",
            "=;eth0;IPv4;x;_countersign._tcp;local;h;192.168.1.5;80;\"v=1\" \"id=\(id)\" \"tls=1\"",
            "=;eth0;IPv4;x;_countersign._tcp;local;h;192.168.1.5;80;\"v=1\" \"id=\(id)\" \"tls=0\" \"tls_sha256=\(hex)\"",
            "=;eth0;IPv4;x;_http._tcp;local;h;192.168.1.5;80;\"v=1\" \"id=\(id)\" \"tls=0\"", "=;;;", "", ";;;;;;;;;",
        ])
    func others(line: String) {
        #expect(AvahiListing.brokers(in: line).isEmpty)
    }

    @Test("shows a name with invisible characters as “a broker”")
    func names() {
        let line = "=;e;IPv4;\\226\\128\\174x;_countersign._tcp;local;h;10.0.0.1;80;\"v=1\" \"id=\(Self.id)\" \"tls=0\""
        #expect(AvahiListing.brokers(in: line).map(\.announcement.name) == ["a broker"])
    }

    @Test("cuts a long name to the limit of DNS-SD, without a space at its end")
    func longNames() throws {
        let name = String(repeating: "字", count: 20) + "ab\\032s"
        let line = "=;e;IPv4;\(name);_countersign._tcp;local;h;10.0.0.1;80;\"v=1\" \"id=\(Self.id)\" \"tls=0\""
        let broker = try #require(AvahiListing.brokers(in: line).first)
        #expect(broker.announcement.name == String(repeating: "字", count: 20) + "ab")
        let server = broker.announcement.server
        let family = String(repeating: "\u{1F468}\u{200D}", count: 20)
        #expect(BrokerAnnouncement(name: family, port: 80, certificate: nil, server: server).name == "a broker")
    }

    @Test("needs Avahi's programs, and says so when they are missing")
    func notInstalled() async {
        let service = AvahiService(path: "/nonexistent")
        let error = await #expect(throws: DiscoveryError.self) { try await service.brokers(within: .seconds(1)) }
        #expect(error?.code == .notInstalled)
        #expect(error?.message.contains("avahi-utils") == true)
    }
}
