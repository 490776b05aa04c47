import Encodings
import Foundation
import Machine
import Terminal

/// The household as a service of the systemd user session (systemd.service(5)).
struct HouseholdService {
    static let name = "countersign.service"

    private var unit: URL {
        let environment = ProcessInfo.processInfo.environment
        let base = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        return URL(filePath: base ?? TypedPath.expanded("~/.config"), directoryHint: .isDirectory)
            .appending(path: "systemd/user/\(Self.name)")
    }

    /// The file of `COUNTERSIGN_CONFIG`, absolute; nil for the usual place.
    private static var config: String? {
        let isNamed = !(ProcessInfo.processInfo.environment["COUNTERSIGN_CONFIG"] ?? "").isEmpty
        return isNamed ? HouseholdFile.place().standardizedFileURL.path : nil
    }

    private static var program: String { URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().path }

    /// True when the unit starts this household, and not another one of the same person.
    var isInstalled: Bool {
        guard let text = OpenedFile.text(of: unit, atMost: 1 << 20) else { return false }
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("Environment=") }
        let own = Self.text(program: "", config: Self.config).split(separator: "\n").filter {
            $0.hasPrefix("Environment=")
        }
        return lines == own
    }

    /// Returns the unit's text. A start that needs a person, such as the set-up of another phone, ends with status 2, and would only
    /// fail again.
    ///
    /// - Parameter config: the household's file, if it is not at its usual place.
    static func text(program: String, config: String?) -> String {
        let variable = config.map { "Environment=\(quoted("COUNTERSIGN_CONFIG=\($0)"))\n" } ?? ""
        return """
            [Unit]
            Description=Countersign: broker and phone of a household

            [Service]
            ExecStart=\(quoted(program)) up --no-open
            \(variable)Restart=on-failure
            RestartSec=5
            RestartPreventExitStatus=2
            UMask=0077
            NoNewPrivileges=yes

            [Install]
            WantedBy=default.target

            """
    }

    /// Quotes a word of a unit's line, and keeps `%`, `$` and backslashes from being expanded.
    private static func quoted(_ word: String) -> String {
        "\"\(word.escaping(["\\": "\\\\", "\"": "\\\"", "%": "%%", "$": "$$"]))\""
    }

    /// Writes the unit, and starts it now and at each sign-in.
    ///
    /// - Throws: ``CommandFailure`` when systemd cannot start it; the unit is written then.
    func install() async throws -> URL {
        try FileManager.default.createDirectory(
            at: unit.deletingLastPathComponent(), withIntermediateDirectories: true)
        try AtomicFile.write(
            Array(Self.text(program: Self.program, config: Self.config).utf8), to: unit, mode: 0o644)
        try await control("daemon-reload")
        try await control("enable", "--now", Self.name)
        return unit
    }

    /// Stops and removes the service of this household, if it is installed.
    func remove() async throws {
        guard isInstalled else { return }
        try await control("disable", "--now", Self.name)
        try FileManager.default.removeItem(at: unit)
        try await control("daemon-reload")
    }

    private func control(_ arguments: String...) async throws {
        let file = unit
        let program = try RunningProgram(
            ["/usr/bin/env", "systemctl", "--user"] + arguments, environment: nil, output: .dropped, errors: .shown)
        guard await program.ended() == .exited(0) else {
            throw CommandFailure(
                "systemctl --user \(arguments.joined(separator: " ")) failed; the unit is \(file.path). Without a systemd "
                    + "user session, start countersign up in another way at sign-in")
        }
    }
}
