import ArgumentParser
import Foundation
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

    @Argument(help: "The folder that `broker backup` made.")
    var folder: String

    package init() {}

    package func run() async throws {
        try await reportingFailures {
            let own = ServiceCredentials.completing(ProcessInfo.processInfo.environment)
            let source = URL(filePath: TypedPath.expanded(folder), directoryHint: .isDirectory).standardizedFileURL
            let passphrase = try BackupList.isSealed(source) ? self.passphrase() : nil
            let receipt = try await untilStopped {
                let restoration = try await Restoration(of: source, passphrase: passphrase)
                guard let household = try restoration.household() else {
                    return try await Self.perform(restoration, .ofBroker(own))
                }
                guard !HouseholdFile.isOverridden(own) else {
                    Console.standard.line("The household's file stays in the backup: variables configure this broker.")
                    return try await Self.perform(restoration, .ofBroker(own))
                }
                let (places, file) = try BrokerPlaces.ofHousehold(Data(household), own)
                return try await Self.perform(restoration, places, file)
            }
            guard receipt.audit.isIntact else {
                throw CommandFailure(
                    "the broker is restored, but its audit log was changed before the backup was made: \(receipt.audit)"
                )
            }
            Console.standard.line("The audit log is whole: \(receipt.audit).")
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
        _ restoration: Restoration, _ places: BrokerPlaces, _ household: [UInt8]? = nil
    ) async throws -> Restoration.Receipt {
        let receipt = try await restoration.perform(into: places, household: household)
        let archived = receipt.archived.map { ", \($0) files of the archive" } ?? ""
        Console.standard.line(
            "\(places.database.path): \(receipt.requests) requests, \(receipt.statements) documents\(archived), all as they "
                + "were backed up")
        Console.standard.line(
            "Phones and agents that were removed after the backup was made are known again. Look before you start the "
                + "broker: countersign devices list, countersign agents list.")
        return receipt
    }
}
