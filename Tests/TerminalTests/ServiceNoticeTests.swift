import Foundation
import Machine
import TestSupport
import Testing

@testable import Terminal

@Suite("Notices to systemd")
struct ServiceNoticeTests {
    /// A datagram socket, as systemd listens on one.
    private final class Listener: Sendable {
        let folder: TemporaryFolder
        let descriptor: Int32
        var path: String { folder.appending("notify").path }

        init() throws {
            folder = try TemporaryFolder()
            descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let bytes = Array(folder.appending("notify").path.utf8)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
            let bound = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            try #require(bound == 0)
            var limit = timeval(tv_sec: 10, tv_usec: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        }

        deinit { close(descriptor) }

        /// Waits for the next notice; empty when none comes in ten seconds.
        func next() async throws -> String {
            try await BlockingWork.run { [descriptor] in
                var buffer = [UInt8](repeating: 0, count: 100)
                let count = recv(descriptor, &buffer, buffer.count, 0)
                return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
            }
        }
    }

    @Test("ready and stopping arrive at the socket; without one nothing happens")
    func states() async throws {
        let listener = try Listener()
        let notice = ServiceNotice(["NOTIFY_SOCKET": listener.path])
        notice.ready()
        #expect(try await listener.next() == "READY=1")
        notice.stopping()
        #expect(try await listener.next() == "STOPPING=1")
        ServiceNotice([:]).ready()
        ServiceNotice(["NOTIFY_SOCKET": "relative"]).ready()
    }

    @Test("signs of life come twice in the watchdog's time, and only while all is well")
    func watchdog() async throws {
        let listener = try Listener()
        let notice = ServiceNotice(["NOTIFY_SOCKET": listener.path, "WATCHDOG_USEC": "20000"])
        let living = Task { await notice.live { true } }
        #expect(try await listener.next() == "WATCHDOG=1")
        #expect(try await listener.next() == "WATCHDOG=1")
        living.cancel()
        await living.value
        let foreign = ServiceNotice([
            "NOTIFY_SOCKET": listener.path, "WATCHDOG_USEC": "20000", "WATCHDOG_PID": "1",
        ])
        // It returns at once: the watchdog is for another process.
        await foreign.live { true }
    }

    @Test("a service's credentials complete the variables that are not set")
    func credentials() throws {
        let folder = try TemporaryFolder()
        try "from a file\n".write(to: folder.appending("BROKER_API_TOKEN"), atomically: true, encoding: .utf8)
        try "of a folder\n".write(
            to: folder.appending("countersign_TELEGRAM_BOT_TOKEN"), atomically: true, encoding: .utf8)
        let variables = ["CREDENTIALS_DIRECTORY": folder.url.path]
        let completed = ServiceCredentials.completing(variables)
        #expect(completed["BROKER_API_TOKEN"] == "from a file")
        #expect(completed["TELEGRAM_BOT_TOKEN"] == "of a folder")
        #expect(completed["PHONE_API_TOKEN"] == nil)
        let own = ServiceCredentials.completing(variables.merging(["BROKER_API_TOKEN": "own"]) { $1 })
        #expect(own["BROKER_API_TOKEN"] == "own")
    }
}
