import ArgumentParser
import Foundation
import HouseholdCommands
import KeyVault
import Messages
import Phone
import Secrets
import Terminal

struct PhoneFailuresCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "failures", abstract: "Show where a run failed, to mend its script.",
        discussion: """
            The phone keeps a description and the sanitised page of a failed run, encrypted under the vault's key. Without a \
            request, this command lists the requests with a report.
            """)

    @Argument(help: "The request's id, or its first digits.")
    var request: String?

    @OptionGroup var vault: VaultOptions

    @Flag(help: "Print the sanitised page instead of the description.")
    var page = false

    func run() async throws {
        try await vault.reportingFailures {
            let home = try vault.home.phone()
            let secrets = try await home.open(
                PassphraseVerification(try vault.passphrase()), reason: "Show failed runs")
            defer { secrets.close() }
            let reports = try await FailureReports(of: home, in: secrets)
            let all = reports.requests()
            guard let request else {
                for id in all { Console.standard.line("\(id)") }
                if all.isEmpty { Console.standard.line("no run has left a report") }
                return
            }
            let found = all.filter { $0.description.hasPrefix(request.lowercased()) }
            guard let id = found.first, found.count == 1 else {
                throw CommandFailure(
                    "\(found.count) reports begin with \(request); list them: countersign phone failures")
            }
            guard let text = try reports.text(page ? .page : .description, of: id) else {
                throw CommandFailure("the report of \(id) has no \(page ? "page" : "description")")
            }
            Console.standard.text(text)
        }
    }
}
