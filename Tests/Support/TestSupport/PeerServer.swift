import Foundation
import Machine
import Testing

/// A script of `Tests/Peers` that serves until its input ends, and prints lines.
package final class PeerServer: Sendable {
    private let process: Process
    private let input = Pipe()
    private let output = Pipe()

    package init(_ arguments: [String]) throws {
        let python = try #require(Peers.python, "COUNTERSIGN_PEERS is not set")
        process = try ChildProcess.starting { [input, output] in
            let process = Process()
            process.executableURL = python
            process.arguments = [Peers.script(arguments[0]).path] + arguments.dropFirst()
            process.standardInput = input
            process.standardOutput = output
            try process.run()
            return process
        }
    }

    package func write(_ line: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
    }

    /// Waits for the next line.
    package func line() async throws -> String {
        try await BlockingWork.run { [output] in
            var bytes: [UInt8] = []
            while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") {
                bytes.append(byte)
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    package func end() { try? input.fileHandleForWriting.close() }
}
