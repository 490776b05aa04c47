import Foundation

/// A long-running process that does one turn per line of input.
public final class TurningProcess {
    private let process = Process()
    private let input = Pipe()
    private let spoken: StandardError
    private var answers: LineReader

    public init(_ command: [String]) throws {
        process.executableURL = URL(filePath: command[0])
        process.arguments = Array(command.dropFirst())
        process.environment = Environment.bare
        let output = Pipe()
        // Keep the reading end open: writing to an ended process then raises no SIGPIPE.
        process.standardInput = input.fileHandleForReading
        process.standardOutput = output
        spoken = try StandardError()
        process.standardError = spoken.handle
        answers = LineReader(output.fileHandleForReading)
        try process.run()
    }

    /// - Parameter sessions: the number of simultaneous fetches.
    public func turn(_ sessions: Int = 1) throws -> Duration { .nanoseconds(try turn("\(sessions)")[0]) }

    /// - Parameter task: one line.
    /// - Returns: the numbers of the answer; the first is in nanoseconds.
    public func turn(_ task: String) throws -> [Int] {
        try input.fileHandleForWriting.write(contentsOf: Data((task + "\n").utf8))
        let numbers = answers.next()?.split(separator: " ").compactMap { Int($0) } ?? []
        guard !numbers.isEmpty else {
            fatalError(
                "this did not take its turn: \((process.arguments ?? []).joined(separator: " "))\n\(spoken.words)")
        }
        return numbers
    }

    /// The processor time of the process and its descendants so far.
    public var processorTime: Duration { ProcessTree(of: process.processIdentifier).processorTime }

    public func stop() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
