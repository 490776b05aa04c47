import Foundation

/// Tells systemd how the program is (sd_notify(3)). Without systemd it does nothing.
package struct ServiceNotice: Sendable {
    private let address: String?
    /// The time between two signs of life; nil when systemd expects none.
    private let interval: Duration?

    package init(_ environment: [String: String] = ProcessInfo.processInfo.environment) {
        let path = environment["NOTIFY_SOCKET"] ?? ""
        address = path.hasPrefix("/") || path.hasPrefix("@") ? path : nil
        let isForThisProcess = environment["WATCHDOG_PID"].map { $0 == "\(getpid())" } ?? true
        // Half of the limit, as sd_watchdog_enabled(3) advises.
        interval = environment["WATCHDOG_USEC"].flatMap(Int.init)
            .flatMap { isForThisProcess && $0 > 1 ? .microseconds($0 / 2) : nil }
    }

    /// The program serves now.
    package func ready() { send("READY=1") }

    /// The program begins to end.
    package func stopping() { send("STOPPING=1") }

    /// Sends a sign of life whenever half of the limit has passed and `isWell` is true, until the task is cancelled.
    package func live(while isWell: @Sendable () async -> Bool) async {
        guard address != nil, let interval else { return }
        while !Task.isCancelled {
            if await isWell() { send("WATCHDOG=1") }
            do { try await Task.sleep(for: interval) } catch { return }
        }
    }

    private func send(_ state: String) {
        guard let address else { return }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var place = sockaddr_un()
        place.sun_family = sa_family_t(AF_UNIX)
        var path = Array(address.utf8)
        // A name that begins with @ is in the abstract namespace (unix(7)).
        if path.first == 0x40 { path[0] = 0 }
        guard path.count < MemoryLayout.size(ofValue: place.sun_path) else { return }
        withUnsafeMutableBytes(of: &place.sun_path) { $0.copyBytes(from: path) }
        let offset = MemoryLayout.offset(of: \sockaddr_un.sun_path) ?? 2
        let length = socklen_t(offset + path.count + (path.first == 0 ? 0 : 1))
        let bytes = Array(state.utf8)
        withUnsafePointer(to: &place) { place in
            place.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                _ = sendto(descriptor, bytes, bytes.count, 0, place, length)
            }
        }
    }
}
