import Foundation
import Machine
import Secrets
import Synchronization

/// The program, running as a child process.
package final class Program: Sendable {
    private let process: RunningProgram
    private let output: Mutex<(text: Data, errors: Data)>
    private let readers = DispatchGroup()

    package var printed: String { String(decoding: output.withLock { $0.text }, as: UTF8.self) }
    package var errors: String { String(decoding: output.withLock { $0.errors }, as: UTF8.self) }

    /// The process identifier.
    package var id: Int32 { process.id }

    /// - Parameters:
    ///   - launcher: a program and its arguments that starts this program, such as setpriv.
    ///   - atTerminal: true to give it a terminal of its own, whose input and output are this program's.
    package init(
        _ arguments: [String], environment: [String: String] = [:], through launcher: [String] = [],
        atTerminal: Bool = false
    ) throws {
        output = Mutex((Data(), Data()))
        var command = launcher + [Repository.countersign.path] + arguments
        if atTerminal {
            let line = command.map { "'" + $0.replacing("'", with: "'\\''") + "'" }.joined(separator: " ")
            command = ["/usr/bin/script", "--quiet", "--return", "--flush", "--command", line, "/dev/null"]
        }
        process = try RunningProgram(
            command, environment: CountersignProcess.plainEnvironment.merging(environment) { $1 }, in: nil,
            input: .written, errors: .kept)
        follow(.output) { $0.text += $1 }
        follow(.errors) { $0.errors += $1 }
    }

    private func follow(
        _ printed: RunningProgram.Printed,
        _ add: @escaping @Sendable (inout (text: Data, errors: Data), ArraySlice<UInt8>) -> Void
    ) {
        readers.enter()
        process.follow(printed) { [self] piece in
            output.withLock { add(&$0, piece) }
        } atEnd: { [readers] in
            readers.leave()
        }
    }

    package func write(_ line: String, endingLine: Bool = true) throws {
        try process.write((line + (endingLine ? "\n" : "")).utf8)
    }

    package func endInput() { process.endInput() }

    package func signal(_ number: Int32) { process.send(number) }

    /// Waits for the program's end, and for the end of what it printed. A program that it left behind may hold the output
    /// open, and is not waited for long.
    ///
    /// - Returns: the exit status, or the signal's number that ended it.
    package func status() async throws -> Int32 {
        try await BlockingWork.run { [process, readers] in
            let end = process.end()
            _ = readers.wait(timeout: .now() + .seconds(5))
            return end.code
        }
    }

    package static func run(_ arguments: [String], environment: [String: String] = [:]) async throws -> (
        status: Int32, output: String, errors: String
    ) {
        let outcome = try await CountersignProcess(arguments, environment: environment).run()
        return (outcome.status, outcome.output, outcome.errors)
    }
}
