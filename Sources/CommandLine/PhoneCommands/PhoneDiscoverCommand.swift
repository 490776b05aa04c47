import ArgumentParser
import DeviceTrust
import Encodings
import Foundation
import Phone
import Terminal

struct PhoneDiscoverCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "discover", abstract: "List the brokers that announce themselves on this network.",
        discussion: "Announcements are not proof: pairing verifies the broker. Needs Avahi (avahi-utils, avahi-daemon)."
    )

    static var browser: any BrokerBrowser { AvahiService() }

    @Option(help: "The time to listen, 1 to 60 seconds.")
    var seconds = 5

    @Flag(help: "Print JSON, one broker per line.")
    var json = false

    func validate() throws {
        guard (1...60).contains(seconds) else { throw ValidationError("--seconds goes from 1 to 60") }
    }

    func run() async throws {
        try await reportingFailures {
            let found: [DiscoveredBroker]
            do {
                found = try await Self.browser.brokers(within: .seconds(seconds))
            } catch {
                // Discovery is a convenience: without Avahi the command finds nothing and succeeds.
                Console.standard.error("\(error)")
                return
            }
            for broker in found { show(broker) }
            if found.isEmpty, !json { Console.standard.line("no broker was found") }
        }
    }

    private func show(_ broker: DiscoveredBroker) {
        let announced = broker.announcement
        if json {
            let line: JSONValue = [
                "name": .string(announced.name), "endpoint": .string(broker.endpoint),
                "server_id": .string("\(announced.server)"), "tls": .bool(announced.certificate != nil),
                "tls_sha256": announced.certificate.map { .string($0.hex) } ?? .null,
            ]
            return Console.standard.line(line.compactText())
        }
        Console.standard.line("\(announced.name)  \(broker.endpoint)", .bold)
        Console.standard.line("  id           \(announced.server)")
        if let certificate = announced.certificate { Console.standard.line("  certificate  \(certificate)") }
    }
}
