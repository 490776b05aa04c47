import Foundation
import Machine

/// The refused deliveries, and what was left of others, for the broker's owner to look at: in a folder of the broker's own,
/// for a limited time, and only the newest. None stays in the synced folder, where others read it.
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

    /// The files that went while a delivery was taken.
    struct Losses: Sendable, Hashable {
        /// Files of the delivery that were removed without a copy.
        var uncopied = 0
        /// Files of older deliveries, removed to keep the limits.
        var discarded = 0
        /// Files of the delivery that cannot be removed, such as a folder with a manifest's name.
        var remaining = 0
    }

    /// Copies a delivery's files here, and removes them from the synced folder. Anything but a plain file, such as a link, is
    /// removed and not followed.
    func take(_ paths: InboxPaths) -> Losses {
        let mark = Self.mark()
        var losses = Losses()
        for part in [paths.manifest, paths.pdf] {
            let target = target(for: part, mark)
            let isCopied =
                isOwnFolder && (try? OpenedFile(part).copy(to: target, atMost: Self.largestFile) { _ in }) != nil
            if unlink(part.path) == 0 {
                if !isCopied { losses.uncopied += 1 }
            } else if errno != ENOENT {
                losses.remaining += 1
            }
        }
        losses.discarded = removeBeyondLimits()
        return losses
    }

    /// Moves one file here. Unlike a delivery, which may be an attack, it stays in the synced folder while it cannot be copied, as
    /// on a full disk.
    ///
    /// - Parameter stamp: of the file that is meant, in case that another one has its name by now.
    /// - Returns: the number of files of older deliveries that were removed to keep the limits; nil when the file stays.
    func move(_ file: URL, seenAs stamp: InboxListing.Stamp) -> Int? {
        let target = target(for: file, Self.mark())
        guard isOwnFolder, let opened = try? OpenedFile(file),
            InboxListing.Stamp(size: opened.size, modified: opened.modified) == stamp,
            (try? opened.copy(to: target, atMost: Self.largestFile) { _ in }) != nil
        else { return nil }
        // A phone that has come back may have put another file there during the copy, and that one is not copied.
        guard opened.isUnchanged(at: file), unlink(file.path) == 0 else {
            unlink(target.path)
            return nil
        }
        return removeBeyondLimits()
    }

    private static func mark() -> String { UUID().uuidString.prefix(8).lowercased() }

    private func target(for file: URL, _ mark: String) -> URL {
        folder.appending(path: "\(mark)-\(file.lastPathComponent)")
    }

    /// Makes the folder if it is missing, and tells whether it is a folder and not a link to one.
    private var isOwnFolder: Bool {
        try? PrivateFolder.make(folder)
        var status = stat()
        return lstat(folder.path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Removes the files that were refused before this time.
    ///
    /// - Returns: how many went.
    public func remove(before end: Date) -> Int {
        files().count { $0.date < end && unlink($0.path) == 0 }
    }

    /// Removes the oldest files beyond the number and the size that are kept, and returns how many went.
    private func removeBeyondLimits() -> Int {
        var bytes = 0
        var removed = 0
        for (index, file) in files().enumerated() {
            bytes += file.size
            if index >= most || bytes > mostBytes, unlink(file.path) == 0 { removed += 1 }
        }
        return removed
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
