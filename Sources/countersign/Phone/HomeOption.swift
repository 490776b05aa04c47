import ArgumentParser
import Foundation

/// Where the phone's state is.
struct HomeOption: ParsableArguments {
    @Option(help: "The phone’s folder (COUNTERSIGN_HOME); ~/.countersign otherwise.")
    var home: String?

    var folder: URL { Self.folder(home) }

    /// Where nothing else is said.
    static var standard: URL { folder(nil) }

    private static func folder(_ home: String?) -> URL {
        let path = home ?? ProcessInfo.processInfo.environment["COUNTERSIGN_HOME"] ?? "~/.countersign"
        return URL(filePath: expanded(path), directoryHint: .isDirectory).standardizedFileURL
    }

    /// A leading `~` is the home folder, `HOME` if it is set.
    static func expanded(_ path: String) -> String {
        guard path == "~" || path.hasPrefix("~/") else { return path }
        return (ProcessInfo.processInfo.environment["HOME"] ?? NSHomeDirectory()) + path.dropFirst()
    }
}
