import Foundation
import Machine
import Secrets
import Synchronization
import TestSupport

/// A child process, with its output. It ends with this process, however that ends.
final class Child: Sendable {
    private struct Printed {
        var lines: [String] = []
        var rest = ""
        var bytes = 0
    }

    private let process: RunningProgram
    private let printed = Mutex(Printed())
    private let readers = DispatchGroup()
    private let onLine: @Sendable (String) -> Void

    /// The folder of the executables: the one of this program.
    static func executable(_ name: String) -> URL {
        URL(filePath: ProcessInfo.processInfo.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: name)
    }

    /// - Parameter onLine: receives each line of both outputs as soon as it is printed, on a separate thread.
    init(
        _ executable: URL, _ arguments: [String], environment: [String: String] = [:],
        onLine: @escaping @Sendable (String) -> Void = { _ in }
    ) throws {
        self.onLine = onLine
        // A crash alone is a finding; its backtrace would take longer than the rest of the part.
        let plain = ["PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "SWIFT_BACKTRACE": "enable=no"]
        process = try RunningProgram(
            [executable.path] + arguments, environment: plain.merging(environment) { $1 }, in: nil, errors: .withOutput)
        Children.started.add(self)
        readers.enter()
        process.follow { [self] piece in
            take(piece)
        } atEnd: { [readers] in
            readers.leave()
        }
    }

    private func take(_ data: ArraySlice<UInt8>) {
        let complete = printed.withLock { printed in
            printed.bytes += data.count
            printed.rest += String(decoding: data, as: UTF8.self)
            var parts = printed.rest.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            printed.rest = parts.removeLast()
            printed.lines += parts
            return parts
        }
        for line in complete { onLine(line) }
    }

    var pid: Int32 { process.id }
    var lines: [String] { printed.withLock { $0.lines } }
    var printedBytes: Int { printed.withLock(\.bytes) }
    var isRunning: Bool { process.isRunning }

    func signal(_ number: Int32) { process.send(number) }

    /// - Returns: the exit status, or the number of the signal that ended the program.
    @discardableResult
    func end() async -> Int32 {
        let status = try? await BlockingWork.run { [process, readers] in
            let end = process.end()
            // A grandchild may hold the pipe open.
            _ = readers.wait(timeout: .now() + 2)
            return end.code
        }
        Children.started.remove(self)
        return status ?? -1
    }

    func killed() async {
        signal(SIGKILL)
        await end()
    }

    /// Asks the program to end, and kills it if it does not.
    func stopped() async {
        signal(SIGTERM)
        for _ in 0..<500 where isRunning { try? await Task.sleep(for: .milliseconds(20)) }
        await killed()
    }
}

/// A condition that was not met in time.
struct Impatience: Error, CustomStringConvertible {
    let description: String
}

/// Checks a condition repeatedly until it holds.
///
/// - Returns: whether it held in time.
func eventually(within limit: Duration, _ isSo: () async throws -> Bool) async rethrows -> Bool {
    let end = ContinuousClock.now + limit
    while true {
        if try await isSo() { return true }
        if ContinuousClock.now >= end { return false }
        try? await Task.sleep(for: .milliseconds(15))
    }
}

/// Prints a line without buffering.
func say(_ line: String) {
    try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
}
