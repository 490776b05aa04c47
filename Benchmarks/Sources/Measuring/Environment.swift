import Foundation

/// The environment of the measured programs. It omits proxies and the machine's own authorities, which would affect the
/// results.
public enum Environment {
    public static let bare = ProcessInfo.processInfo.environment.filter {
        ["PATH", "HOME", "LANG", "TMPDIR", "LD_LIBRARY_PATH"].contains($0.key)
    }

    /// The same for a user with another home.
    public static func bare(home: URL) -> [String: String] { bare.merging(["HOME": home.path]) { $1 } }
}
