import Foundation

/// A clock that cannot be set: the time since this boot, and the identity of the boot.
package protocol BootClock: Sendable {
    /// An identifier that differs after each restart, or nil when the system does not provide one.
    var boot: String? { get }
    /// Seconds since the boot, sleep included.
    var uptime: Double { get }
}

package struct SystemBootClock: BootClock {
    package init() {}

    package var boot: String? {
        #if os(Linux)
            let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
            return text?.trimmingCharacters(in: .whitespacesAndNewlines)
        #else
            var size = 0
            guard sysctlbyname("kern.bootsessionuuid", nil, &size, nil, 0) == 0, size > 0 else { return nil }
            var bytes = [UInt8](repeating: 0, count: size)
            guard sysctlbyname("kern.bootsessionuuid", &bytes, &size, nil, 0) == 0 else { return nil }
            return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        #endif
    }

    package var uptime: Double {
        var time = timespec()
        #if os(Linux)
            clock_gettime(CLOCK_BOOTTIME, &time)
        #else
            clock_gettime(CLOCK_MONOTONIC, &time)
        #endif
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
