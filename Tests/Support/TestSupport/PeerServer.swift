import Foundation
import Machine
import Testing

/// A script of `Tests/Peers` that serves until its input ends, and prints lines.
package final class PeerServer: Sendable {
    private let process: RunningProgram

    package init(_ arguments: [String]) throws {
        let python = try #require(Peers.python, "COUNTERSIGN_PEERS is not set")
        process = try RunningProgram(
            [python.path, Peers.script(arguments[0]).path] + arguments.dropFirst(), environment: nil, in: nil,
            input: .written, errors: .shown)
    }

    package func write(_ line: String) throws { try process.write("\(line)\n".utf8) }

    /// Waits for the next line; an empty one when the script has ended.
    package func line() async throws -> String {
        try await BlockingWork.run { [process] in process.line() ?? "" }
    }

    package func end() { process.endInput() }
}
