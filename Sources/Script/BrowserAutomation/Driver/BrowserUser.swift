import Foundation

/// The user as whom the browser runs when this process is root's: Chromium starts no sandbox as root, and without one a page that
/// takes over its renderer would be root.
///
/// It is the user `countersign-browser` where there is one, else the kernel's overflow user, who owns no file.
struct BrowserUser: Sendable, Hashable {
    private static let name = "countersign-browser"
    /// The default of `/proc/sys/kernel/overflowuid` and `overflowgid` (proc_sys_kernel(5)).
    private static let overflow: uid_t = 65_534

    let user: uid_t
    let group: gid_t

    /// Returns nil for another user than root, who runs the browser as is.
    static func find(effective: uid_t = geteuid(), named name: String = name) -> BrowserUser? {
        guard effective == 0 else { return nil }
        if let entry = getpwnam(name)?.pointee, entry.pw_uid != 0 {
            return BrowserUser(user: entry.pw_uid, group: entry.pw_gid)
        }
        return BrowserUser(user: overflow, group: overflow)
    }

    /// The start of a command line that runs a program as this user.
    var prefix: [String] { ["setpriv", "--reuid=\(user)", "--regid=\(group)", "--clear-groups", "--"] }

    /// The error of a system on which root cannot become this user, given what `setpriv` says.
    static func unsupported(_ reason: String) -> BrowserError {
        BrowserError(
            .unsupported,
            "as root the browser would run without its sandbox, and it cannot run as another user here "
                + "(\(reason.prefix(100))); run countersign as another user than root")
    }

    /// Makes this user the owner of a file or folder, not of a link's target.
    ///
    /// - Throws: ``BrowserError``.
    func own(_ file: URL) throws(BrowserError) {
        guard lchown(file.path, user, group) == 0 else {
            throw Self.unsupported("chown: \(String(cString: strerror(errno)))")
        }
    }
}
