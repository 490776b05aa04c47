import Foundation

/// Finds out why a folder cannot be made or used: the system names neither the place in its path nor its owner.
enum FolderFault {
    /// Returns what is wrong, and the next step of the person whose machine it is.
    ///
    /// - Parameters:
    ///   - code: the system's error.
    ///   - user: the user who wants the folder.
    static func words(of code: Int32, at folder: String, for user: uid_t = geteuid()) -> String {
        let place = nearest(to: folder)
        let it = place == folder ? "it" : place
        var status = stat()
        guard stat(place, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            return "\(it) is not a folder; move it away, and try again"
        }
        guard code == EACCES || code == EPERM else { return FileError.words(of: code) }
        if status.st_uid != user {
            let known = (try? FileManager.default.attributesOfItem(atPath: place))?[.ownerAccountName] as? String
            let owner = "the user \(known ?? "\(status.st_uid)")"
            var above = stat()
            // Only a folder in one's own can be one's own, made with sudo by mistake.
            let isInOwn =
                stat((folder as NSString).deletingLastPathComponent, &above) == 0 && above.st_uid == user
                && above.st_mode & S_ISVTX == 0
            let next =
                // Root must not take a person's folder away from them.
                user == 0
                ? "run this as that user"
                : place == folder && isInOwn
                    ? "make it yours with: sudo chown -R \(user) \(ShellWord.quoted(place))"
                    : "name a folder of your own, or ask them for one there"
            return "\(it) belongs to \(owner); \(next)"
        }
        if status.st_mode & 0o700 != 0o700 {
            let its = place == folder ? "its mode" : "the mode of \(place)"
            return "\(its) forbids it; run: chmod u+rwx \(ShellWord.quoted(place))"
        }
        return FileError.words(of: code)
    }

    /// Returns the folder, or the nearest one above it of which this user can see that it is there.
    private static func nearest(to folder: String) -> String {
        var place = folder
        var status = stat()
        while lstat(place, &status) != 0, let slash = place.lastIndex(of: "/"), place != "/" {
            place = slash == place.startIndex ? "/" : String(place[..<slash])
        }
        return place
    }
}
