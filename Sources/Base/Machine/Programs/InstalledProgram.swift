import Foundation

/// Programs that are installed on this machine.
package enum InstalledProgram {
    /// Returns the path of the first program of this name; nil if no folder has one.
    ///
    /// Relative folders are skipped, because they would mean another program in each working directory.
    ///
    /// - Parameter folders: separated by colons, as in `PATH`. They are trusted, as by a shell: who can write to one of
    ///   them chooses the program.
    package static func path(of name: String, in folders: String) -> String? {
        folders.split(separator: ":").filter { $0.hasPrefix("/") }.map { "\($0)/\(name)" }.first(where: isProgram)
    }

    /// Returns whether the path leads to a file that this user may execute.
    package static func isProgram(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }
}
