import CLinux
import Foundation
import Synchronization

/// A program from its start to its end, for callers that block.
final class ProgramLife: Sendable {
    private struct State {
        /// Set once its number may belong to another process.
        var end: RunningProgram.End?
        var wasTooSlow = false
    }

    /// The program's number.
    let id: pid_t
    private let leadsGroup: Bool
    private let state = Mutex(State())

    /// Starts a program.
    ///
    /// - Parameter variables: its environment; nil for this process's own.
    init(
        _ command: [String], _ variables: [String: String]?, _ folder: String?,
        _ descriptors: (input: Int32, output: Int32, errors: Int32), leadsGroup: Bool, asksAtTerminal: Bool
    ) throws(FileError) {
        self.leadsGroup = leadsGroup
        let started = StartingThread.shared.run {
            Self.start(command, variables, folder, descriptors, hasOwnGroup: leadsGroup || !asksAtTerminal)
        }
        guard started.code == 0 else { throw FileError("started", command[0], started.code) }
        id = started.id
    }

    // A program that nothing waits for is reaped when it ends.
    deinit {
        guard state.withLock({ $0.end == nil }) else { return }
        var status: Int32 = 0
        guard waitpid(id, &status, WNOHANG) == 0 else { return }
        Thread.detachNewThread { [id] in
            var status: Int32 = 0
            while waitpid(id, &status, 0) < 0, errno == EINTR {}
        }
    }

    /// POSIX_SPAWN_SETSID of spawn.h, which the C library shows only with its extensions switched on.
    #if os(Linux)
        private static let ownSession: Int32 = 0x80
    #else
        private static let ownSession: Int32 = 0x400
    #endif

    /// - Returns: the program's number, and 0 or `errno`.
    private static func start(
        _ command: [String], _ variables: [String: String]?, _ folder: String?,
        _ descriptors: (input: Int32, output: Int32, errors: Int32), hasOwnGroup: Bool
    ) -> (id: pid_t, code: Int32) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // An action that cannot be added would let the program have this process's own file instead.
        var codes = [
            posix_spawn_file_actions_adddup2(&actions, descriptors.input, 0),
            posix_spawn_file_actions_adddup2(&actions, descriptors.output, 1),
            posix_spawn_file_actions_adddup2(&actions, descriptors.errors, 2),
        ]
        if let folder { codes.append(posix_spawn_file_actions_addchdir_np(&actions, folder)) }
        #if os(Linux)
            codes.append(posix_spawn_file_actions_addclosefrom_np(&actions, 3))
        #endif
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        // No process can ask for these two in another way.
        for signal in [SIGKILL, SIGSTOP] { sigdelset(&all, signal) }
        codes.append(posix_spawnattr_setsigmask(&attributes, &none))
        codes.append(posix_spawnattr_setsigdefault(&attributes, &all))
        var flags = Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
        // A new session is also a new group. It has no terminal, so the program can type no commands into one (TIOCSTI).
        if hasOwnGroup { flags |= Self.ownSession }
        codes.append(posix_spawnattr_setflags(&attributes, Int16(flags)))
        let own = variables ?? ProcessInfo.processInfo.environment
        let (arguments, environment) = (command.map { strdup($0) }, own.map { strdup("\($0)=\($1)") })
        defer { for text in arguments + environment { free(text) } }
        var id: pid_t = 0
        let code =
            codes.first { $0 != 0 }
            ?? posix_spawn(&id, command[0], &actions, &attributes, arguments + [nil], environment + [nil])
        return (id, code)
    }

    var wasTooSlow: Bool { state.withLock(\.wasTooSlow) }

    var isRunning: Bool {
        state.withLock { state in
            var about = siginfo_t()
            return state.end == nil && waitid(P_PID, id_t(id), &about, WEXITED | WNOHANG | WNOWAIT) == 0
                && about.si_signo == 0
        }
    }

    func send(_ signal: Int32) {
        state.withLock { state in
            if state.end == nil { _ = Foundation.kill(leadsGroup ? -id : id, signal) }
        }
    }

    func kill(after limit: Duration) {
        let seconds = Double(limit.components.seconds) + Double(limit.components.attoseconds) / 1e18
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [weak self] in
            // A child of a program that has ended can still keep its output open.
            guard let self, leadsGroup ? state.withLock({ $0.end == nil }) : isRunning else { return }
            state.withLock { $0.wasTooSlow = true }
            send(SIGKILL)
        }
    }

    /// Waits until the program has ended. Blocks.
    func end() -> RunningProgram.End {
        var about = siginfo_t()
        // It stays as a zombie, whose number is its own, until it is reaped below.
        while state.withLock({ $0.end == nil }), waitid(P_PID, id_t(id), &about, WEXITED | WNOWAIT) != 0,
            errno == EINTR
        {}
        return state.withLock { state in
            if let end = state.end { return end }
            var status: Int32 = 0
            var reaped = waitpid(id, &status, 0)
            while reaped < 0, errno == EINTR { reaped = waitpid(id, &status, 0) }
            // The macros of wait.h: the lowest seven bits are the signal, the next byte is the exit status.
            let signal = status & 0x7f
            // The system does not say how it ended when another part of this process has waited for it.
            let end: RunningProgram.End =
                reaped < 0 ? .exited(255) : signal == 0 ? .exited(status >> 8 & 0xff) : .killed(signal)
            state.end = end
            return end
        }
    }
}

/// The thread that starts every program, and ends with this process.
///
/// The kernel counts the end of the thread that started a program as the death of its parent (`PR_SET_PDEATHSIG`), and other
/// threads come and go.
private final class StartingThread: Sendable {
    static let shared = StartingThread()

    private let waiting = Mutex<[@Sendable () -> Void]>([])
    private let arrived = DispatchSemaphore(value: 0)

    private init() {
        Thread.detachNewThread { [self] in
            while true {
                arrived.wait()
                waiting.withLock { $0.removeFirst() }()
            }
        }
    }

    /// Calls `body` on the thread. Blocks until it has ended.
    func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> Value {
        let (value, done) = (Box<Value>(), DispatchSemaphore(value: 0))
        waiting.withLock {
            $0.append {
                value.content.withLock { $0 = body() }
                done.signal()
            }
        }
        arrived.signal()
        done.wait()
        return value.content.withLock { $0! }
    }

    private final class Box<Value: Sendable>: Sendable {
        let content = Mutex<Value?>(nil)
    }
}
