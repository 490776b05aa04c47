import Foundation

/// Folders that only their owner can read.
package enum PrivateFolder {
    /// Creates the folder and its missing parents with mode 0700. An existing folder stays unchanged.
    package static func make(_ folder: URL) throws(FileError) {
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            let reason = ((error as? CocoaError)?.underlying as? POSIXError)?.code.rawValue
            throw FileError("made", folder.path, reason ?? EIO)
        }
    }
}
