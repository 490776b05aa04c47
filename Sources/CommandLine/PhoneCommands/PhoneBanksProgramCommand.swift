import ArgumentParser
import Automation
import BankScript
import CountersignPlugins
import Encodings
import Foundation
import HouseholdCommands
import Machine
import Phone
import ScriptCommands
import Terminal

struct PhoneBanksProgramCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "program",
        abstract: "Have a program, such as your password manager, give a credential at each visit.",
        discussion: """
            The first line that it prints is the credential, and is kept nowhere. It runs as you, after you have approved a request, \
            and has a minute; it cannot ask at this terminal. It is tried once before anything is stored. `phone banks change` puts \
            a value in its place. With --provider, a plug-in of this program gives it instead. Stop `countersign phone serve` first.
            """)

    @Argument(help: "The bank's id.", completion: .ownBanks)
    var bank: String

    @Argument(help: "The credential's name, such as password.")
    var credential: String

    @Argument(parsing: .postTerminator, help: "After --, the program and its arguments.")
    var command: [String] = []

    @Option(
        help: "In place of a program, the name of a plug-in's credential provider (countersign script plugins list).")
    var provider: String?

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup var vault: VaultOptions

    @OptionGroup var scripts: ScriptFolderOptions

    func run() async throws {
        try await vault.withCredentials(changing: true) { stored in
            try await scripts.checkIsKnown(bank, to: stored)
            try scripts.checkIsAccepted(bank, in: vault.home.folder)
            try checkIsDeclared()
            if let provider { return try await set(provider, in: stored) }
            let program = try program()
            Console.standard.line("The \(credential) of \(bank) is the first line that this program prints:")
            Console.standard.line("  " + program.command.joined(separator: " "))
            if !yes { try Asking.confirmChange("It runs as you, at each visit that you approve. Go on?") }
            do {
                try await program.credential(named: credential, ofBank: bank).wipe()
            } catch let failure as RunFailure {
                throw CommandFailure("nothing was changed: \(failure.message)")
            }
            try await stored.set(program, for: credential, ofBank: bank)
            Console.standard.line("It answered, and is stored; a value that was kept before is removed")
        }
    }

    private func set(_ provider: String, in stored: CredentialVault) async throws {
        guard command.isEmpty else { throw CommandFailure("give a program or --provider, and not both", status: 2) }
        let plugged = PluggedCredentials(Plugins.current.credentials)
        try plugged.check(provider)
        Console.standard.line("The \(credential) of \(bank) is what the plug-in “\(provider)” gives.")
        if !yes { try Asking.confirmChange("It is asked at each visit that you approve. Go on?") }
        do {
            try await plugged.credential(of: provider, named: credential, ofBank: bank).wipe()
        } catch let failure as RunFailure {
            throw CommandFailure("nothing was changed: \(failure.message)")
        }
        try await stored.set(provider: provider, for: credential, ofBank: bank)
        Console.standard.line("It answered, and is stored; a value that was kept before is removed")
    }

    private func program() throws -> CredentialProgram {
        guard let name = command.first else {
            throw CommandFailure(
                "name the program after --, for example: countersign phone banks program \(bank.inLine(limit: 64)) password -- pass "
                    + "show banks/\(bank.inLine(limit: 64))", status: 2)
        }
        guard !name.hasPrefix("/") else { return try CredentialProgram(command) }
        let folders = ProcessInfo.processInfo.environment["PATH"] ?? ""
        guard let path = InstalledProgram.path(of: name, in: folders) else {
            throw CommandFailure(
                "PATH leads to no program “\(name.inLine(limit: 60))”; give its full path", status: 2)
        }
        return try CredentialProgram([path] + command.dropFirst())
    }

    private func checkIsDeclared() throws {
        let script = try scripts.script(ofBank: bank)
        let declared = script.map { $0.credentials + ($0.exchange?.gives ?? []) } ?? BankScript.usualCredentials
        guard !declared.contains(credential) else { return }
        let meant = nearest(to: credential, among: declared).map { "; did you mean “\($0)”?" } ?? ""
        throw CommandFailure(
            "“\(credential.inLine(limit: 60))” is not a credential of \(bank), which has \(declared.joined(separator: ", "))\(meant)",
            status: 2)
    }
}
