import ArgumentParser
import Foundation
import Machine
import Terminal

package struct BrokerRestoreCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Put a backup of `broker backup --all` in place.",
        discussion: """
            Checks every file against the backup's list first, and overwrites nothing. The variables of `broker serve` say \
            where each part goes: BROKER_DATABASE_PATH, BROKER_ARCHIVE_PATH and BROKER_POLICY_FILE, on this machine or at \
            a new place. The sealing secret goes beside the database, unless BROKER_SEALING_SECRET already is that secret. \
            Without such variables, a household goes back to its folder, or to this user's.

            The database learns where its documents are now, and comes last. Then start the broker, or run `countersign up`. \
            Exit status: 0 all is in place and the audit log is whole, 1 otherwise.
            """)

    @Argument(help: "The folder that `broker backup --all` made.")
    var folder: String

    package init() {}

    package func run() async throws {
        try await reportingFailures {
            let own = ServiceCredentials.completing(ProcessInfo.processInfo.environment)
            let source = URL(filePath: TypedPath.expanded(folder), directoryHint: .isDirectory).standardizedFileURL
            let receipt = try await untilStopped {
                let restoration = try await Restoration(of: source)
                guard let household = restoration.household else {
                    return try await Self.perform(restoration, .ofBroker(own))
                }
                guard !HouseholdFile.isOverridden(own) else {
                    Console.standard.line("The household's file stays in the backup: variables configure this broker.")
                    return try await Self.perform(restoration, .ofBroker(own))
                }
                let (places, file) = try BrokerPlaces.ofHousehold(
                    Data(OpenedFile(household).bytes(atMost: 1 << 20)), own)
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
