import ArgumentParser
import Encodings
import Foundation
import HouseholdCommands
import Secrets
import Terminal

package struct BrokerRestoreCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Put a backup of `broker backup` in place.",
        discussion: """
            Opens an encrypted backup with its passphrase, checks every file first, and overwrites nothing. The variables of `broker serve` say \
            where each part goes: BROKER_DATABASE_PATH, BROKER_ARCHIVE_PATH and BROKER_POLICY_FILE, on this machine or at \
            a new place. The sealing secret goes beside the database, unless BROKER_SEALING_SECRET already is that secret. \
            Without such variables, a household goes back to its folder, or to this user's.

            A backup of the database alone comes back beside its documents, and opens with the sealing secret that is there.

            The database learns where its documents are now, and comes last. Then start the broker, or run `countersign up`. \
            Exit status: 0 all is in place and the audit log is whole, 1 otherwise.
            """)

    @Option(
        help: ArgumentHelp(
            "A file whose first line is the backup's passphrase; - for standard input. Without it you are asked.",
            valueName: "file"))
    var passphraseFile: String?

    @Flag(help: "Take a backup that is not encrypted. Nothing shows who wrote it, so take your own alone.")
    var plain = false

    @Argument(help: "The folder that `broker backup` made.")
    var folder: String

    package init() {}

    package func run() async throws {
        try await reportingFailures {
            let own = ServiceCredentials.completing(ProcessInfo.processInfo.environment)
            let source = URL(filePath: TypedPath.expanded(folder), directoryHint: .isDirectory).standardizedFileURL
            let isSealed = try BackupList.isSealed(source)
            guard isSealed || passphraseFile == nil else {
                throw CommandFailure(
                    "\(source.path) is not encrypted, so a passphrase does not show that it is yours: an encrypted backup may "
                        + "have been exchanged for it. If you made it with --plain, or with 0.1.0, give --plain instead",
                    status: 2)
            }
            let passphrase = try isSealed ? self.passphrase() : nil
            let receipt = try await untilStopped {
                let restoration = try await Restoration(of: source, passphrase: passphrase)
                let household = try restoration.household()
                var (places, restored): (BrokerPlaces, HouseholdFile?) = (try .ofBroker(own), nil)
                if let household {
                    if HouseholdFile.isOverridden(own) {
                        Console.standard.line(
                            "The household's file stays in the backup: variables configure this broker.")
                    } else {
                        (places, restored) = try BrokerPlaces.ofHousehold(Data(household), own)
                    }
                }
                if !isSealed { try confirm(source, into: places, restored?.settings) }
                return try await Self.perform(restoration, places, restored)
            }
            guard receipt.audit.isIntact else {
                throw CommandFailure(
                    "the broker is restored, but its audit log was changed before the backup was made: \(receipt.audit)"
                )
            }
            Console.standard.line("The audit log is whole: \(receipt.audit).")
        }
    }

    /// Asks whether a backup is the person's own, of which nothing shows who wrote it.
    private func confirm(_ source: URL, into places: BrokerPlaces, _ settings: HouseholdSettings?) throws {
        guard !plain else { return }
        let words =
            "\(source.path) is not encrypted: nothing shows who wrote it, and the broker will trust what it holds."
        guard Asking.isPossible else {
            throw CommandFailure("\(words) If it is your own, give --plain", status: 2)
        }
        Console.standard.line(words)
        Console.standard.line("The database goes to \(places.database.path)")
        if let archive = places.archive { Console.standard.line("The archive goes to \(archive.path)") }
        for (name, value) in settings?.shown ?? [] {
            let isSecret = Setting.all.contains { $0.name == name && $0.isSecret }
            Console.standard.line(
                "The household's setting \(name) is \(isSecret ? "••••••••" : value.inLine(limit: 200))")
        }
        guard Asking.yes("Is this backup your own, and are these its places?") else {
            throw CommandFailure("nothing was restored")
        }
    }

    private func passphrase() throws -> Secret {
        if let passphraseFile { return try Asking.secret(inFile: passphraseFile) }
        guard Asking.isPossible else {
            throw CommandFailure("the backup is encrypted; without a terminal, give --passphrase-file", status: 2)
        }
        guard let typed = Asking.secret("Passphrase of the backup:"), !typed.isEmpty else {
            throw CommandFailure("no passphrase was given")
        }
        return typed
    }

    private static func perform(
        _ restoration: Restoration, _ places: BrokerPlaces, _ household: HouseholdFile? = nil
    ) async throws -> Restoration.Receipt {
        let receipt = try await restoration.perform(into: places, household: household?.bytes)
        let folder = places.archive.map { " in \($0.path)" } ?? ""
        let archived = receipt.archived.map { ", \($0) files of the archive\(folder)" } ?? ""
        Console.standard.line(
            "\(places.database.path): \(receipt.requests) requests, \(receipt.statements) documents\(archived), all as they "
                + "were backed up")
        if receipt.archived != nil, let archive = places.archive {
            let words = "The archive is in \(archive.path)"
            if let old = places.occupiedArchive {
                Console.standard.paragraph(
                    "\(words), because \(old.path) has files already, and restoring overwrites nothing. New documents are filed there, "
                        + "too. For one folder again, compare the two, and choose it with: countersign up --statements FOLDER"
                )
            } else {
                Console.standard.line("\(words).")
            }
        }
        if let settings = household?.settings, !settings.names.isEmpty {
            Console.standard.paragraph(
                "The household has its settings again: \(settings.names.sorted().map { $0.inLine(limit: 60) }.listed). Look with: "
                    + "countersign config show")
        }
        Console.standard.line(
            "Phones and agents that were removed after the backup was made are known again. Look before you start the "
                + "broker: countersign devices list, countersign agent list.")
        return receipt
    }
}
