import Foundation
import Synchronization

/// Another program that this one has started: the only way in which anything here starts one.
///
/// Whatever starts it, a program
/// - reads nothing of this process's standard input, and inherits no open file but its own three,
/// - gets the variables that it is given, and none of this process's,
/// - has no signal blocked or ignored, however the thread that starts it treats them,
/// - runs in the folder `/`, so that it keeps no other in use,
/// - has its own process group: Ctrl-C at a terminal reaches this process alone, and this process ends the program,
/// - is asked to end (SIGTERM) when this process is gone, also when that was killed,
/// - is waited for by its own number, and no other process's end is taken for its own.
///
/// Each of these can be set otherwise, with a reason. The end with this process comes from setpriv of util-linux, and is
/// missing where that is (docs/decisions/0019-one-way-to-start-programs.md).
public final class RunningProgram: Sendable {
    package enum End: Equatable, Sendable {
        case exited(Int32)
        /// The number of the signal.
        case killed(Int32)

        /// The exit status as a shell gives it: 128 and the signal's number for a program that was killed.
        package var status: Int32 {
            switch self {
            case .exited(let status): status
            case .killed(let signal): 128 + signal
            }
        }
    }

    /// The standard input of a program.
    package enum Input: Sendable {
        /// It is at its end from the start.
        case nothing
        /// An open file, which stays this process's own to close.
        case file(Int32)
        /// The bytes of ``RunningProgram/write(_:)``.
        case written
    }

    /// The standard output of a program, or its standard error.
    package enum Output: Sendable {
        case dropped
        /// The one of this process.
        case shown
        /// An open file, which stays this process's own to close.
        case file(Int32)
        /// A pipe, which ``RunningProgram/output(atMost:)`` or ``RunningProgram/follow(_:_:atEnd:)`` reads.
        case kept
        /// The standard error's only: where the standard output goes.
        case withOutput
    }

    /// The outputs that a program has.
    package enum Printed: Sendable {
        case output, errors
    }

    /// For a program that reads untrusted files.
    package static let bareEnvironment = ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": "/nonexistent"]

    /// The process's number.
    package let id: pid_t
    private let life: ProgramLife
    private let pipes: Mutex<(output: OwnedFile?, errors: OwnedFile?, input: OwnedFile?)>
    /// The part of the standard output that was read and is not a whole line yet.
    private let rest = Mutex<[UInt8]>([])

    /// - Parameters:
    ///   - command: the full path of the program, and its arguments.
    ///   - variables: its environment; nil for this process's own.
    ///   - folder: the folder that it runs in; nil for this process's own.
    ///   - leadsGroup: true to end its own child processes with it; see ``kill()``.
    ///   - asksAtTerminal: true for a program that reads from the terminal by itself, which only the group of this process may.
    ///   - endsWithParent: false for a program that goes on without this process, or watches it in another way. A path in
    ///     `/proc/self`, which is this program itself, always has to.
    ///   - limit: the time after which it is killed; nil for none.
    /// - Throws: `FileError` when it cannot be started.
    package init(
        _ command: [String], environment variables: [String: String]? = bareEnvironment, in folder: String? = "/",
        input: Input = .nothing, output: Output = .kept, errors: Output = .dropped, leadsGroup: Bool = false,
        asksAtTerminal: Bool = false, endsWithParent: Bool = true, limit: Duration? = nil
    ) throws(FileError) {
        let nothing = try OwnedFile(opening: "/dev/null", O_RDWR)
        var (read, written): (OwnedFile?, OwnedFile?) = (nil, nil)
        if case .written = input { (read, written) = try OwnedFile.pipe() }
        let printed = try output.isKept ? OwnedFile.pipe() : nil
        let complained = try errors.isKept ? OwnedFile.pipe() : nil
        let outputDescriptor = output.descriptor(1, printed?.writing ?? nothing)
        var errorDescriptor = errors.descriptor(2, complained?.writing ?? nothing)
        if case .withOutput = errors { errorDescriptor = outputDescriptor }
        let descriptors = (
            input: input.descriptor(read ?? nothing), output: outputDescriptor, errors: errorDescriptor
        )
        life = try ProgramLife(
            try Self.guarded(command, endsWithParent), variables, folder, descriptors, leadsGroup: leadsGroup,
            asksAtTerminal: asksAtTerminal)
        id = life.id
        pipes = Mutex((printed?.reading, complained?.reading, written))
        // The program has copies of its ends. While this process has them open, too, neither pipe would come to its end.
        withExtendedLifetime((nothing, read, printed, complained)) {}
        if let limit { life.kill(after: limit) }
    }

