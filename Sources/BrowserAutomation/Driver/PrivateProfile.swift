import Files
import Foundation

/// The folder of one browser run: profile, downloads, and everything temporary. It is on a memory file system where
/// there is one, only its owner can read it, and it is removed after the run.
///
/// The run holds a lock beside the folder. A folder whose lock is free belongs to a run that was killed.
struct PrivateProfile: Sendable {
    private static let prefix = "countersign-browser-"

    let folder: URL
    private let lockFile: URL
    private let lock: FileLock

    var downloads: URL { folder.appending(path: "downloads") }

    /// Creates the folder, and removes those that killed runs left behind.
    init(in base: URL = Self.base) throws {
        Self.removeStale(in: base)
        while true {
            // Short: Chromium makes a socket below it, whose path may have 107 bytes.
            let name = Self.prefix + String(UUID().uuidString.lowercased().prefix(8))
            let lockFile = base.appending(path: name + ".lock")
            // Another start may hold a new lock for a moment, while it looks for stale folders.
            guard let lock = try FileLock(lockFile) else { continue }
            self.lockFile = lockFile
            self.lock = lock
            folder = base.appending(path: name, directoryHint: .isDirectory)
            break
        }
        try PrivateFolder.make(folder)
        try PrivateFolder.make(downloads)
    }

    /// A memory file system, where nothing reaches a disk; else the folder for temporary files.
    static var base: URL {
        let memory = "/dev/shm"
        return FileManager.default.isWritableFile(atPath: memory)
            ? URL(filePath: memory, directoryHint: .isDirectory) : FileManager.default.temporaryDirectory
    }

    func remove() {
        try? FileManager.default.removeItem(at: folder)
        try? FileManager.default.removeItem(at: lockFile)
    }

    static func removeStale(in base: URL) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: base.path)) ?? []
        for name in names where name.hasPrefix(prefix) && name.hasSuffix(".lock") {
            let file = base.appending(path: name)
            guard let lock = try? FileLock(file) else { continue }
            try? FileManager.default.removeItem(at: base.appending(path: String(name.dropLast(".lock".count))))
            try? FileManager.default.removeItem(at: file)
            withExtendedLifetime(lock) {}
        }
    }
}
