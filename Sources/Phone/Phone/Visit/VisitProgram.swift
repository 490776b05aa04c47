import BankScript
import Foundation
import Machine

/// The program that visits banks for a phone: this one, started anew for each visit.
///
/// The process has the plug-ins of this program, since it begins with the same `main`. It has none of this process's memory, and
/// of its environment only what says where programs are and how to write dates.
package struct VisitProgram: Sendable {
    /// The first argument of this program as a process that visits a bank.
    package static let name = "confined-visit"

    private static let variables = [
        "PATH", "LANG", "LC_ALL", "LC_CTYPE", "LC_TIME", "TZ", "TMPDIR", "COUNTERSIGN_CHROMIUM",
        "COUNTERSIGN_CHROMEDRIVER",
    ]
    private static let browsers = ["COUNTERSIGN_CHROMIUM", "COUNTERSIGN_CHROMEDRIVER"]

    /// A PEM file with a certificate authority that banks may have besides the system's.
    let authority: URL?
    let sharesNetwork: Bool
    let command: [String]

    /// Returns nil in a program without confined processes: on other systems than Linux, and in tests.
    package init?(authority: URL?, sharesNetwork: Bool) {
        guard let command = ConfinedReader.program(Self.name) else { return nil }
        self.init(command, authority: authority, sharesNetwork: sharesNetwork)
    }

    /// - Parameter command: the command line of the process.
    package init(_ command: [String], authority: URL? = nil, sharesNetwork: Bool = false) {
        self.command = command
        self.authority = authority.map { URL(filePath: $0.path).standardizedFileURL }
        self.sharesNetwork = sharesNetwork
    }

    /// The environment of the process.
    var environment: [String: String] { Self.environment(of: ProcessInfo.processInfo.environment) }

    /// Returns what a visit gets of an environment: no token, and no session of the desktop.
    static func environment(of own: [String: String]) -> [String: String] {
        own.filter { variables.contains($0.key) }.merging(["HOME": "/nonexistent"]) { $1 }
    }

    /// Returns the files that a visit needs: nothing of the phone's folder but a folder for its documents.
    func fence(for script: BankScript, folder: URL) -> FileFence {
        var fence = FileFence.network
        if let authority { fence.reads.append(authority.path) }
        fence.changes.append(folder.path)
        let isPlugged =
            script.documentSource.map { !SourceName.standard.contains($0.source) }
            ?? !ScriptEngine.standard.contains(script.engine)
        // Only its author knows which files a plug-in needs.
        if isPlugged { return fence + FileFence(runs: ["/"], changes: ["/"], opensLocalSockets: true) }
        guard script.documentSource == nil, script.engine == .browser else { return fence }
        // The engine starts programs: Chromium and its driver.
        fence = fence + .programs
        let own = ProcessInfo.processInfo.environment
        fence.runs += Self.browsers.compactMap { own[$0] }.map { path in
            URL(filePath: path).resolvingSymlinksInPath().deletingLastPathComponent().path
        }
        if !FileManager.default.isWritableFile(atPath: "/dev/shm") {
            fence.changes.append(FileManager.default.temporaryDirectory.path)
        }
        return fence
    }
}
