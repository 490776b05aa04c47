import Foundation
import Machine
import Synchronization

/// A chromedriver with everything that it starts, in its own network.
///
/// A shell watches over it: when its standard input ends, because this process closed it or was killed, it kills the
/// driver's whole session and removes the profile. So nothing is left behind in either case.
final class DriverProcess: Sendable {
    /// The shell's program. `$1` is the driver, `$2` the profile's folder, `$3` the driver's port, `$4` the lock to hold.
    private static let watch = #"""
        program=$1
        folder=$2
        port=$3
        # No core file is as short as one byte, and a program that takes core dumps gets none under this limit only.
        prlimit --pid $$ --core=1:1 2>/dev/null || ulimit -c 0
        echo 0 2>/dev/null >/proc/$$/coredump_filter
        exec 9>"$4" && flock -n 9 || exit 1
        echo prepared
        if read -r word; then
          setsid "$program" --port="$port" --log-level=SEVERE </dev/null 2>/dev/null 9>&- &
          driver=$!
          exec >/dev/null 2>&1
          cat
          found=yes
          while [ -n "$found" ]; do
            found=
            for status in /proc/[0-9]*/stat; do
              read -r line <"$status" || continue
              process=${status#/proc/}
              process=${process%/stat}
              set -- ${line##*) }
              [ "$4" = "$driver" ] && [ "$1" != Z ] && kill -9 "$process" && found=yes
            done
          done
          kill -9 "$driver"
          wait
        fi
        exec >/dev/null 2>&1
        for attempt in 1 2 3 4 5; do rm -rf "$folder" && break; sleep 0.1; done
        """#
    /// In the driver's own network this port is always free.
    private static let ownPort = 9515
    private static let limit: Duration = .seconds(20)
    /// The longest path of the folder in bytes. A Unix socket's path has at most 107 bytes, and Chromium makes one at
    /// `SingletonSocket` in a folder `org.chromium.Chromium.` with six random characters. If that is too long, it ends.
    private static let longestFolder = 62

    private let driver: URL
    /// The shell. Its standard input is the life of the driver.
    private let shell: RunningProgram
    private let said: StandardOutput
    /// Our sockets in the driver's network; nil when it shares this machine's.
    let sockets: NamespaceSockets?
    private let state = Mutex<(port: UInt16?, isConnected: Bool)>((nil, false))

    /// The port that the driver listens on in its network; nil before ``connect(within:answerLimit:observe:)``.
    var port: UInt16? { state.withLock { $0.port } }

    /// Makes the driver's network. The driver itself starts with ``connect(within:observe:)``.
    ///
    /// - Parameter isHeaded: true for a browser with a window, which needs the owner's screen.
    /// - Throws: ``BrowserError``.
    static func prepare(
        _ driver: URL, profile: PrivateProfile, sharesNetwork: Bool, isHeaded: Bool
    ) async throws -> DriverProcess {
        let folder = profile.folder.path
        guard folder.utf8.count <= longestFolder else {
            throw BrowserError(
                .unsupported,
                "the path of the browser's folder \(folder) has \(folder.utf8.count) bytes, and Chromium needs "
                    + "\(longestFolder) or fewer; set TMPDIR to a folder with a shorter path")
        }
        let port = sharesNetwork ? 0 : ownPort
        let watching = [
            "/bin/sh", "-c", watch, "sh", driver.path, folder, String(port),
            profile.folder.appending(path: PrivateProfile.watchName).path,
        ]
        let network = sharesNetwork ? [] : ["unshare", "--user", "--map-current-user", "--net", "--"]
        let environment = Self.environment(home: folder, isHeaded: isHeaded)
        let shell: RunningProgram
        do throws(FileError) {
            // It has to outlive this process for a moment, to end the browser and to remove the profile.
            shell = try RunningProgram(
                ["/usr/bin/env"] + (profile.user?.prefix ?? []) + network + watching, environment: environment, in: nil,
                input: .written, errors: .withOutput, endsWithParent: false)
        } catch {
            throw BrowserError(.missing, error.description)
        }
        let said = StandardOutput(shell)
        do {
            guard try await said.wait(for: "prepared", within: limit) else {
                let words = said.text.trimmingCharacters(in: .whitespacesAndNewlines)
                if profile.user != nil, words.hasPrefix("setpriv") { throw BrowserUser.unsupported(words) }
                guard !sharesNetwork else {
                    throw BrowserError(.crashed, "the shell that watches over the browser ended: \(words.prefix(200))")
                }
                throw NamespaceSockets.unsupported(words)
            }
            let sockets = sharesNetwork ? nil : try NamespaceSockets.open(in: shell.id)
            return DriverProcess(driver, shell, said, sockets)
        } catch {
            await end(shell)
            throw error
        }
    }

    /// Returns the browser's environment: no tokens, no proxy settings, no session of the desktop, and a home of its own. A browser
    /// with a window is told of the screen.
    static func environment(
        of own: [String: String] = ProcessInfo.processInfo.environment, home folder: String, isHeaded: Bool
    ) -> [String: String] {
        let screen =
            isHeaded
            ? own.filter { name, value in
                ["DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY"].contains(name) && !value.isEmpty
            } : [:]
        return screen.merging([
            "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": folder, "TMPDIR": folder,
            "XDG_CONFIG_HOME": folder, "XDG_CACHE_HOME": folder, "LANG": "C.UTF-8",
        ]) { $1 }
    }

    private init(
        _ driver: URL, _ shell: RunningProgram, _ said: StandardOutput, _ sockets: NamespaceSockets?
    ) {
        self.driver = driver
        self.shell = shell
        self.said = said
        self.sockets = sockets
    }

    /// Starts the driver and connects to it.
    ///
    /// - Parameter answerLimit: the longest time for an answer to a command that names no other.
    /// - Parameter observe: called for each event, in their order.
    /// - Throws: ``BrowserError``.
    func connect(
        within limit: Duration, answerLimit: Duration, observe: @escaping @Sendable (BiDiConnection.Event) -> Void
    ) async throws -> BiDiConnection {
        try shell.write("start\n".utf8)
        let said = said
        guard try await said.wait(for: "started successfully on port ", within: min(limit, Self.limit)),
            let match = said.text.firstMatch(of: /started successfully on port (\d+)/), let port = UInt16(match.1)
        else {
            let words = said.text.split(separator: "\n").dropFirst().joined(separator: " ")
            throw BrowserError(
                .nonsense, "\(driver.path) said no port but “\(words.prefix(200))”; is it chromedriver?")
        }
        state.withLock { $0 = (port, true) }
        let socket = try await Self.connect(sockets?.client, to: port)
        return try await BiDiConnection.open(
            over: socket, host: "127.0.0.1:\(port)", answerLimit: answerLimit, observe: observe)
    }

    /// Connects an existing or a new socket to a port of loopback.
    private static func connect(_ existing: CInt?, to port: UInt16) async throws -> CInt {
        try await BlockingWork.run {
            let descriptor = existing ?? socket(AF_INET, streamType, 0)
            guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let result = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    Foundation.connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            guard result == 0 else {
                let reason = String(cString: strerror(errno))
                close(descriptor)
                throw BrowserError(.nonsense, "the driver does not listen on its port \(port): \(reason)")
            }
            return descriptor
        }
    }

    #if canImport(Glibc)
        private static let streamType = Int32(SOCK_STREAM.rawValue)
    #else
        private static let streamType = SOCK_STREAM
    #endif

    /// Kills the driver and the browser, and returns when the profile is gone.
    func end() async {
        if let sockets, state.withLock({ !$0.isConnected }) {
            close(sockets.client)
            state.withLock { $0.isConnected = true }
        }
        await Self.end(shell)
    }

    private static func end(_ shell: RunningProgram) async {
        shell.endInput()
        await shell.ended()
    }
}

/// The output of the shell and the driver. It is read to its end, so that the driver never waits.
private final class StandardOutput: Sendable {
    private let state = Mutex<(text: String, hasEnded: Bool)>(("", false))

    init(_ shell: RunningProgram) {
        shell.follow { [self] piece in
            state.withLock { state in
                if state.text.utf8.count < 65_536 { state.text += String(decoding: piece, as: UTF8.self) }
            }
        } atEnd: { [self] in
            state.withLock { $0.hasEnded = true }
        }
    }

    var text: String { state.withLock { $0.text } }

    /// Waits until a whole line with these words has come. False when the output ends before.
    func wait(for words: String, within limit: Duration) async throws -> Bool {
        let end = ContinuousClock.now + limit
        while ContinuousClock.now < end {
            let (text, hasEnded) = state.withLock { $0 }
            if let range = text.range(of: words), text[range.upperBound...].contains("\n") { return true }
            if hasEnded { return false }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw BrowserError(
            .hung, "chromedriver did not start within \(limit.components.seconds) s; start it by hand once")
    }
}
