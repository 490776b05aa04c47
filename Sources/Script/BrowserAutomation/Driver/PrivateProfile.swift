import Foundation
import Machine

/// The folder of one browser run: profile, downloads, and everything temporary. It is on a memory file system where
/// there is one, only its owner can read it, and it is removed after the run.
///
/// Two locks inside say that it is in use: the run's own, and that of the shell that watches over the driver and removes
/// the folder after a kill. A folder whose locks are both free is stale.
struct PrivateProfile: Sendable {
    static let prefix = "countersign-browser-"
    /// A run makes its lock right after the folder. After this time, a folder without a lock is stale too.
    private static let birth: TimeInterval = 60
    private static let lockName = "run.lock"
    /// The lock of the shell that watches over the driver.
    static let watchName = "watch.lock"

    let folder: URL
    /// The user as whom the browser runs, who owns the folder then; nil for this user.
    let user: BrowserUser?
    private let lock: FileLock

    var downloads: URL { folder.appending(path: "downloads") }

    /// Creates the folder, and removes those that killed runs left behind.
    ///
    /// - Throws: ``BrowserError`` when no folder can be made that is the owner's alone.
    init(
        in base: URL = Self.base, for user: BrowserUser? = nil,
        // Short: Chromium makes a socket below it, whose path may have 107 bytes.
        name: () -> String = { Self.prefix + UUID().uuidString.lowercased().prefix(8) }
    ) throws {
        Self.removeStale(in: base, of: user)
        for _ in 0..<10 {
            let folder = base.appending(path: name(), directoryHint: .isDirectory)
            // The base is for every user: a folder that is there already may be a trap, so it is never used.
            guard mkdir(folder.path, 0o700) == 0 else {
                guard errno == EEXIST else { throw Self.failure(folder, String(cString: strerror(errno))) }
                continue
            }
            guard Self.isPrivate(folder, of: nil) else { throw Self.failure(folder, "it is not ours alone") }
            // Another start may hold the new lock for a moment, while it looks for stale folders.
            guard let lock = try FileLock(folder.appending(path: Self.lockName)) else { continue }
            self.folder = folder
            self.lock = lock
            self.user = user
            do {
                try PrivateFolder.make(downloads)
                try user?.own(downloads)
                try user?.own(folder)
            } catch {
                remove()
                throw error
            }
            return
        }
        throw Self.failure(base, "every name is taken already")
    }

    private static func failure(_ folder: URL, _ reason: String) -> BrowserError {
        BrowserError(
            .refused, "the browser's private folder \(folder.path) cannot be made: \(reason); see who writes there")
    }

    /// A memory file system, where nothing reaches a disk; else the folder for temporary files.
    static var base: URL {
        let memory = "/dev/shm"
        return FileManager.default.isWritableFile(atPath: memory)
            ? URL(filePath: memory, directoryHint: .isDirectory) : FileManager.default.temporaryDirectory
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    static func removeStale(in base: URL, of user: BrowserUser? = nil) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: base.path)) ?? []
        for name in names where name.hasPrefix(prefix) {
            let folder = base.appending(path: name, directoryHint: .isDirectory)
            guard isPrivate(folder, of: user) || isPrivate(folder, of: nil), isStale(folder) else { continue }
            try? FileManager.default.removeItem(at: folder)
        }
    }

    private static func isStale(_ folder: URL) -> Bool {
        let files = FileManager.default
        let locks = [lockName, watchName].map { folder.appending(path: $0) }
            .filter { files.fileExists(atPath: $0.path) }
        guard !locks.isEmpty else {
            let made = (try? files.attributesOfItem(atPath: folder.path))?[.modificationDate] as? Date
            return made.map { $0.timeIntervalSinceNow < -birth } ?? false
        }
        // Nil and an error both mean that a run may use it.
        return locks.allSatisfy { file in ((try? FileLock(file)) ?? nil) != nil }
    }

    /// True for a folder, not a link, that belongs to a user, this one if nil, and that no other user can enter.
    private static func isPrivate(_ folder: URL, of user: BrowserUser?) -> Bool {
        let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return false }
        return status.st_uid == user?.user ?? geteuid() && status.st_mode & 0o7777 == 0o700
    }
}