    /// Returns the command behind the one that has the kernel end it with its parent (PR_SET_PDEATHSIG).
    ///
    /// ``ProgramLife`` starts every program on a thread that ends with this process.
    private static func guarded(_ command: [String], _ endsWithParent: Bool) throws(FileError) -> [String] {
        guard endsWithParent, !command[0].hasPrefix("/proc/self/"), let guardian else { return command }
        // The guardian would be started even where the program cannot be.
        guard InstalledProgram.isProgram(command[0]) else {
            throw FileError("started", command[0], access(command[0], F_OK) == 0 ? EACCES : ENOENT)
        }
        return [guardian, "--pdeathsig", "TERM", "--"] + command
    }

    private static let guardian = InstalledProgram.path(of: "setpriv", in: "/usr/bin:/bin:/usr/sbin:/sbin")

    /// Writes to the program's standard input. Blocks while the pipe is full.
    ///
    /// - Throws: `FileError`; with the code `EPIPE` when the program has ended, or reads no more.
    package func write(_ bytes: some Collection<UInt8>) throws(FileError) {
        guard let file = pipes.withLock({ $0.input }) else { throw FileError("written", "its input", EPIPE) }
        let bytes = ContiguousArray(bytes)
        // This thread alone takes the signal of a pipe whose reader is gone, and then drops it.
        var broken = sigset_t()
        var before = sigset_t()
        sigemptyset(&broken)
        sigaddset(&broken, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &broken, &before)
        let code = bytes.withUnsafeBytes { AtomicFile.writeAll($0, to: file.descriptor) }
        if code == EPIPE, sigismember(&before, SIGPIPE) == 0 {
            var pending = sigset_t()
            sigpending(&pending)
            var taken: Int32 = 0
            if sigismember(&pending, SIGPIPE) == 1 { sigwait(&broken, &taken) }
        }
        pthread_sigmask(SIG_SETMASK, &before, nil)
        guard code == 0 else { throw FileError("written", "its input", code) }
    }

    /// Brings the program's standard input to its end.
    package func endInput() { pipes.withLock { $0.input = nil } }

    /// Reads what the program prints, until it ends or has printed so many bytes. Blocks.
    package func output(atMost limit: Int) -> [UInt8] {
        guard let file = pipes.withLock({ $0.output }) else { return [] }
        var output: [UInt8] = []
        while output.count < limit, let piece = file.piece() { output += piece.prefix(limit - output.count) }
        return output
    }

    /// Reads what the program prints, until its output ends, it has printed so many bytes, or it has ended. Blocks.
    ///
    /// Another process that the program has started can keep the output open for ever. What the program itself has printed is in
    /// the pipe when it ends, so that little time is needed for it.
    ///
    /// - Parameter grace: the time for which a program that has ended may still be read.
    package func output(atMost limit: Int, noLongerThanItRunsAnd grace: Duration) -> [UInt8] {
        guard let file = pipes.withLock({ $0.output }) else { return [] }
        var output: [UInt8] = []
        var end: ContinuousClock.Instant?
        while output.count < limit {
            if !isRunning, end == nil { end = .now + grace }
            // The program may have printed its last bytes after the last look at the pipe.
            if let end, end <= .now, !file.hasPiece(within: .zero) { break }
            guard file.hasPiece(within: .milliseconds(20)) else { continue }
            guard let piece = file.piece() else { break }
            output += piece.prefix(limit - output.count)
        }
        return output
    }

