import Foundation
import Machine
import Messages

/// The text for an issue: versions, findings, settings, and the last lines of the logs, without secrets.
struct IssueReport: Sendable {
    let installation: Installation
    let findings: [Finding]
    /// The number of a log's last lines to include.
    var lines = 40

    private var anonymising: Anonymising {
        let environment = installation.environment
        var secrets = Setting.all.filter(\.isSecret).compactMap { environment[$0.name] }
        let files = [
            installation.dataFolder.appending(path: "passphrase"),
            installation.database.deletingLastPathComponent().appending(path: "sealing.secret"),
        ]
        secrets += files.compactMap { OpenedFile.text(of: $0, atMost: 4096) }
            .map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
        return Anonymising(
            secrets: secrets, home: environment["HOME"] ?? NSHomeDirectory(),
            user: environment["USER"] ?? NSUserName(), machine: ProcessInfo.processInfo.hostName)
    }

    var text: String {
        let settings = Setting.shown(
            installation.environment, installation.environment, source: "set"
        ).filter { $0.source != "default" }
        var parts = [
            """
            # Countersign report

            Secrets, names, addresses and long numbers are left out. Read it before you send it.

            ## Versions

            countersign \(ProductVersion.current), \(ProgramCheck.system)
            """,
            "## Findings\n\n" + findings.map(Self.line).joined(separator: "\n"),
            "## Settings\n\n"
                + (settings.isEmpty
                    ? "no variable is set" : settings.map { "\($0.name)=\($0.value)" }.joined(separator: "\n")),
        ]
        for name in ["bank", "broker", "page"] {
            let file = installation.dataFolder.appending(path: "logs/\(name).log")
            // The first line of this part may be cut.
            guard let end = try? OpenedFile(file, links: .followed).end(256 << 10), !end.isEmpty else { continue }
            let last = String(decoding: end, as: UTF8.self).split(separator: "\n").suffix(lines).joined(separator: "\n")
            parts.append("## The end of \(name).log\n\n" + last)
        }
        return anonymising(parts.joined(separator: "\n\n")) + "\n"
    }

    private static func line(_ finding: Finding) -> String {
        "\(finding.severity.rawValue) \(finding.code?.rawValue ?? finding.subject.rawValue): \(finding.text)"
    }
}
