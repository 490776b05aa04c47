import ArgumentParser
import Broker
import CountersignPlugins
import Foundation
import Terminal

struct BrokerCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check that the running broker works.",
        discussion: "Reads the same variables as `broker serve`. Exit status: 0 every check passed, 1 one failed.")

    @OptionGroup var environment: BrokerEnvironmentOptions

    @Option(help: "A PEM file with the authority of the broker's certificate (BROKER_CA_FILE).")
    var caFile: String?

    func run() async throws {
        let authority = caFile ?? ProcessInfo.processInfo.environment["BROKER_CA_FILE"]
        let check = BrokerCheck(
            try environment.configuration(), authority: authority.map { URL(filePath: $0) },
            channels: Plugins.current.channels)
        let findings = await check.findings()
        for finding in findings {
            Console.standard.line((finding.isGood ? "✓ " : "✗ ") + finding.text, finding.isGood ? .good : .bad)
        }
        guard findings.allSatisfy(\.isGood) else { throw ExitCode(1) }
    }
}
