import Foundation
import Machine
import Synchronization

/// Runs programs to their end without blocking a thread that tasks share.
package enum ChildProcess {
    package struct Outcome: Sendable {
        package let status: Int32
        package let output: Data
        package let errors: Data

        /// Both outputs, as text.
        package var text: String { String(decoding: output + errors, as: UTF8.self) }
    }

    /// Runs a program to its end.
    ///
    /// - Parameter environment: nil for the environment of the tests.
    /// - Parameter input: what the program reads; nothing when nil.
    package static func run(
        _ program: URL, _ arguments: [String], environment: [String: String]? = nil, input: Data? = nil,
        in folder: URL? = nil
    ) async throws -> Outcome {
        let running = try RunningProgram(
            [program.path] + arguments, environment: environment, in: folder?.path,
            input: input == nil ? .nothing : .written, errors: .kept)
        if let input {
            Thread.detachNewThread {
                // A program that ends before it has read everything is judged by its status.
                try? running.write(input)
                running.endInput()
            }
        }
        let output = all(.output, of: running)
        let errors = all(.errors, of: running)
        let status = await running.ended().code
        return Outcome(
            status: status, output: await output.first { _ in true } ?? Data(),
            errors: await errors.first { _ in true } ?? Data())
    }

    /// Reads everything that a program prints.
    private static func all(_ printed: RunningProgram.Printed, of program: RunningProgram) -> AsyncStream<Data> {
        let (all, end) = AsyncStream<Data>.makeStream()
        let data = Mutex(Data())
        program.follow(printed) { piece in
            data.withLock { $0 += piece }
        } atEnd: {
            end.yield(data.withLock { $0 })
            end.finish()
        }
        return all
    }
}

extension RunningProgram.End {
    /// The exit status, or the number of the signal that ended the program.
    package var code: Int32 {
        switch self {
        case .exited(let status): status
        case .killed(let signal): signal
        }
    }
}
