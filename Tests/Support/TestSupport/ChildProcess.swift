import Foundation
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

    private static let lock = Mutex(())

    /// Runs `body`, which makes pipes and starts a program with them, while no other program is started.
    ///
    /// Otherwise that other program would inherit the pipes, and they would not end before it does.
    package static func starting<Started: Sendable>(_ body: () throws -> Started) rethrows -> Started {
        try lock.withLock { _ in
            // A program that ends before it has read its input must not end the tests.
            signal(SIGPIPE, SIG_IGN)
            return try body()
        }
    }

    /// Runs a program to its end.
    ///
    /// - Parameter environment: nil for the environment of the tests.
    /// - Parameter input: what the program reads; nothing when nil.
    package static func run(
        _ program: URL, _ arguments: [String], environment: [String: String]? = nil, input: Data? = nil,
        in folder: URL? = nil
    ) async throws -> Outcome {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        try runBlocking(program, arguments, environment: environment, input: input, in: folder)
                    })
            }
        }
    }

    private static func runBlocking(
        _ program: URL, _ arguments: [String], environment: [String: String]?, input: Data?, in folder: URL?
    ) throws -> Outcome {
        let (process, pipes) = try starting {
            let process = Process()
            process.executableURL = program
            process.arguments = arguments
            if let environment { process.environment = environment }
            if let folder { process.currentDirectoryURL = folder }
            let pipes = (input: input.map { _ in Pipe() }, output: Pipe(), errors: Pipe())
            process.standardInput = pipes.input ?? FileHandle.nullDevice
            process.standardOutput = pipes.output
            process.standardError = pipes.errors
            try process.run()
            return (process, pipes)
        }
        let errors = Reader(pipes.errors)
        if let input, let pipe = pipes.input {
            let writing = pipe.fileHandleForWriting
            Thread.detachNewThread {
                // A program that ends before it has read everything is judged by its status.
                try? writing.write(contentsOf: input)
                try? writing.close()
            }
        }
        let output = pipes.output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Outcome(status: process.terminationStatus, output: output, errors: errors.all())
    }

    /// Reads a pipe to its end on a thread of its own, so that the program never waits for it.
    private final class Reader: Sendable {
        private let data = Mutex(Data())
        private let isDone = DispatchSemaphore(value: 0)

        init(_ pipe: Pipe) {
            let reading = pipe.fileHandleForReading
            Thread.detachNewThread { [self] in
                let all = reading.readDataToEndOfFile()
                data.withLock { $0 = all }
                isDone.signal()
            }
        }

        func all() -> Data {
            isDone.wait()
            return data.withLock { $0 }
        }
    }
}
