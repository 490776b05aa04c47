import Foundation

/// Paths as a person types them.
package enum TypedPath {
    /// Expands a leading `~` to the home folder: `HOME` if it is set.
    package static func expanded(_ path: String) -> String {
        guard path == "~" || path.hasPrefix("~/") else { return path }
        return (ProcessInfo.processInfo.environment["HOME"] ?? NSHomeDirectory()) + path.dropFirst()
    }

    /// Returns the URL of a file that does not exist yet, so that nothing is overwritten.
    ///
    /// - Throws: ``CommandFailure`` when there is such a file.
    package static func newFile(_ path: String) throws -> URL {
        let url = URL(filePath: expanded(path))
        guard !FileManager.default.fileExists(atPath: url.path) else {
            throw CommandFailure("\(path) already exists; choose another name")
        }
        return url
    }
}

extension FileManager {
    /// Creates a file and returns true, or returns false if it exists already or cannot be created.
    package func createFile(exclusively path: String, _ data: Data) -> Bool {
        (try? data.write(to: URL(filePath: path), options: .withoutOverwriting)) != nil
    }
}
