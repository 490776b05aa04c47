/// Names that programs give to files which are not complete yet.
public enum TemporaryNames {
    /// Whether a name is such a one: `.tmp` (ours), and those of common sync clients and editors.
    public static func isTemporary(_ name: String) -> Bool {
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
