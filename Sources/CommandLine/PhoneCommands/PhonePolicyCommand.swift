import ArgumentParser
import Automation
import Encodings
import Foundation
import HouseholdCommands
import KeyVault
import Machine
import Phone
import PhoneStore
import Secrets
import Storage
import Terminal

struct PhonePolicyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "policy", abstract: "Accept policy.yaml and the accepted scripts as they are now.",
        subcommands: [PhonePolicyAcceptCommand.self])
}

struct PhonePolicyAcceptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accept", abstract: "Accept them as they are now, so that the vault vouches for them.",
        discussion: """
            An approval is refused when another program has changed policy.yaml, or accepted a script in your name. After \
            you have changed one of them yourself, read what this command shows and confirm it with the passphrase.
            """)

    @OptionGroup var vault: VaultOptions

    func run() async throws {
        try await vault.reportingFailures {
            let home = try vault.home.phone()
            let console = Console.standard
            if let policy = OpenedFile.text(of: home.policyFile, atMost: 1 << 20) {
                console.line("policy.yaml", .bold)
                for line in policy.split(whereSeparator: \.isNewline) { console.line("  \(String(line).visible)") }
            } else if FileManager.default.fileExists(atPath: home.policyFile.path) {
                throw CommandFailure("\(home.policyFile.path) cannot be read as text; fix it or remove it")
            } else {
                console.line("policy.yaml is missing: no request needs more than one verification here.")
            }
            let scripts = try VouchedFiles(of: home).scripts
            console.line(scripts.isEmpty ? "No script is accepted." : "Accepted scripts:")
            for digest in scripts.sorted() { console.line("  \(digest)") }
            let secrets = try await home.open(
                PassphraseVerification(try vault.passphrase("Passphrase of the vault, to vouch:")),
                reason: "Vouch for the policy and the accepted scripts")
            defer { secrets.close() }
            let vouched = try await VouchedFiles.vouch(for: home, in: secrets)
            try await PhoneDatabase(home).audit.record(
                AuditEvent(
                    .policyAccepted, severity: .warning,
                    details: [
                        "policy": vouched.policy.map(JSONValue.string) ?? .null,
                        "scripts": .array(vouched.scripts.sorted().map(JSONValue.string)),
                    ]))
            console.line("The vault vouches for them.", .good)
            if home.isPageOpen {
                console.paragraph(
                    "The phone runs with the scripts that were accepted when it started. After a change of a script, stop it and "
                        + "start it again: countersign up --stop, then countersign up")
            }
        }
    }
}
