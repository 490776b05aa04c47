import Foundation

/// What the programs here are given of the environment: a proxy, or authorities of the machine's own, would have a part
/// in what is measured.
public enum Environment {
    public static let bare = ProcessInfo.processInfo.environment.filter {
        ["PATH", "HOME", "LANG", "TMPDIR", "LD_LIBRARY_PATH"].contains($0.key)
    }
}
