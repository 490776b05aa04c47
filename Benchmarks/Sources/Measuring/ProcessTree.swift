import Foundation

/// A process and its descendants, at this moment.
struct ProcessTree {
    private struct Entry {
        let parent: pid_t
        /// The processor time of ended children, in clock ticks.
        let ended: Int
    }

    private var members: [pid_t: Entry] = [:]

    init(of top: pid_t) {
        var all: [pid_t: Entry] = [:]
        for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [] {
            let file = "/proc/\(name)/stat"
            guard let process = pid_t(name), let text = try? String(contentsOfFile: file, encoding: .utf8) else {
                continue
            }
            // The name in parentheses may contain anything (proc(5)); the parent is the second field after it.
            let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
            guard fields.count > 15, let parent = pid_t(fields[2]) else { continue }
            all[process] = Entry(parent: parent, ended: (Int(fields[14]) ?? 0) + (Int(fields[15]) ?? 0))
        }
        var found = [top]
        while let process = found.popLast() {
            members[process] = all[process]
            found += all.filter { $0.value.parent == process }.map(\.key)
        }
    }

    var processorTime: Duration {
        members.reduce(.zero) { sum, member in
            var clock = clockid_t()
            var time = timespec()
            guard clock_getcpuclockid(member.key, &clock) == 0, clock_gettime(clock, &time) == 0 else { return sum }
            let ended = Duration.seconds(Double(member.value.ended) / Double(sysconf(Int32(_SC_CLK_TCK))))
            return sum + .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec) + ended
        }
    }
}
