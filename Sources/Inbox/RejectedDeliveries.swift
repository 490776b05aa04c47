import Files
import Foundation

/// The refused deliveries, for the broker's owner to look at: in a folder of the broker's own, for a limited time, and only
/// the newest. None stays in the synced folder, where others read it.
public struct RejectedDeliveries: Sendable {
    /// The number of files that are kept.
    private static let most = 100
    /// The most bytes of one file that are kept.
    private static let largestFile = 64 << 20

    private let folder: URL

    public init(folder: URL) {
        self.folder = folder
    }

    /// Copies a delivery's files here, and removes them from the synced folder. Anything but a plain file, such as a link, is
    /// removed and not followed.
    func take(_ paths: InboxPaths) {
        let mark = UUID().uuidString.prefix(8).lowercased()
        for part in [paths.manifest, paths.pdf] {
            if isOwnFolder, let file = try? OpenedFile(part) {
                let target = folder.appending(path: "\(mark)-\(part.lastPathComponent)")
                try? file.copy(to: target, atMost: Self.largestFile) { _ in }
            }
            unlink(part.path)
        }
        removeBeyond(Self.most)
    }

    /// Makes the folder if it is missing, and tells whether it is a folder and not a link to one.
    private var isOwnFolder: Bool {
        try? PrivateFolder.make(folder)
        var status = stat()
        return lstat(folder.path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Removes the files that were refused before this time.
    public func remove(before end: Date) {
        for (path, date) in files() where date < end { unlink(path) }
    }

    private func removeBeyond(_ count: Int) {
        for (path, _) in files().dropFirst(count) { unlink(path) }
    }

    /// Returns the files with the times when they were put here, the newest first.
    private func files() -> [(path: String, date: Date)] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.compactMap { name -> (String, Date)? in
            let path = folder.appending(path: name).path
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            return (attributes?[.modificationDate] as? Date).map { (path, $0) }
        }.sorted { $0.1 > $1.1 }
    }
}
