import Archive
import BrokerCommands
import BrokerStore
import Foundation
import KeyVault
import Machine
import Messages
import Secrets
import TestParties
import TestSupport
import Testing

/// A broker with two statements, an archive and a policy, and places for it to be restored to.
final class BackupStage: Sendable {
    let broker: BrokerStage
    private let folder: TemporaryFolder

    var root: URL { folder.url }
    var backup: URL { root.appending(path: "backup", directoryHint: .isDirectory) }
    /// The broker's places.
    var old: BrokerPlaces {
        BrokerPlaces(
            database: broker.database, sealing: .file(SealingFile(besideDatabase: broker.database).file),
            archive: broker.root.appending(path: "archive", directoryHint: .isDirectory),
            policy: broker.root.appending(path: "policy.yaml"))
    }
    /// Places on another machine.
    var new: BrokerPlaces {
        let machine = root.appending(path: "machine", directoryHint: .isDirectory)
        let database = machine.appending(path: "data/moved.sqlite")
        return BrokerPlaces(
            database: database, sealing: .file(SealingFile(besideDatabase: database).file),
            archive: machine.appending(path: "documents", directoryHint: .isDirectory),
            policy: machine.appending(path: "rules.yaml"))
    }
    /// The paths of everything at the new places.
    var placed: [String] {
        let machine = root.appending(path: "machine")
        return ((try? FileManager.default.subpathsOfDirectory(atPath: machine.path)) ?? []).sorted()
    }

    init() throws {
        broker = try BrokerStage()
        folder = try TemporaryFolder()
    }

    /// Serves a broker at these places while `body` uses it.
    func serve(
        _ places: BrokerPlaces, _ body: @escaping @Sendable (BrokerStage) async throws -> Void
    ) async throws {
        var configuration = broker.configuration
        configuration.database = places.database
        configuration.sealingFile = SealingFile(besideDatabase: places.database)
        try await broker.run(configuration, body)
    }

    /// Has two statements accepted, and files two documents in the archive.
    ///
    /// - Returns: the statements' requests.
    func fill() async throws -> [RequestID] {
        let requests = try await withRequests { stage in
            var requests: [RequestID] = []
            for _ in 1...2 {
                let id = try await stage.request()
                _ = try await stage.decide(id, "APPROVE")
                try stage.publish(id)
                while try await stage.status(id) != "COMPLETED" { try await Task.sleep(for: .milliseconds(20)) }
                requests.append(id)
            }
            return requests
        }
        let folder = try #require(old.archive)
        try PrivateFolder.make(folder)
        let archive = try DocumentArchive(root: folder)
        for (bank, text) in [("north", "Date,Text,Amount\n2026-01-02,marmalade,3.50\n"), ("süd/ost", "a,b\n1,2\n")] {
            _ = try await archive.file(IncomingDocument(.bytes(Array(text.utf8)), kind: .csv, bank: bank))
        }
        archive.close()
        try Data("version: 1\nrules: []\n".utf8).write(to: #require(old.policy))
        return requests
    }

    private func withRequests(
        _ body: @escaping @Sendable (BrokerStage) async throws -> [RequestID]
    ) async throws -> [RequestID] {
        let (values, report) = AsyncStream<[RequestID]>.makeStream()
        try await serve(old) { stage in
            report.yield(try await body(stage))
            report.finish()
        }
        var last: [RequestID] = []
        for await value in values { last = value }
        return last
    }

    /// The secret that seals the broker's database.
    var secret: Secret {
        get throws { try #require(try SealingFile(besideDatabase: broker.database).secret()) }
    }

    /// The passphrase of encrypted backups, with a cost for tests.
    static let protection = BackupProtection(passphrase, scrypt: .cheapForTests)
    static let passphrase = Secret("the owner's words for a backup")

    @discardableResult
    func backUp(protection: BackupProtection? = nil) async throws -> BackupWriter.Receipt {
        try await BackupWriter(old, .all(sealing: secret), protection: protection).write(to: backup)
    }
}
