import Files
import Foundation
import Synchronization

/// A running chromedriver with everything that it starts.
///
/// A shell watches over it: when its standard input ends, because this process closed it or was killed, it kills the
/// driver's whole session and removes the profile. So nothing is left behind in either case.
final class DriverProcess: Sendable {
    /// The shell's program. `$1` is the driver, `$2` the profile's folder.
    private static let watch = #"""
        program=$1
        folder=$2
        setsid "$program" --port=0 --log-level=SEVERE </dev/null &
        driver=$!
        exec >/dev/null
        cat
        for status in /proc/[0-9]*/stat; do
          read -r line <"$status" || continue
          process=${status#/proc/}
          process=${process%/stat}
          set -- ${line##*) }
          [ "$4" = "$driver" ] && kill -9 "$process"
        done
        kill -9 "$driver"
        wait
        for attempt in 1 2 3 4 5; do rm -rf "$folder" && break; sleep 0.1; done
        """#

    private let process: Process
    private let life: Pipe
    /// Kept, so that what the driver prints later is read and discarded.
    private let output: Pipe
    let port: Int

    /// Starts the driver, and waits until it says its port.
    ///
    /// - Throws: ``BrowserError``.
    static func start(_ driver: URL, profile: URL, limit: Duration = .seconds(20)) async throws -> DriverProcess {
        let process = Process()
        let life = Pipe()
        let output = Pipe()
        // Another run's driver must not inherit this end: it would keep this driver alive.
        for handle in [life.fileHandleForWriting, output.fileHandleForReading] {
            _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC)
        }
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", watch, "sh", driver.path, profile.path]
        process.standardInput = life
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        // The browser gets nothing from our environment: no tokens, no proxy settings, and a home of its own.
        process.environment = [
            "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": profile.path, "TMPDIR": profile.path,
            "XDG_CONFIG_HOME": profile.path, "XDG_CACHE_HOME": profile.path, "LANG": "C.UTF-8",
            "DISPLAY": ProcessInfo.processInfo.environment["DISPLAY"] ?? "",
            "WAYLAND_DISPLAY": ProcessInfo.processInfo.environment["WAYLAND_DISPLAY"] ?? "",
            "XAUTHORITY": ProcessInfo.processInfo.environment["XAUTHORITY"] ?? "",
        ].filter { !$0.value.isEmpty }
        do {
            try process.run()
        } catch {
            throw BrowserError(.missing, "\(driver.path) cannot be started: \(error.localizedDescription)")
        }
        let said = StandardOutput(output.fileHandleForReading)
        do {
            guard let port = try await said.port(within: limit) else {
                throw BrowserError(
                    .nonsense, "\(driver.path) said no port but “\(said.text.prefix(200))”; is it chromedriver?")
            }
            return DriverProcess(process, life, output, port)
        } catch {
            await end(process, life)
            throw error
        }
    }

    private init(_ process: Process, _ life: Pipe, _ output: Pipe, _ port: Int) {
        self.process = process
        self.output = output
        self.life = life
        self.port = port
    }

    /// Kills the driver and the browser, and returns when the profile is gone.
    func end() async { await Self.end(process, life) }

    private static func end(_ process: Process, _ life: Pipe) async {
        try? life.fileHandleForWriting.close()
        try? await BlockingWork.run { process.waitUntilExit() }
    }
}

/// The output of the driver, until it says its port. The rest is read and discarded, so that the driver never waits.
private final class StandardOutput: Sendable {
    private let state = Mutex<(text: String, hasEnded: Bool)>(("", false))

    init(_ handle: FileHandle) {
        handle.readabilityHandler = { [weak self] handle in
            let data = handle.availableData
            if data.isEmpty { handle.readabilityHandler = nil }
            self?.state.withLock { state in
                if data.isEmpty { state.hasEnded = true }
                if state.text.utf8.count < 65_536 { state.text += String(decoding: data, as: UTF8.self) }
            }
        }
    }

    var text: String { state.withLock { $0.text } }

    func port(within limit: Duration) async throws -> Int? {
        let end = ContinuousClock.now + limit
        while ContinuousClock.now < end {
            let (text, hasEnded) = state.withLock { $0 }
            if let match = text.firstMatch(of: /started successfully on port (\d+)/) { return Int(match.1) }
            if hasEnded { return nil }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw BrowserError(
            .hung, "chromedriver did not start within \(limit.components.seconds) s; start it by hand once")
    }
}
