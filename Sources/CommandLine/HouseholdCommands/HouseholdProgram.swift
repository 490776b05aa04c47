import Foundation
import Machine
import Terminal

/// One of the programs of a household: the bank, the broker or the phone's page. It is this program, started with other
/// arguments.
final class HouseholdProgram: Sendable {
    /// The time that a program has to end by itself.
    private static let patience: Duration = .seconds(15)

    let name: String
    /// Receives what the program says about its work.
    let log: URL
    private let program: RunningProgram
    /// The lines that the program prints.
    let lines: AsyncStream<String>

    /// Starts the program.
    ///
    /// - Parameter log: a file, which is written anew.
    /// - Throws: ``CommandFailure`` when it cannot be started.
    init(_ name: String, _ arguments: [String], environment: [String: String], log: URL) throws {
        self.name = name
        self.log = log
        try AtomicFile.replaceUnderLock([], to: log)
        let errors = try FileHandle(forWritingTo: log)
        defer { try? errors.close() }
        do {
            // A person's paths can be relative to the folder in which this command was given.
            program = try RunningProgram(
                [URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().path] + arguments, environment: environment,
                in: nil, errors: .file(errors.fileDescriptor))
        } catch {
            throw CommandFailure("the \(name) cannot be started: \(error)")
        }
        lines = program.lines()
    }

    var id: Int32 { program.id }
    var isRunning: Bool { program.isRunning }

    /// Waits until the program ends.
    ///
    /// - Returns: its exit status; nil when the task was cancelled before.
    func end() async -> Int32? {
        let (ended, end) = AsyncStream<Int32>.makeStream()
        Thread.detachNewThread { [program] in
            end.yield(program.end().status)
            end.finish()
        }
        return await ended.first { _ in true }
    }

    /// Asks the program to end, and kills it if it does not.
    func stop() async {
        guard isRunning else { return }
        program.send(SIGTERM)
        let deadline = ContinuousClock.now + Self.patience
        while isRunning, ContinuousClock.now < deadline { try? await Task.sleep(for: .milliseconds(50)) }
        program.kill()
    }

    func hasLogged(_ words: String) -> Bool {
        OpenedFile.text(of: log, atMost: 64 << 20)?.contains(words) ?? false
    }

    /// The last lines of the log, for a failure's message.
    var lastWords: String {
        let end = (try? OpenedFile(log, links: .followed).end(64 << 10)) ?? []
        return String(decoding: end, as: UTF8.self).split(separator: "\n").suffix(5).joined(separator: "\n")
    }
}
