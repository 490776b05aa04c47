import Encodings
import Foundation
import Synchronization

/// Reads bytes of a stranger's making in a process of this program that has no right: no file, no network, no secret.
///
///     let reader = ConfinedReader(for: FileTask.self)
///     let answer = try reader.perform(["call": "check"], on: bytes)
///
/// The process starts with the first call, or earlier with ``start()``, and ends with this object, so give the files of one
/// bank, or of one sender, one reader: a file that takes the process over can lie about those that follow.
///
/// In a program that has not called ``install(_:)``, and on other systems than Linux, the work is done in this process.
package final class ConfinedReader: Sendable {
    private static let command = Mutex<[String]?>(nil)

    /// Gives the readers of this process a separate process. Called once, at the start of a program that serves
    /// ``readingCommand`` and ``programCommand``.
    ///
    /// - Parameter program: the path of this program.
    package static func install(_ program: String) {
        #if os(Linux)
            // The shadow memory of a sanitizer does not fit into the limits.
            let sanitizers = ["__asan_init", "__tsan_init"]
            guard !sanitizers.contains(where: { name in dlsym(dlopen(nil, RTLD_NOW), name) != nil }) else { return }
            command.withLock { $0 = [program] }
        #endif
    }

    /// The first argument of this program as a confined process that reads.
    package static let readingCommand = "confined-reader"
    /// The first argument of this program as the start of a confined program; see `ConfinedProgram`.
    package static let programCommand = "confined-program"

    /// The start of a command line that runs a program confined; nil in a program without confined processes.
    package static func prefix(seconds: Int, memory: Int) -> [String]? {
        command.withLock(\.self).map { $0 + [programCommand, "\(seconds)", "\(memory)"] }
    }

    /// The beginning of the command that starts this program again as another process; nil in a program without confined
    /// processes.
    package static func program(_ name: String) -> [String]? { command.withLock(\.self).map { $0 + [name] } }

    /// True in a program with confined processes.
    package static var isInstalled: Bool { command.withLock { $0 != nil } }

    /// A sentence for the start of a program on a kernel without Landlock; nil when all is well.
    package static var notice: String? {
        #if os(Linux)
            return isInstalled && systemLandlock == 0 ? lackOfLandlock : nil
        #else
            return nil
        #endif
    }

    /// The version of Landlock's interface that this system gives to this process; 0 without it.
    package static var systemLandlock: Int {
        #if os(Linux)
            Confinement.landlockVersion
        #else
            0
        #endif
    }

    package static let lackOfLandlock =
        "this system has no Landlock (Linux 5.13 and later), so only seccomp holds the processes that read foreign files: "
        + "none can open a connection, but pdftotext can read this user's files; "
        + "nothing keeps the process that visits a bank from them either"

    private let task: any ConfinedTask.Type
    private let own: [String]?
    private let limit: Duration
    #if os(Linux)
        /// The process with the time that it has worked. The lock is held during a call.
        private let process = Mutex<(running: ConfinedProcess, worked: Duration)?>(nil)
        /// A process that has worked so long is followed by another one: its limit of processor time is for its whole life.
        private static let longestWork = Duration.seconds(10)
    #endif

    /// - Parameter limit: the longest time for a call, on the clock.
    package convenience init(for task: any ConfinedTask.Type, limit: Duration = .seconds(120)) {
        let own = Self.command.withLock(\.self).map { $0 + [Self.readingCommand, task.name] }
        self.init(for: task, command: own, limit: limit)
    }

    /// - Parameter command: the command line of the confined process; nil to work in this one.
    package init(for task: any ConfinedTask.Type, command: [String]?, limit: Duration = .seconds(120)) {
        self.task = task
        own = command
        self.limit = limit
    }

    #if os(Linux)
        deinit { _ = process.withLock { $0?.running.end() } }
    #endif

    /// Starts the process, so that the first call finds it ready. A failure is told by that call.
    package func start() {
        #if os(Linux)
            guard let own else { return }
            process.withLock { process in
                if process == nil, let started = try? ConfinedProcess(own) { process = (started, .zero) }
            }
        #endif
    }

    /// Does work on bytes. Blocks, so call it on a separate thread.
    ///
    /// - Throws: ``ConfinedReaderError``. The next call has a new process.
    package func perform(
        _ order: JSONValue, on bytes: [UInt8]
    ) throws(ConfinedReaderError) -> ConfinedAnswer {
        #if os(Linux)
            if let own {
                return try using(own) { (process) throws(ConfinedReaderError) in
                    try process.call(order, on: bytes, within: limit)
                }
            }
        #endif
        return task.perform(order, on: bytes)
    }

    /// Starts the process and asks what holds in it.
    ///
    /// - Returns: the version of Landlock's interface, 0 without Landlock; nil in a program without confined processes.
    /// - Throws: ``ConfinedReaderError`` when files cannot be read confined at all.
    package func landlockVersion() throws(ConfinedReaderError) -> Int? {
        #if os(Linux)
            if let own {
                return try using(own) { (process) throws(ConfinedReaderError) in try process.ready(within: limit) }
            }
        #endif
        return nil
    }

    #if os(Linux)
        private func using<Answer: Sendable>(
            _ command: [String], _ body: (ConfinedProcess) throws(ConfinedReaderError) -> Answer
        ) throws(ConfinedReaderError) -> Answer {
            try process.withLock { (slot) throws(ConfinedReaderError) -> Answer in
                let (running, worked): (ConfinedProcess, Duration)
                if let slot {
                    (running, worked) = slot
                } else {
                    (running, worked) = (try ConfinedProcess(command), .zero)
                }
                slot = nil
                let began = ContinuousClock.now
                do throws(ConfinedReaderError) {
                    let answer = try body(running)
                    let total = worked + (ContinuousClock.now - began)
                    if total < Self.longestWork { slot = (running, total) } else { _ = running.end() }
                    return answer
                } catch {
                    let end = running.end()
                    if case .ended = error { throw .killed(end) }
                    throw error
                }
            }
        }
    #endif
}

/// Why a stranger's file was not read: the confined process failed, which a file that is made to harm can bring about.
package enum ConfinedReaderError: Error, Sendable, CustomStringConvertible {
    /// The system did not start the process.
    case notStarted(String)
    /// The process could not give its rights up, and so read nothing.
    case notConfined(String)
    /// The connection ended. Replaced by ``killed(_:)`` once it is known how.
    case ended
    case killed(RunningProgram.End)
    case tooSlow(Duration)
    /// Bytes came that are not an answer.
    case malformed(String)

    package var description: String {
        let name = "the confined reader (the process of countersign that reads foreign files)"
        let doubt = "the file may be damaged or made to harm, so it is not accepted"
        switch self {
        case .notStarted(let reason): return "\(name) could not be started: \(reason)"
        case .notConfined(let reason):
            return "\(name) cannot give up its rights on this system, so it reads nothing: \(reason)"
        case .ended: return "\(name) ended before its answer; \(doubt)"
        case .killed(.killed(let signal)): return "\(name) was ended by signal \(signal); \(doubt)"
        case .killed(.exited(let status)): return "\(name) ended with status \(status) before its answer; \(doubt)"
        case .tooSlow(let limit):
            return "\(name) took longer than \(limit.components.seconds) s and was ended; \(doubt)"
        case .malformed(let reason): return "\(name) gave a senseless answer (\(reason)); \(doubt)"
        }
    }
}
