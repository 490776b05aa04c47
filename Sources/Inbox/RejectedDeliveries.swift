import Files
import Foundation

/// The refused deliveries, for the broker's owner to look at: in a folder of the broker's own, for a limited time, and only
/// the newest. None stays in the synced folder, where others read it.
public struct RejectedDeliveries: Sendable {
    /// The number of files that are kept.
    private let most: Int
    /// The most bytes of one file that are kept.
    private static let largestFile = 64 << 20
    /// The most bytes of all files together.
    private let mostBytes: Int

    private let folder: URL

    public init(folder: URL) {
        self.init(folder: folder, most: 100, mostBytes: 256 << 20)
    }

    init(folder: URL, most: Int, mostBytes: Int) {
        self.folder = folder
        self.most = most
        self.mostBytes = mostBytes
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
        removeBeyondLimits()
    }

    /// Makes the folder if it is missing, and tells whether it is a folder and not a link to one.
    private var isOwnFolder: Bool {
        try? PrivateFolder.make(folder)
        var status = stat()
        return lstat(folder.path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Removes the files that were refused before this time.
    public func remove(before end: Date) {
        for file in files() where file.date < end { unlink(file.path) }
    }

    /// Removes the oldest files beyond the number and the size that are kept.
    private func removeBeyondLimits() {
        var bytes = 0
        for (index, file) in files().enumerated() {
            bytes += file.size
            if index >= most || bytes > mostBytes { unlink(file.path) }
        }
    }

    /// Returns the files with the times when they were put here, the newest first.
    private func files() -> [(path: String, date: Date, size: Int)] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.compactMap { name -> (String, Date, Int)? in
            let path = folder.appending(path: name).path
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            guard let date = attributes?[.modificationDate] as? Date else { return nil }
            return (path, date, attributes?[.size] as? Int ?? 0)
        }.sorted { $0.1 > $1.1 }
    }
}
