import ArgumentParser
import Broker
import BrokerStore
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
        let check = BrokerCheck(try environment.configuration(), authority: authority.map { URL(filePath: $0) })
        let findings = await check.findings()
        for finding in findings {
            Console.standard.line((finding.isGood ? "✓ " : "✗ ") + finding.text, finding.isGood ? .good : .bad)
        }
        guard findings.allSatisfy(\.isGood) else { throw ExitCode(1) }
    }
}

struct BrokerBackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copy the broker's database consistently, even while the broker runs.",
        discussion: """
            The database is the one of `broker serve` (BROKER_DATABASE_PATH). The copy has mode 0600. It does not include \
            the accepted PDFs, which are in the folder `statements` beside the database.
            """)

    @Argument(help: "The path of the copy; the file must not exist yet.")
    var file: String

    func run() throws {
        let environment = try HouseholdFile.completing(ProcessInfo.processInfo.environment)
        let database = BrokerConfiguration.database(environment)
        do {
            let receipt = try BrokerBackup.write(database, to: URL(filePath: file).standardizedFileURL)
            Console.standard.line("\(file): \(receipt.requests) requests, \(receipt.bytes) bytes, integrity ok")
        } catch {
            throw CommandFailure(error.description)
        }
    }
}
