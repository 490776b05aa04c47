import Foundation
import Synchronization

/// strace attached to a running program: it counts file calls, kills the program at one, or makes some fail.
final class Tracer: Sendable {
    /// The calls that change or open files. A question mark is for calls that some processors lack.
    static let fileCalls =
        "openat,?open,?creat,write,writev,pwrite64,fsync,fdatasync,?rename,?renameat,renameat2,?unlink,unlinkat,"
        + "ftruncate,?mkdir,mkdirat,?link,linkat"

    private let child: Child
    private let calls: CountedCalls

    /// The number of calls so far.
    var count: Int { calls.count }
    /// True once strace has made a call fail.
    var hasInjected: Bool { child.lines.contains { $0.contains("(INJECTED)") } }
    /// True if the failing call was one that libdispatch makes about its threads. It ends the program (SIGILL) when it
    /// cannot open `/proc/…/stat` of a worker, and no program can prevent that.
    var hasHitThreads: Bool { Self.failedCalls(in: child.lines).contains { $0.contains("\"/proc/") } }

    /// The last call that failed, for messages.
    var lastCall: String { Self.failedCalls(in: child.lines).last ?? "no call" }

    /// The failed calls with their arguments. The arguments are on an earlier line if another thread's line intervened.
    private static func failedCalls(in lines: [String]) -> [String] {
        var begun: [Substring: String] = [:]
        var failed: [String] = []
        for line in lines {
            let thread = line.prefix { $0.isNumber }
            if line.contains("<unfinished ...>") {
                begun[thread] = line
            } else if line.contains("(INJECTED)") {
                failed.append((line.contains(" resumed>") ? begun[thread] ?? "" : "") + line)
            }
        }
        return failed
    }

    private final class CountedCalls: Sendable {
        private let number = Mutex(0)

        var count: Int { number.withLock { $0 } }

        func increment() -> Int {
            number.withLock { number in
                number += 1
                return number
            }
        }
    }

    /// The reason why strace cannot trace here; nil if it can.
    static func obstacle() async -> String? {
        let executable = "/usr/bin/strace"
        guard FileManager.default.isExecutableFile(atPath: executable) else {
            return "strace is not installed (apt-get install strace)"
        }
        guard let child = try? Child(URL(filePath: executable), ["-e", "trace=none", "/bin/true"]),
            await child.end() == 0
        else { return "strace may not trace here; a container needs the capability SYS_PTRACE" }
        return nil
    }

    /// Follows a program, and kills it after a number of file calls, before the next one takes effect.
    static func killing(_ program: Child, after last: Int) async throws -> Tracer {
        // Each call is delayed a little, so that the reader of the trace can act before the next one.
        try await Tracer(program, "inject=\(fileCalls):delay_enter=4000") { count in
            if count == last { program.signal(SIGKILL) }
        }
    }

    /// Makes a program's file calls fail.
    ///
    /// - Parameter when: `3` for the third call of each thread, `1+` for all calls.
    static func failing(_ program: Child, _ calls: String, _ error: String, when: String) async throws -> Tracer {
        try await Tracer(program, "inject=\(calls):error=\(error):when=\(when)")
    }

    /// A call that another thread's line interrupts continues as “resumed”, without its arguments.
    private static let isWholeCall: @Sendable (String) -> Bool = { $0.contains(" = ") && !$0.contains("unfinished") }

    /// Counts how often a program waits for the disk after writing to a file, which is given by the end of its name.
    static func syncing(_ program: Child, _ file: String) async throws -> Tracer {
        try await Tracer(program, ["-y", "-e", "trace=fsync,fdatasync"]) { $0.contains("\(file)>") }
    }

    private convenience init(
        _ program: Child, _ injection: String, onCall: @escaping @Sendable (Int) -> Void = { _ in }
    ) async throws {
        try await self.init(program, ["-e", "trace=\(Self.fileCalls)", "-e", injection], onCall: onCall)
    }

    private init(
        _ program: Child, _ arguments: [String], counting isCounted: @escaping @Sendable (String) -> Bool = isWholeCall,
        onCall: @escaping @Sendable (Int) -> Void = { _ in }
    ) async throws {
        let counted = CountedCalls()
        calls = counted
        child = try Child(
            URL(filePath: "/usr/bin/strace"),
            ["-f", "-p", "\(program.pid)", "-o", "/dev/stdout"] + arguments
        ) { line in
            guard isCounted(line) else { return }
            onCall(counted.increment())
        }
        let isAttached = await eventually(within: .seconds(60)) { child.lines.contains { $0.contains(" attached") } }
        guard isAttached else { throw Impatience(description: "strace does not attach: \(child.lines.suffix(2))") }
    }

    /// Detaches from the program.
    func detach() async {
        child.signal(SIGINT)
        for _ in 0..<200 where child.isRunning { try? await Task.sleep(for: .milliseconds(10)) }
        await child.killed()
    }
}
