import Encodings
import Foundation
import GRDB
import MockBank
import TestServers
import TestSupport
import Testing

/// A copy of a home that an older version has written, with the program of now.
final class UpgradedHome: Sendable {
    private let folder: TemporaryFolder
    let port: Int

    static let agentToken = "agent-token-of-the-upgraded-home-0-1-0"
    private static let phoneToken = "phone-token-of-the-upgraded-home-0-1-0"
    private static let sharedSecret = "shared-secret-of-the-upgraded-home-0-1-0"
    private static let passphrase = "passphrase of the upgraded home 0.1.0"

    var root: URL { folder.url }
    var database: URL { root.appending(path: "home/broker/broker.sqlite") }
    var phone: URL { root.appending(path: "home/phone", directoryHint: .isDirectory) }
    var phoneDatabase: URL { phone.appending(path: "phone.sqlite") }
    var inbox: URL { root.appending(path: "inbox", directoryHint: .isDirectory) }
    var url: String { "http://127.0.0.1:\(port)" }
    /// The options of each command of the phone.
    var options: [String] { ["--home", phone.path, "--passphrase-file", root.appending(path: "passphrase").path] }

    /// - Parameter version: a folder in `Tests/countersignTests/Upgrade`.
    init(of version: String = "0.1.0") throws {
        folder = try TemporaryFolder()
        port = try FreePort.find()
        let fixture = Repository.root.appending(path: "Tests/countersignTests/Upgrade/\(version)")
        try FileManager.default.copyItem(at: fixture, to: folder.appending("home"))
        // Git keeps no modes, and the program wrote private files.
        let home = folder.appending("home")
        for name in try FileManager.default.subpathsOfDirectory(atPath: home.path) {
            let path = home.appending(path: name).path
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
            chmod(path, isFolder.boolValue ? 0o700 : 0o600)
        }
        try FileManager.default.createDirectory(at: inbox, withIntermediateDirectories: false)
        try Data((Self.passphrase + "\n").utf8).write(to: root.appending(path: "passphrase"))
    }

    var environment: [String: String] {
        [
            "BROKER_API_TOKEN": Self.agentToken, "PHONE_API_TOKEN": Self.phoneToken,
            "BROKER_PHONE_SHARED_SECRET": Self.sharedSecret, "ICLOUD_INBOX_PATH": inbox.path,
            "BROKER_DATABASE_PATH": database.path, "BROKER_PORT": String(port), "BROKER_URL": url,
        ]
    }

    func run(_ arguments: [String]) async throws -> CountersignProcess.Outcome {
        try await CountersignProcess(arguments, environment: environment).run()
    }

    /// Runs the broker while `body` uses it.
    func serving(_ body: () async throws -> Void) async throws {
        let broker = try Program(["broker", "serve", "--no-telegram"], environment: environment)
        let end = ContinuousClock.now + .seconds(60)
        while !broker.errors.contains("broker is ready") {
            try #require(ContinuousClock.now < end, "\(broker.errors)")
            try await Task.sleep(for: .milliseconds(20))
        }
        let result: Result<Void, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        broker.signal(SIGTERM)
        #expect(try await broker.status() == 0)
        try result.get()
    }

    /// Returns the status of each request by its month.
    func statuses() async throws -> [Int: String] {
        let listed = try await run(["requests", "--json"])
        let all = listed.output.split(separator: "\n").compactMap { try? JSONReader.read(String($0)) }
        return Dictionary(
            all.compactMap { one in
                guard let month = one["params"]?["month"]?.intValue, let status = one["status"]?.stringValue else {
                    return nil
                }
                return (month, status)
            }, uniquingKeysWith: { $1 })
    }

    /// Notes a migration in a database that only a newer version knows.
    static func makeNewer(_ database: URL) async throws {
        let queue = try DatabaseQueue(path: database.path)
        try await queue.write { db in
            try db.execute(sql: "INSERT INTO grdb_migrations VALUES ('a table of the year 2031')")
        }
        try queue.close()
    }

    /// Returns the schema and every row of a database.
    static func content(of database: URL) async throws -> [String] {
        let queue = try DatabaseQueue(path: database.path)
        defer { try? queue.close() }
        return try await queue.read { db in
            let tables = try Row.fetchAll(
                db, sql: "SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY name")
            return try tables.flatMap { table in
                try ["\(table)"] + Row.fetchAll(db, sql: "SELECT * FROM \(table["name"] as String)").map { "\($0)" }
            }
        }
    }
}
