import ArgumentParser
import Clocks
import Foundation
import HouseholdCommands
import KeyVault
import Phone
import Terminal

struct PhoneBanksConnectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "connect",
        abstract: "Connect a bank whose interface wants your yes, or connect it again.",
        discussion: """
            The bank's page opens in your browser. What the bank gives afterwards is sealed in the vault and renewed there. A run \
            in another program goes on with what was there before.
            """)

    @Argument(help: "The bank's id.", completion: .ownBanks)
    var bank: String

    @OptionGroup var phone: PhoneOptions

    @Flag(help: "Paste the address that the browser shows in the end, because it is on another machine.")
    var paste = false

    func run() async throws {
        try await phone.vault.reportingFailures {
            let home = try phone.vault.home.phone()
            let services = try phone.services
            guard let script = services.scripts.script(forBank: bank) else {
                throw CommandFailure(
                    "no accepted script is for the bank “\(bank)”; see: countersign script list", status: 2)
            }
            let secrets = try await home.open(
                PassphraseVerification(try phone.passphrase()), reason: "Connect \(script.name)")
            defer { secrets.close() }
            let end = try await BankConnection(home: home, secrets: secrets, services: services).connect(
                script, with: TerminalBrowser(pastes: paste))
            Console.standard.line(
                "Connected: \(script.name)" + (end.map { "; your consent ends on \($0.inWords())" } ?? ""))
        }
    }
}
