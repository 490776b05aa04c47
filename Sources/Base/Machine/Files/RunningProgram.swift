import CLinux
import Foundation
import Synchronization

/// A child process that inherits one file to read, and no other.
///
/// Foundation's `Process` learns of an exit through a socket that every child inherits which starts at the same moment, so
/// it can wait for a stranger's end. This waits for the process itself.
package final class RunningProgram: Sendable {
    package enum End: Equatable {
        case exited(Int32)
        /// The number of the signal.
        case killed(Int32)
    }

    /// For a program that reads untrusted files.
    package static let bareEnvironment = ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": "/nonexistent"]

    private let process: pid_t
    private let leadsGroup: Bool
    private let reading: Int32
    /// True once the process's number may belong to another.
    private let isReaped = Mutex(false)

    /// - Parameters:
    ///   - command: the full path of the program, and its arguments.
    ///   - input: the descriptor of the file that becomes its standard input; nil for an empty one.
    ///   - keepsOutput: false when what it prints is not read.
    ///   - showsErrors: true when its standard error is this process's own.
    ///   - leadsGroup: true to end its own child processes with it; see ``kill()``.
    /// - Throws: `FileError` when it cannot be started.
    package init(
        _ command: [String], reading input: Int32? = nil, environment variables: [String: String] = bareEnvironment,
        keepsOutput: Bool = true, showsErrors: Bool = false, leadsGroup: Bool = false
    ) throws {
        var ends: [Int32] = [-1, -1]
        #if os(Linux)
            let isOpen = pipe2(&ends, O_CLOEXEC) == 0
        #else
            let isOpen = pipe(&ends) == 0
        #endif
        guard isOpen else { throw FileError("opened", "a pipe") }
        reading = ends[0]
        defer { close(ends[1]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // An action that cannot be added would let the program have this process's own file instead.
        var codes: [Int32] = []
        if let input {
            codes.append(posix_spawn_file_actions_adddup2(&actions, input, 0))
        } else {
            codes.append(posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0))
        }
        if keepsOutput {
            codes.append(posix_spawn_file_actions_adddup2(&actions, ends[1], 1))
        } else {
            codes.append(posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0))
        }
        if !showsErrors { codes.append(posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)) }
        codes.append(posix_spawn_file_actions_addchdir_np(&actions, "/"))
        #if os(Linux)
            codes.append(posix_spawn_file_actions_addclosefrom_np(&actions, 3))
        #endif
        let arguments = command.map { strdup($0) }
        let environment = variables.map { strdup("\($0)=\($1)") }
        defer { for text in arguments + environment { free(text) } }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        if leadsGroup {
            posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
            posix_spawnattr_setpgroup(&attributes, 0)
        }
        var started: pid_t = 0
        let code =
            codes.first { $0 != 0 }
            ?? posix_spawn(&started, command[0], &actions, &attributes, arguments + [nil], environment + [nil])
        guard code == 0 else {
            close(ends[0])
            errno = code
            throw FileError("started", command[0])
        }
        process = started
        self.leadsGroup = leadsGroup
    }

    /// Reads what the program prints, until it ends or has printed so many bytes. Blocks.
    package func output(atMost limit: Int) -> [UInt8] {
        var output: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while output.count < limit {
            let count = read(reading, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            output += chunk.prefix(min(count, limit - output.count))
        }
        return output
    }

    /// The process's number.
    package var id: pid_t { process }

    /// Ends the program, unless it has ended, and the processes of its group if it leads one.
    package func kill() {
        isReaped.withLock { isReaped in
            if !isReaped { _ = Foundation.kill(leadsGroup ? -process : process, SIGKILL) }
        }
    }

    /// Waits until the program has ended. Call it once.
    package func end() -> End {
        close(reading)
        var about = siginfo_t()
        while waitid(P_PID, id_t(process), &about, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        return isReaped.withLock { isReaped in
            isReaped = true
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
            // The macros of wait.h: the lowest seven bits are the signal, the next byte is the exit status.
            let signal = status & 0x7f
            return signal == 0 ? .exited(status >> 8 & 0xff) : .killed(signal)
        }
    }
}
