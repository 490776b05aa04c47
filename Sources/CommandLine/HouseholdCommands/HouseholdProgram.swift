import Foundation
import Machine
import Synchronization
import Terminal

/// One of the programs of a household: the bank, the broker or the phone's page. It is this program, started with other
/// arguments.
final class HouseholdProgram: Sendable {
    /// The time that a program has to end by itself.
    private static let patience: Duration = .seconds(15)

    let name: String
    /// Receives what the program says about its work.
    let log: URL
    private let process: Mutex<Process>
    private let ended: AsyncStream<Int32>
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
        let process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = arguments
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardError = try FileHandle(forWritingTo: log)
        let output = Pipe()
        process.standardOutput = output
        let (ended, end) = AsyncStream<Int32>.makeStream(bufferingPolicy: .bufferingOldest(1))
        self.ended = ended
        process.terminationHandler = { process in
            end.yield(process.terminationStatus)
            end.finish()
        }
        do {
            try process.run()
        } catch {
            throw CommandFailure("the \(name) cannot be started: \(error)")
        }
        lines = Self.lines(of: output.fileHandleForReading)
        self.process = Mutex(process)
    }

    private static func lines(of file: FileHandle) -> AsyncStream<String> {
        AsyncStream { lines in
            // Reading blocks: use a thread of its own, not one of the cooperative pool.
            Thread {
                var rest = Data()
                while case let data = file.availableData, !data.isEmpty {
                    rest += data
                    while let end = rest.firstIndex(of: 0x0A) {
                        lines.yield(String(decoding: rest[..<end], as: UTF8.self))
                        rest = Data(rest[(end + 1)...])
                    }
                }
                lines.finish()
            }.start()
        }
    }

    var id: Int32 { process.withLock { $0.processIdentifier } }
    var isRunning: Bool { process.withLock { $0.isRunning } }

    /// Waits until the program ends.
    func end() async -> Int32? {
        for await status in ended { return status }
        return nil
    }

    /// Asks the program to end, and kills it if it does not.
    func stop() async {
        guard isRunning else { return }
        process.withLock { $0.terminate() }
        let deadline = ContinuousClock.now + Self.patience
        while isRunning, ContinuousClock.now < deadline { try? await Task.sleep(for: .milliseconds(50)) }
        if isRunning { kill(id, SIGKILL) }
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
