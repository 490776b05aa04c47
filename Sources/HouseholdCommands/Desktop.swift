import Foundation
import Secrets

/// The desktop session in which the program runs, if there is one.
package enum Desktop {
    package static func hasSession(_ environment: [String: String]) -> Bool {
        ["DISPLAY", "WAYLAND_DISPLAY"].contains { !(environment[$0] ?? "").isEmpty }
    }

    /// Opens an address in the person's browser. Does nothing without a desktop session.
    ///
    /// The address is written into a page that only its owner can read, because other users see a program's arguments.
    static func open(_ address: Secret) {
        let environment = ProcessInfo.processInfo.environment
        guard hasSession(environment), let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") else {
            return
        }
        let page = URL(filePath: folder, directoryHint: .isDirectory).appending(path: "countersign-open.html")
        let text = "<!doctype html><meta http-equiv=\"refresh\" content=\"0;url=\(address.revealed())\">"
        unlink(page.path)
        guard FileManager.default.createFile(atPath: page.path, contents: nil, attributes: [.posixPermissions: 0o600]),
            let file = try? FileHandle(forWritingTo: page), (try? file.write(contentsOf: Data(text.utf8))) != nil
        else { return }
        let opener = Process()
        opener.executableURL = URL(filePath: "/usr/bin/xdg-open")
        opener.arguments = [page.path]
        opener.standardOutput = FileHandle.nullDevice
        opener.standardError = FileHandle.nullDevice
        try? opener.run()
    }
}
