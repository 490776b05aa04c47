import Foundation
import Synchronization

#if canImport(Subprocess)
    import Subprocess
#endif

/// A program from its start to its end, for callers that block.
final class ProgramLife: Sendable {
    private struct State {
        /// Nil until the program runs.
        var id: pid_t?
        /// The reason why it could not be started.
        var refusal: Int32?
        /// True once its number may belong to another process.
        var isReaped = false
        var wasTooSlow = false
        var end: RunningProgram.End?
    }

    /// The program's number.
    let id: pid_t
    private let leadsGroup: Bool
    private let course: Course

    /// The part that the task which runs the program shares with its callers.
    private final class Course: Sendable {
        let state = Mutex(State())
        let hasStarted = DispatchSemaphore(value: 0)
        let hasEnded = DispatchGroup()
        /// Ends when the program may be reaped.
        let hold = AsyncStream<Void>.makeStream()
    }

    /// Starts a program. Blocks until it runs.
    init(
        _ command: [String], _ variables: [String: String]?, _ folder: String?,
        _ descriptors: (input: Int32, output: Int32, errors: Int32), leadsGroup: Bool
    ) throws(FileError) {
        let course = Course()
        self.course = course
        self.leadsGroup = leadsGroup
        #if canImport(Subprocess)
            course.hasEnded.enter()
            let program = Self.configuration(command, variables, folder, leadsGroup: leadsGroup)
            Task(executorPreference: ProgramQueue.shared) {
                await Self.run(program, descriptors, course)
                course.hasEnded.leave()
            }
            course.hasStarted.wait()
        #else
            course.state.withLock { $0.refusal = ENOTSUP }
        #endif
        let (id, refusal) = course.state.withLock { ($0.id, $0.refusal) }
        guard let id else { throw FileError("started", command[0], refusal ?? ENOENT) }
        self.id = id
    }

    // A program that nothing waits for is reaped when it ends.
    deinit { course.hold.continuation.finish() }

    #if canImport(Subprocess)
        private static func configuration(
            _ command: [String], _ variables: [String: String]?, _ folder: String?, leadsGroup: Bool
        ) -> Configuration {
            var options = PlatformOptions()
            if leadsGroup { options.processGroupID = 0 }
            let own = variables.map { variables in
                Environment.custom(
                    Dictionary(uniqueKeysWithValues: variables.map { (Environment.Key(stringLiteral: $0), $1) }))
            }
            return Configuration(
                executable: .path(.init(command[0])), arguments: Arguments(Array(command.dropFirst())),
                environment: own ?? .inherit, workingDirectory: folder.map { .init($0) }, platformOptions: options)
        }

        /// Runs a program until it has ended and was reaped.
        private static func run(
            _ program: Configuration, _ descriptors: (input: Int32, output: Int32, errors: Int32), _ course: Course
        ) async {
            do {
                let result = try await Subprocess.run(
                    program,
                    input: .fileDescriptor(.init(rawValue: descriptors.input), closeAfterSpawningProcess: false),
                    output: .fileDescriptor(.init(rawValue: descriptors.output), closeAfterSpawningProcess: false),
                    error: .fileDescriptor(.init(rawValue: descriptors.errors), closeAfterSpawningProcess: false)
                ) { execution in
                    course.state.withLock { $0.id = execution.processIdentifier.value }
                    course.hasStarted.signal()
                    // Its number stays its own until this returns. So a signal can hit no other process.
                    for await _ in course.hold.stream {}
                }
                course.state.withLock { state in
                    state.isReaped = true
                    switch result.terminationStatus {
                    case .exited(let status): state.end = .exited(status)
                    case .signaled(let signal): state.end = .killed(signal)
                    }
                }
            } catch {
                course.state.withLock { state in
                    state.isReaped = true
                    state.refusal = (error as? SubprocessError)?.underlyingError?.rawValue
                }
                course.hasStarted.signal()
            }
        }
    #endif

    var wasTooSlow: Bool { course.state.withLock(\.wasTooSlow) }

    var isRunning: Bool {
        course.state.withLock { state in
            var about = siginfo_t()
            return !state.isReaped && waitid(P_PID, id_t(id), &about, WEXITED | WNOHANG | WNOWAIT) == 0
                && about.si_signo == 0
        }
    }

    func send(_ signal: Int32) {
        course.state.withLock { state in
            if !state.isReaped { _ = Foundation.kill(leadsGroup ? -id : id, signal) }
        }
    }

    func kill(after limit: Duration) {
        let seconds = Double(limit.components.seconds) + Double(limit.components.attoseconds) / 1e18
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [weak self] in
            guard let self, isRunning else { return }
            course.state.withLock { $0.wasTooSlow = true }
            send(SIGKILL)
        }
    }

    /// Waits until the program has ended. Blocks.
    func end() -> RunningProgram.End {
        var about = siginfo_t()
        while !course.state.withLock(\.isReaped), waitid(P_PID, id_t(id), &about, WEXITED | WNOWAIT) != 0,
            errno == EINTR
        {}
        course.state.withLock { $0.isReaped = true }
        course.hold.continuation.finish()
        course.hasEnded.wait()
        // The system does not say how it ended when another part of this process has waited for it.
        return course.state.withLock { $0.end ?? .exited(255) }
    }
}

#if canImport(Subprocess)
    /// The queue of the tasks that start programs and wait for them. Callers block, and where the threads of Swift's own pool all
    /// wait for a program, none would be left to start it.
    private final class ProgramQueue: TaskExecutor {
        static let shared = ProgramQueue()

        private let queue = DispatchQueue(label: "countersign.programs")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }
#endif
