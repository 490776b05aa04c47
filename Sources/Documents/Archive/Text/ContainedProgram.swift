import Foundation
import Machine

/// A program that reads a file of someone else's making, with limits on time, memory and output, and without a network
/// where this system allows that.
///
/// In a program with confined processes this program starts it in one, which can open the system's own files alone and make
/// no connection; see `Confinement`. In other programs the limits are set by `prlimit` and the network namespace is made by
/// `unshare`, both of util-linux. So no code of this process runs between fork and exec.
struct ContainedProgram: Sendable {
    struct Limits: Sendable {
        /// Seconds on the clock, and of the processor.
        var seconds = 20
        /// Bytes of address space.
        var memory = 1 << 30
        /// Bytes of output; the program ends there.
        var output = 2 << 20
    }

    enum Outcome: Sendable {
        case finished(status: Int32, output: [UInt8])
        /// The output reached its limit.
        case cut(output: [UInt8])
        case tooSlow
    }

    private static let folders = "/usr/bin:/bin:/usr/local/bin"

    private let command: [String]
    private let limits: Limits
    /// False where the kernel gives this user no network namespace: the program then could use the network.
    let hasNoNetwork: Bool
    /// True where the program runs in a confined process.
    let isConfined: Bool

    /// Finds a program. Nil where it is not installed, and where limits cannot be set.
    ///
    /// - Parameter confining: the start of a command line that runs a program confined; nil for one that does not.
    init?(
        _ name: String, _ arguments: [String], limits: Limits = Limits(),
        confining: (_ seconds: Int, _ memory: Int) -> [String]? = ConfinedReader.prefix
    ) {
        guard let program = Self.path(of: name) else { return nil }
        self.limits = limits
        if let prefix = confining(limits.seconds, limits.memory) {
            (isConfined, hasNoNetwork) = (true, true)
            command = prefix + [program] + arguments
            return
        }
        guard let prlimit = Self.path(of: "prlimit") else { return nil }
        isConfined = false
        let apart = Self.separation
        hasNoNetwork = !apart.isEmpty
        command =
            apart + [
                prlimit, "--as=\(limits.memory)", "--cpu=\(limits.seconds)", "--fsize=0", "--core=0", "--nofile=32",
                "--",
                program,
            ] + arguments
    }

    private static func path(of name: String) -> String? { InstalledProgram.path(of: name, in: folders) }

    /// The start of a command line that leaves the network behind; empty where the kernel forbids it.
    private static let separation: [String] = {
        guard let unshare = path(of: "unshare"), let nothing = path(of: "true") else { return [] }
        let prefix = [unshare, "--user", "--map-current-user", "--net", "--"]
        guard let trial = try? RunningProgram(prefix + [nothing], output: .dropped) else { return [] }
        return trial.end() == .exited(0) ? prefix : []
    }()

    /// Runs the program to its end. Blocks.
    ///
    /// - Parameter input: the file that the program reads on its standard input, and the only one; nil for an empty one.
    func run(reading input: FileHandle? = nil) throws -> Outcome {
        let program = try RunningProgram(
            command, input: input.map { .file($0.fileDescriptor) } ?? .nothing, limit: .seconds(limits.seconds))
        let output = program.output(atMost: limits.output)
        let isCut = output.count == limits.output
        if isCut { program.kill() }
        switch program.end() {
        case _ where isCut: return .cut(output: output)
        case _ where program.wasTooSlow, .killed(SIGXCPU): return .tooSlow
        case let end: return .finished(status: end.status, output: output)
        }
    }
}
