import ArgumentParser
import Foundation
import PhoneRunner

/// Where the phone's state is.
struct HomeOption: ParsableArguments {
    @Option(help: "The phone’s folder (COUNTERSIGN_HOME); ~/.countersign otherwise.")
    var home: String?

    var folder: URL { Self.folder(home) }

    /// The phone that is there.
    ///
    /// - Parameter file: what the command reads of it.
    /// - Throws: ``CommandFailure`` when that is missing.
    func phone(with file: KeyPath<PhoneHome, URL> = \.vaultFile) throws -> PhoneHome {
        let home = PhoneHome(folder)
        guard FileManager.default.fileExists(atPath: home[keyPath: file].path) else {
            throw CommandFailure("\(home.folder.path) is no phone yet; run: countersign phone setup")
        }
        return home
    }

    /// Where nothing else is said.
    static var standard: URL { folder(nil) }

    private static func folder(_ home: String?) -> URL {
        let path = home ?? ProcessInfo.processInfo.environment["COUNTERSIGN_HOME"] ?? "~/.countersign"
        return URL(filePath: TypedPath.expanded(path), directoryHint: .isDirectory).standardizedFileURL
    }
}
