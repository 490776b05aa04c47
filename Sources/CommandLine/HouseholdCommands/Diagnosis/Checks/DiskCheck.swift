import Foundation

/// Tells whether the disks have room for a statement, a database and a backup of it.
struct DiskCheck {
    let installation: Installation

    private static let least: UInt64 = 64 << 20
    private static let comfortable: UInt64 = 512 << 20

    func findings() -> [Finding] {
        var folders: [URL] = []
        if installation.hasPhone { folders.append(installation.phoneHome) }
        if installation.hasBroker { folders.append(installation.database.deletingLastPathComponent()) }
        if let inbox = installation.inbox { folders.append(inbox) }
        var disks: Set<dev_t> = []
        return folders.compactMap { folder in
            var status = stat()
            guard stat(folder.path, &status) == 0, disks.insert(status.st_dev).inserted,
                let free = Self.freeBytes(at: folder.path)
            else { return nil }
            return Self.finding(freeBytes: free, at: folder.path)
        }
    }

    /// Returns what a disk with so much room is told.
    static func finding(freeBytes: UInt64, at path: String) -> Finding {
        let room = "\(freeBytes >> 20) MB are free at \(path)"
        if freeBytes < least {
            return .error(
                .disk, .diskFull, "only \(room), so that statements and records may be lost",
                remedy: "make room on this disk; the broker and the phone need at least \(least >> 20) MB")
        }
        if freeBytes < comfortable {
            return .warning(.disk, .diskLow, "only \(room)", remedy: "make room on this disk soon")
        }
        return .good(.disk, room)
    }

    /// Returns false where the disk of a folder has less room than the broker and the phone need.
    static func hasRoom(at path: String) -> Bool { freeBytes(at: path).map { $0 >= least } ?? true }

    /// Returns the bytes that this user may still write; nil when the system does not tell.
    private static func freeBytes(at path: String) -> UInt64? {
        var volume = statvfs()
        guard statvfs(path, &volume) == 0 else { return nil }
        return UInt64(volume.f_bavail) * UInt64(volume.f_frsize)
    }
}
