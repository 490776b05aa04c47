import Foundation
import Measuring

/// A running broker, as the load sees it.
final class BrokerProcess {
    struct Ports: Sendable {
        let broker: Int
        let emptyRoute: Int
    }

    let ports: Ports
    private let process = Process()
    private let input = Pipe()

    init(home: URL, stored: Int) throws {
        process.executableURL = URL(filePath: CommandLine.arguments[0])
        process.arguments = ["serve", home.path, "\(stored)"]
        process.environment = Environment.bare
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        var lines = LineReader(output.fileHandleForReading)
        let numbers = lines.next()?.split(separator: " ").compactMap { Int($0) } ?? []
        guard numbers.count == 2 else { fatalError("the broker did not say its ports") }
        ports = Ports(broker: numbers[0], emptyRoute: numbers[1])
    }

    var peakMemory: Int { Memory.peak(of: process.processIdentifier) }

    func stop() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}

enum Memory {
    /// The peak memory of a process, in megabytes.
    static func peak(of process: pid_t = getpid()) -> Int {
        let text = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return (line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0) / 1024
    }
}
