import ArgumentParser
import HouseholdCommands
import Secrets
import Terminal

/// The protection of a new backup: a passphrase, or on purpose none.
struct BackupProtectionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A file whose first line is the backup's passphrase; - for standard input. Without it you are asked.",
            valueName: "file"))
    var passphraseFile: String?

    @Flag(help: "Generate the passphrase, and print it once.")
    var generate = false

    @Flag(help: "Do not encrypt the backup, so that anyone who has it can read it.")
    var plain = false

    func validate() throws {
        guard [generate, plain, passphraseFile != nil].count(where: { $0 }) <= 1 else {
            throw ValidationError("--passphrase-file, --generate and --plain exclude each other")
        }
    }

    /// - Returns: nil for a backup that is not encrypted.
    func protection() throws -> BackupProtection? {
        if plain { return nil }
        if generate { return BackupProtection(GeneratedPassphrase.shown(of: "backup")) }
        if let passphraseFile { return BackupProtection(try Asking.newPassphrase(inFile: passphraseFile)) }
        guard Asking.isPossible else {
            throw CommandFailure(
                "without a terminal, give --passphrase-file, --generate, or --plain for a backup that anyone who has it can "
                    + "read", status: 2)
        }
        return BackupProtection(try Asking.newPassphrase("A passphrase for the backup", of: "backup"))
    }
}
