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
            The broker is the one of `broker serve` (BROKER_DATABASE_PATH), else the household's. A folder of mode 0700 \
            receives the database. With --all it also receives the secret that seals the database, the accepted documents, \
            the archive with its index (BROKER_ARCHIVE_PATH), the policy (BROKER_POLICY_FILE), and the household's file \
            with the agent's token and your settings. Other variables of a broker, files that settings name, and the phone \
            with its vault, are not in it.

            Every file is encrypted under a passphrase (AES-256-GCM, scrypt), which you are asked for; an empty answer \
            generates one. Without the passphrase, the backup cannot be opened by anyone, so keep it, and keep it apart \
            from the backup. The folder shows the number, sizes and times of the files. Its list SHA256SUMS comes last: a \
            folder without the list is not a backup. `broker restore` puts it in place.

            With --plain nothing is encrypted; the database alone is then a file.
            """)

    @Flag(help: "Copy everything that the broker needs.")
    var all = false

    @OptionGroup var options: BackupProtectionOptions

    @Argument(help: "The folder of the backup, or the file of a plain database; it must not exist yet.")
    var path: String

    package init() {}

    package func run() async throws {
        try await reportingFailures {
            let own = ProcessInfo.processInfo.environment
            let copy = URL(filePath: TypedPath.expanded(path)).standardizedFileURL
            let environment = try HouseholdFile.completing(own)
            guard all || !options.plain else {
                let receipt = try BrokerBackup.write(BrokerConfiguration.database(environment), to: copy)
                await OwnerRecords.record(
                    .brokerBackedUp, ["file": .string(copy.path), "all": false, "encrypted": false])
                Console.standard.line("\(path): \(receipt.requests) requests, \(receipt.bytes) bytes, integrity ok")
                Console.standard.line("It is not encrypted: names, months and the audit log can be read in it.")
                return
            }
            // Before anything is asked: a person should not make up a passphrase for nothing.
            guard !FileManager.default.fileExists(atPath: copy.path) else {
                throw BackupError(.occupied, "\(copy.path) exists already; name a new folder for the backup")
            }
            try BrokerDatabase.checkExists(BrokerConfiguration.database(environment))
            try FileManager.default.checkFolder(ofNew: path)
            let extent: BackupWriter.Extent =
                all ? .all(sealing: try BrokerAdministration(environment: environment).sealingSecret()) : .database
            let writer = BackupWriter(try .ofBroker(own), extent, protection: try options.protection())
            let receipt = try await untilStopped { try await writer.write(to: copy) }
            await OwnerRecords.record(
                .brokerBackedUp,
                ["file": .string(copy.path), "all": .bool(all), "encrypted": .bool(!options.plain)])
            say(receipt)
        }
    }

    private func say(_ receipt: BackupWriter.Receipt) {
        for path in receipt.leftOut {
            Console.standard.line("left out, because it is not a file: \(path.inLine(limit: 1000)) in the archive")
        }
        let documents = all ? ", \(receipt.statements) documents" : ""
        let archived = receipt.archived.map { ", \($0) files of the archive" } ?? ""
        Console.standard.line(
            "\(path): \(receipt.requests) requests\(documents)\(archived), \(receipt.bytes) bytes, integrity ok")
        Console.standard.line(
            options.plain
                ? "It is not encrypted, and has the secrets of the broker in it: keep it where only you can read it."
                : "It opens with its passphrase only. Keep the passphrase, and keep it apart from the backup.")
    }
}
