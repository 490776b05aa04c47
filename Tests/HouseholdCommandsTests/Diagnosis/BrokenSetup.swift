import Encodings
import Foundation
import TestServers
import TestSupport
import Testing

/// A broker's variables and a phone's folder, whole at first, in which a test breaks one thing.
final class BrokenSetup: Sendable {
    let folder: TemporaryFolder
    let inbox: URL
    let phone: URL
    let database: URL
    let environment: [String: String]

    init() throws {
        folder = try TemporaryFolder()
        inbox = folder.appending("inbox")
        phone = folder.appending("phone")
        database = folder.appending("broker/broker.sqlite")
        for made in [inbox, phone, database.deletingLastPathComponent()] {
            try FileManager.default.createDirectory(
                at: made, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        environment = [
            "HOME": folder.url.path, "COUNTERSIGN_HOME": phone.path, "ICLOUD_INBOX_PATH": inbox.path,
            "BROKER_DATABASE_PATH": database.path, "BROKER_DEFAULT_DEVICE": "off",
            "BROKER_API_TOKEN": "0123456789abcdef0123456789abcdef",
            "BROKER_SEALING_SECRET": "a sealing secret of more than 32 bytes", "BROKER_PORT": "\(try FreePort.find())",
        ]
    }

    /// Writes a file below the folder, readable by its owner alone unless `mode` says otherwise.
    func write(_ path: String, _ text: String = "text\n", mode: Int = 0o600) throws {
        let file = folder.appending(path)
        try Data(text.utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
    }

    struct Report: Sendable {
        let status: Int32
        /// Each finding's code, with its severity, text and remedy. Good findings have no code.
        let findings: [(code: String, severity: String, text: String, remedy: String)]
        let all: String

        var codes: Set<String> { Set(findings.map(\.code)) }

        func finding(_ code: String) -> (severity: String, text: String, remedy: String)? {
            findings.first { $0.code == code }.map { ($0.severity, $0.text, $0.remedy) }
        }
    }

    func doctor(_ more: [String: String] = [:], _ options: String...) async throws -> Report {
        let variables = environment.merging(more) { $1 }
        let outcome = try await CountersignProcess(["doctor", "--json"] + options, environment: variables).run()
        let json = try JSONReader.read(outcome.output)
        let findings = (json["findings"]?.arrayValue ?? []).compactMap { finding in
            finding["code"]?.stringValue.map { code in
                (
                    code, finding["severity"]?.stringValue ?? "", finding["text"]?.stringValue ?? "",
                    finding["remedy"]?.stringValue ?? ""
                )
            }
        }
        return Report(status: outcome.status, findings: findings, all: outcome.all)
    }
}
