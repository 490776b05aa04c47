import ArgumentParser
import Foundation

/// The folder with the phone's state.
package struct HomeOption: ParsableArguments {
    @Option(help: "The phone's folder; else COUNTERSIGN_HOME, else that of countersign up, else ~/.countersign.")
    package var home: String?

    package init() {}

    package var folder: URL { Self.folder(home) }

    /// The folder where `--home` is not given.
    package static var standard: URL { folder(nil) }

    private static func folder(_ home: String?) -> URL {
        let path =
            home ?? ProcessInfo.processInfo.environment["COUNTERSIGN_HOME"] ?? HouseholdFile.current?.phoneHome.path
            ?? "~/.countersign"
        return URL(filePath: TypedPath.expanded(path), directoryHint: .isDirectory).standardizedFileURL
    }
}
