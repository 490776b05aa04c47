/// Names that programs give to incomplete files.
package enum TemporaryNames {
    /// Returns true for a temporary name: `.tmp` (our own), and the names that common sync clients and editors use.
    package static func isTemporary(_ name: String) -> Bool {
        let name = name.lowercased()
        // rsync, Syncthing, macOS, Nextcloud and unison all begin theirs with a dot.
        if name.hasPrefix(".") || name.hasPrefix("~") || name.hasSuffix("~") { return true }
        let endings = [
            ".tmp", ".temp", ".part", ".partial", ".crdownload", ".download", ".icloud", ".filepart", ".swp", ".lock",
            ".!sync", ".owncloudsync",
        ]
        return endings.contains { name.hasSuffix($0) } || name.contains(".sync-conflict-")
    }
}
