import ArgumentParser
import Broker
import BrokerStore
import Encodings
import Foundation
import Terminal

package struct BrokerBackupCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copy the broker's database, or all that the broker needs, while it runs.",
        discussion: """
            The broker is the one of `broker serve` (BROKER_DATABASE_PATH), else the household's. The copy of the database \
            alone is a file of mode 0600.

            With --all, a folder of mode 0700 receives the database, the secret that seals it, the accepted documents, the \
            archive with its index (BROKER_ARCHIVE_PATH), the policy (BROKER_POLICY_FILE), and the household's file with \
            the agent's token. Its list SHA256SUMS comes last: a folder without the list is not a backup. The broker's other \
            variables, and the phone with its vault, are not in it. Keep the folder where only you can read it. \
            `broker restore` puts it in place.
            """)

    @Flag(help: "Copy everything that the broker needs, into a folder.")
    var all = false

    @Argument(help: "The path of the copy, a file, or a folder with --all; it must not exist yet.")
    var path: String

    package init() {}

    package func run() async throws {
        try await reportingFailures {
            let own = ProcessInfo.processInfo.environment
            let copy = URL(filePath: TypedPath.expanded(path)).standardizedFileURL
            let environment = try HouseholdFile.completing(own)
            guard all else {
                let database = BrokerConfiguration.database(environment)
                let receipt = try BrokerBackup.write(database, to: copy)
                await OwnerRecords.record(.brokerBackedUp, ["file": .string(copy.path), "all": false])
                Console.standard.line("\(path): \(receipt.requests) requests, \(receipt.bytes) bytes, integrity ok")
                return
            }
            let secret = try BrokerAdministration(environment: environment).sealingSecret()
            let writer = BackupWriter(try .ofBroker(own), sealing: secret)
            let receipt = try await untilStopped { try await writer.write(to: copy) }
            await OwnerRecords.record(.brokerBackedUp, ["file": .string(copy.path), "all": true])
            for path in receipt.leftOut {
                Console.standard.line("left out, because it is not a file: \(path.inLine(limit: 1000)) in the archive")
            }
            let archived = receipt.archived.map { ", \($0) files of the archive" } ?? ""
            Console.standard.line(
                "\(path): \(receipt.requests) requests, \(receipt.statements) documents\(archived), \(receipt.bytes) "
                    + "bytes, integrity ok")
            Console.standard.line("It has the secrets of the broker in it: keep it where only you can read it.")
        }
    }
}
