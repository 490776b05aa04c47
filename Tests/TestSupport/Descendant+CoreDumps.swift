import Foundation

extension Descendant {
    /// True when the process writes no core file, and no program that takes core dumps gets one of it. True also when it has
    /// ended.
    package var forbidsCoreDumps: Bool {
        guard let limits = Self.coreLimits(of: id) else { return true }
        // Where the limit cannot be set, the filter keeps private memory out of a dump.
        let filter = try? String(contentsOfFile: "/proc/\(id)/coredump_filter", encoding: .utf8)
        guard filter?.contains(where: { "123456789abcdef".contains($0) }) != true else { return false }
        // Only the limit of one byte also forbids dumps to a program. Where nothing is allowed, it cannot be set.
        let isNothingAllowed = Self.coreLimits(of: getpid())?.last == "0"
        return limits == ["1", "1"] || isNothingAllowed && limits == ["0", "0"]
    }

    /// Returns the soft and the hard limit of a process's core files in bytes, such as `["0", "unlimited"]`.
    private static func coreLimits(of process: Int32) -> [String]? {
        let limits = try? String(contentsOfFile: "/proc/\(process)/limits", encoding: .utf8)
        return limits?.firstMatch(of: /Max core file size +(\S+) +(\S+)/).map { [String($0.1), String($0.2)] }
    }
}
