import Foundation

/// Looks for secret files that other users can read or change.
struct PermissionCheck {
    let installation: Installation
    /// The most files to look at in the phone's folder.
    private static let limit = 2_000

    func findings() -> [Finding] {
        var found: [Finding] = []
        var seen = 0
        for path in phoneFiles + brokerFiles + passphraseFile {
            var status = stat()
            guard lstat(path, &status) == 0 else { continue }
            seen += 1
            // A link's own mode says nothing, and its target is looked at if it is one of these files.
            guard status.st_mode & S_IFMT != S_IFLNK else { continue }
            let isFolder = status.st_mode & S_IFMT == S_IFDIR
            if status.st_uid != geteuid() {
                found.append(
                    .error(
                        .permissions, .notYours, "\(path) belongs to another user",
                        remedy: "run doctor as the user whose files these are, or: sudo chown \(geteuid()) '\(path)'"))
            } else if status.st_mode & 0o077 != 0 {
                let mode = String(status.st_mode & 0o777, radix: 8)
                found.append(
                    .error(
                        .permissions, .openToOthers, "\(path) has mode \(mode), so that other users can use it",
                        remedy: "chmod \(isFolder ? "700" : "600") '\(path)'"))
            }
        }
        guard found.isEmpty, seen > 0 else { return found }
        return [.good(.permissions, "\(seen) private files and folders belong to you alone")]
    }

    private var phoneFiles: [String] {
        guard installation.hasPhone else { return [] }
        let folder = installation.phoneHome
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder.path)) ?? []
        return [folder.path] + names.prefix(Self.limit).map { folder.appending(path: $0).path }
    }

    private var brokerFiles: [String] {
        guard installation.hasBroker else { return [] }
        let database = installation.database
        let beside = ["", "-wal", "-shm"].map { database.path + $0 }
        var files = beside + [database.deletingLastPathComponent().appending(path: "sealing.secret").path]
        if let broker = installation.household?.broker {
            files += [broker.sealingSecret.path, broker.agentToken.path]
        }
        return files
    }

    /// The file with the passphrase of a trial phone, whose broker can be on another machine.
    private var passphraseFile: [String] {
        installation.household?.phone == nil ? [] : [installation.dataFolder.appending(path: "passphrase").path]
    }
}
