import Foundation
import Messages

/// Names the program and the system, and finds programs that still run from a file that an upgrade replaced.
struct ProgramCheck {
    func findings() -> [Finding] {
        let old = Self.replaced()
        let program = Finding.good(.program, "countersign \(ProductVersion.current) on \(Self.system)")
        guard !old.isEmpty else { return [program] }
        return [
            program,
            .warning(
                .program, .oldProgramRuns,
                "still the program of before an upgrade: process \(old.map(String.init).joined(separator: ", "))",
                remedy:
                    "start it anew: systemctl restart countersign-broker, or countersign up --stop and countersign up"),
        ]
    }

    /// The distribution and the kernel, e.g. “Debian GNU/Linux 12 (bookworm), Linux 6.1.0”.
    static var system: String {
        let release = (try? String(contentsOfFile: "/etc/os-release", encoding: .utf8)) ?? ""
        let name = release.split(separator: "\n").first { $0.hasPrefix("PRETTY_NAME=") }?
            .dropFirst("PRETTY_NAME=".count).trimmingCharacters(in: ["\""])
        let kernel = try? String(contentsOfFile: "/proc/sys/kernel/osrelease", encoding: .utf8)
        return [name, kernel.map { "Linux " + $0.trimmingCharacters(in: .whitespacesAndNewlines) }]
            .compactMap(\.self).joined(separator: ", ")
    }

    /// Returns the ids of this user's processes whose program, called countersign, was replaced or removed (proc(5)).
    private static func replaced() -> [Int32] {
        let ids = ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap(Int32.init)
        return ids.sorted().filter { id in
            let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(id)/exe")
            return program?.hasSuffix("/countersign (deleted)") == true
        }
    }
}
