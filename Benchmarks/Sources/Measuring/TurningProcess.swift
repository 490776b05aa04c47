import Foundation

/// A process that lives on, and does one thing for each line that it is given.
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
        // The reading end stays open here: a line for a process that has ended then raises no SIGPIPE.
        process.standardInput = input.fileHandleForReading
        process.standardOutput = output
        spoken = try StandardError()
        process.standardError = spoken.handle
        answers = LineReader(output.fileHandleForReading)
        try process.run()
    }

    /// - Parameter sessions: how many fetches are made at once.
    public func turn(_ sessions: Int = 1) throws -> Duration { .nanoseconds(try turn("\(sessions)")[0]) }

    /// - Parameter task: one line.
    /// - Returns: the numbers of the answer, the first of them nanoseconds.
    public func turn(_ task: String) throws -> [Int] {
        try input.fileHandleForWriting.write(contentsOf: Data((task + "\n").utf8))
        let numbers = answers.next()?.split(separator: " ").compactMap { Int($0) } ?? []
        guard !numbers.isEmpty else {
            fatalError(
                "this did not take its turn: \((process.arguments ?? []).joined(separator: " "))\n\(spoken.words)")
        }
        return numbers
    }

    /// The processor time that it and the processes below it have taken until now.
    public var processorTime: Duration { ProcessTree(of: process.processIdentifier).processorTime }

    public func stop() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