    /// Reads the next line that the program prints, without its end; nil when it prints no more. Blocks.
    package func line() -> String? {
        rest.withLock { rest in
            while true {
                if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    defer { rest.removeFirst(end + 1) }
                    return String(decoding: rest[..<end], as: UTF8.self)
                }
                guard let piece = pipes.withLock({ $0.output })?.piece() else { return nil }
                rest += piece
            }
        }
    }

    /// Reads the program's output on a separate thread, so that the program never waits for a reader.
    ///
    /// - Parameters:
    ///   - receive: called with each piece as soon as it is printed.
    ///   - atEnd: called when no process has the pipe open any more.
    package func follow(
        _ printed: Printed = .output, _ receive: @escaping @Sendable (ArraySlice<UInt8>) -> Void,
        atEnd: @escaping @Sendable () -> Void = {}
    ) {
        // The thread's own from here on: the end of the program is not the end of what it has printed.
        let taken = pipes.withLock { pipes in
            switch printed {
            case .output:
                defer { pipes.output = nil }
                return pipes.output
            case .errors:
                defer { pipes.errors = nil }
                return pipes.errors
            }
        }
        guard let file = taken else { return atEnd() }
        Thread.detachNewThread {
            while let piece = file.piece() { receive(piece) }
            atEnd()
        }
    }

    /// The lines that the program prints, without their ends. Can be called once.
    package func lines() -> AsyncStream<String> {
        let (lines, line) = AsyncStream<String>.makeStream()
        let rest = Mutex<[UInt8]>([])
        follow { piece in
            rest.withLock { rest in
                rest += piece
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    line.yield(String(decoding: rest[..<end], as: UTF8.self))
                    rest.removeFirst(end + 1)
                }
            }
        } atEnd: {
            line.finish()
        }
        return lines
    }

    /// True until the program has ended.
    package var isRunning: Bool { life.isRunning }

    /// True when the time limit has ended the program.
    package var wasTooSlow: Bool { life.wasTooSlow }

    /// Sends a signal to the program, and to the processes of its group if it leads one. Does nothing once it has ended.
    package func send(_ signal: Int32) { life.send(signal) }

    /// Ends the program, unless it has ended, and the processes of its group if it leads one.
    package func kill() { send(SIGKILL) }

    /// Waits until the program has ended, and drops what it prints that was not read. Blocks.
    @discardableResult
    package func end() -> End {
        pipes.withLock { ($0.output, $0.errors) = (nil, nil) }
        return life.end()
    }

    /// Waits on a separate thread until the program has ended.
    @discardableResult
    package func ended() async -> End {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in continuation.resume(returning: end()) }
        }
    }

    /// The time for which a program that has ended is still read, where a process that it has started may have its output open.
    private static let grace: Duration = .milliseconds(500)

    /// Runs a program to its end, for a plug-in that asks another program.
    ///
    /// The program is killed when its time is over, or when the task is cancelled.
    ///
    /// - Parameters:
    ///   - command: the full path of the program, and its arguments, which other users of the machine can see.
    ///   - variables: its environment, all of it.
    ///   - size: the most bytes of its output.
    /// - Returns: what it printed; nil when it cannot be started, or did not end with 0.
    public static func printed(
        by command: [String], environment variables: [String: String], atMost size: Int = 64 << 10,
        within limit: Duration
    ) async -> [UInt8]? {
        guard let program = try? RunningProgram(command, environment: variables, leadsGroup: true, limit: limit) else {
            return nil
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    let output = program.output(atMost: size, noLongerThanItRunsAnd: grace)
                    continuation.resume(returning: program.end() == .exited(0) ? output : nil)
                }
            }
        } onCancel: {
            program.kill()
        }
    }

    /// Runs a program to its end, or kills it when its time is over or its output too long. Blocks.
    ///
    /// - Returns: what it printed; nil when it cannot be started, or did not end with 0.
    package static func output(
        of command: [String], environment: [String: String]?, atMost size: Int, within limit: Duration
    ) -> [UInt8]? {
        guard
            let program = try? RunningProgram(command, environment: environment, leadsGroup: true, limit: limit)
        else { return nil }
        let output = program.output(atMost: size, noLongerThanItRunsAnd: grace)
        return program.end() == .exited(0) ? output : nil
    }
}

extension RunningProgram.Input {
    fileprivate func descriptor(_ own: OwnedFile) -> Int32 {
        if case .file(let descriptor) = self { return descriptor }
        return own.descriptor
    }
}

extension RunningProgram.Output {
    fileprivate var isKept: Bool {
        if case .kept = self { return true }
        return false
    }

    fileprivate func descriptor(_ shown: Int32, _ own: OwnedFile) -> Int32 {
        switch self {
        case .dropped, .kept, .withOutput: own.descriptor
        case .shown: shown
        case .file(let descriptor): descriptor
        }
    }
}
