import ArgumentParser
import Foundation
import Phone

/// The folder with the phone's state.
struct HomeOption: ParsableArguments {
    @Option(help: "The phone's folder; else COUNTERSIGN_HOME, else ~/.countersign.")
    var home: String?

    var folder: URL { Self.folder(home) }

    /// Returns the phone that was set up in the folder.
    ///
    /// - Parameter file: a file that the command is about to read.
    /// - Throws: ``CommandFailure`` when that file is missing.
    func phone(with file: KeyPath<PhoneHome, URL> = \.vaultFile) throws -> PhoneHome {
        let home = PhoneHome(folder)
        guard FileManager.default.fileExists(atPath: home[keyPath: file].path) else {
            throw CommandFailure("no phone is set up in \(home.folder.path); run: countersign phone setup")
        }
        return home
    }

    /// The folder where `--home` is not given.
    static var standard: URL { folder(nil) }

    private static func folder(_ home: String?) -> URL {
        let path = home ?? ProcessInfo.processInfo.environment["COUNTERSIGN_HOME"] ?? "~/.countersign"
        return URL(filePath: TypedPath.expanded(path), directoryHint: .isDirectory).standardizedFileURL
    }
}
