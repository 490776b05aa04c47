import Foundation
import Machine

/// Looks at the folder in which the broker files its documents: is it there, and can it be written?
struct ArchiveCheck {
    let folder: URL

    func finding() -> Finding {
        guard FileManager.default.fileExists(atPath: folder.path) else {
            return .error(
                .archive, .archiveMissing, "the folder of the statements, \(folder.path), is missing",
                remedy: "mount its disk, or put the folder back; then start the broker again")
        }
        do throws(FileError) {
            try PrivateFolder.checkWritable(folder)
        } catch {
            return .error(
                .archive, .archiveNotWritable, "\(error)",
                remedy: "mount its disk for writing, or name another folder with: countersign up --statements FOLDER")
        }
        return .good(.archive, "the statements are kept in \(folder.path)")
    }
}
