import Foundation

/// The cost of one run of a program, including its children.
public struct Cost: Sendable {
    public var wall: Duration
    public var processor: Duration
    /// The peak memory, in kilobytes.
    public var memory: Int

    public init(wall: Duration, processor: Duration, memory: Int) {
        self.wall = wall
        self.processor = processor
        self.memory = memory
    }
}

/// Runs a program from start to end through `Launch`, whose own cost is negligible.
public struct Launching {
    private let launch: URL

    /// - Parameter launch: the program `Launch`.
    public init(launch: URL) { self.launch = launch }

    /// - Parameter home: the home of the program's user, if not that of this one.
    /// - Throws: ``FailedProgram`` when the program does not end with 0.
    public func run(_ command: [String], lookingAtTree: Bool = false, home: URL? = nil) throws -> Cost {
        let process = Process()
        process.executableURL = launch
        process.arguments = (lookingAtTree ? ["--tree"] : []) + command
        process.environment = home.map(Environment.bare(home:)) ?? Environment.bare
        let output = Pipe()
        process.standardOutput = output
        // The program's standard output goes there too: this program's standard output is for the numbers.
        let spoken = try StandardError()
        process.standardError = spoken.handle
        try process.run()
        let numbers = output.fileHandleForReading.readDataToEndOfFile().split(separator: UInt8(ascii: " "))
            .compactMap { Int(String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)) }
        process.waitUntilExit()
        guard process.terminationStatus == 0, numbers.count == 3 else {
            throw FailedProgram(
                description:
                    "this ended with \(process.terminationStatus): \(command.joined(separator: " "))\n\(spoken.words)")
        }
        return Cost(wall: .nanoseconds(numbers[0]), processor: .nanoseconds(numbers[1]), memory: numbers[2])
    }
}

/// A program that did not end with 0. It is thrown, so that what a measurement has started can be stopped.
public struct FailedProgram: Error, CustomStringConvertible {
    public let description: String
}
