import Foundation
import Machine
import Synchronization
import TestSupport

/// A program whose output is read while it runs.
final class LiveProcess: Sendable {
    let lines: AsyncStream<String>
    private let process: RunningProgram
    private let text = Mutex("")

    var printed: String { text.withLock { $0 } }

    init(_ program: URL, _ arguments: [String]) throws {
        process = try RunningProgram([program.path] + arguments, environment: nil, in: nil, errors: .withOutput)
        let (lines, writer) = AsyncStream<String>.makeStream()
        self.lines = lines
        let printed = process.lines()
        Task { [self] in
            for await line in printed {
                text.withLock { $0 += line + "\n" }
                writer.yield(line)
            }
            writer.finish()
        }
    }

    func status() async -> Int32 {
        await process.ended().code
    }
}
