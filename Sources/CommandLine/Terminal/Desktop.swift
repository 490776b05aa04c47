import Encodings
import Foundation
import Machine
import Secrets

/// The desktop session of this user, if there is one.
package enum Desktop {
    /// The variables by which a program finds the session.
    private static let variables: Set = ["DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY"]
    /// The time that a program has.
    private static let patience: Duration = .seconds(10)

    /// Returns whether this program runs in the session.
    package static func hasSession(_ environment: [String: String]) -> Bool {
        ["DISPLAY", "WAYLAND_DISPLAY"].contains { !(environment[$0] ?? "").isEmpty }
    }

    /// Returns the environment for a program of the session; nil without a session. Blocks.
    ///
    /// A service that started before the session lacks its variables. Desktops give them to systemd when the person logs in.
    package static func session(_ environment: [String: String]) -> [String: String]? {
        guard !hasSession(environment) else { return environment }
        guard let systemctl = InstalledProgram.path(of: "systemctl", in: environment["PATH"] ?? "") else { return nil }
        let shown = output(of: [systemctl, "--user", "show-environment"], environment) ?? []
        let lines = shown.split(separator: UInt8(ascii: "\n"))
        let members = lines.map { String(decoding: $0, as: UTF8.self).split(separator: "=", maxSplits: 1) }
        let told = members.filter { $0.count == 2 && variables.contains(String($0[0])) }
        let session = environment.merging(told.map { (String($0[0]), String($0[1])) }) { $1 }
        return hasSession(session) ? session : nil
    }

    /// Runs a program to its end, or ends it when its time is over. Blocks.
    ///
    /// - Returns: what it printed; nil when it cannot be started, or did not end with 0.
    package static func output(of command: [String], _ environment: [String: String]) -> [UInt8]? {
        RunningProgram.output(of: command, environment: environment, atMost: 64 << 10, within: patience)
    }

    /// Opens an address in the person's browser. Does nothing without a desktop session.
    ///
    /// The address is written into a page that only its owner can read, because other users see a program's arguments.
    package static func open(_ address: Secret) {
        let environment = ProcessInfo.processInfo.environment
        guard hasSession(environment), let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") else {
            return
        }
        let page = URL(filePath: folder, directoryHint: .isDirectory).appending(path: "countersign-open.html")
        let text = markup(leadingTo: address.revealed())
        unlink(page.path)
        guard FileManager.default.createFile(atPath: page.path, contents: nil, attributes: [.posixPermissions: 0o600]),
            let file = try? FileHandle(forWritingTo: page), (try? file.write(contentsOf: Data(text.utf8))) != nil
        else { return }
        // The browser that it starts stays open.
        _ = try? RunningProgram(
            ["/usr/bin/xdg-open", page.path], environment: nil, output: .dropped, endsWithParent: false)
    }

    /// Returns a page that leads to an address at once. The address can be a bank's, with characters that mean something in
    /// markup.
    static func markup(leadingTo address: String) -> String {
        "<!doctype html><meta http-equiv=\"refresh\" content=\"0;url=\(address.escapedForHTML)\">"
    }
}
