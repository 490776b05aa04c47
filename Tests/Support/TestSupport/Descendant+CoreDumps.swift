import Foundation
import Testing

extension Descendant {
    /// True when the process writes no core file, and no program that takes core dumps gets one of it. True also when it has
    /// ended. A test that asks for it has the trait `needsCoreFiles`.
    package var forbidsCoreDumps: Bool {
        guard let limits = Self.coreLimits(of: id) else { return true }
        // Where the limit cannot be set, the filter keeps private memory out of a dump.
        let filter = try? String(contentsOfFile: "/proc/\(id)/coredump_filter", encoding: .utf8)
        guard filter?.contains(where: { "123456789abcdef".contains($0) }) != true else { return false }
        // Only the limit of one byte also forbids dumps to a program.
        return limits == ["1", "1"]
    }

    /// Returns the soft and the hard limit of a process's core files in bytes, such as `["0", "unlimited"]`; nil for a process
    /// that has ended.
    package static func coreLimits(of process: Int32) -> [String]? {
        let limits = try? String(contentsOfFile: "/proc/\(process)/limits", encoding: .utf8)
        return limits?.firstMatch(of: /Max core file size +(\S+) +(\S+)/).map { [String($0.1), String($0.2)] }
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips the test, visibly, where the system allows no core files: the limit of one byte, which it looks for, cannot be
    /// set there.
    package static var needsCoreFiles: Self {
        .enabled(
            if: Descendant.coreLimits(of: getpid())?.last != "0",
            "the hard limit of core files is 0 here; run the tests under another one, see ulimit -Hc")
    }
}
