import Foundation
import Machine
import Synchronization
import TestSupport

/// A program whose output is read while it runs.
final class LiveProcess: Sendable {
    let lines: AsyncStream<String>
    private let process: Process
    private let text = Mutex("")

    var printed: String { text.withLock { $0 } }

    init(_ program: URL, _ arguments: [String]) throws {
        let (process, output) = try ChildProcess.starting {
            let process = Process()
            process.executableURL = program
            process.arguments = arguments
            let output = Pipe()
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = output
            process.standardError = output
            try process.run()
            return (process, output)
        }
        self.process = process
        let (lines, writer) = AsyncStream<String>.makeStream()
        self.lines = lines
        Thread.detachNewThread { [self] in
            var rest = Data()
            while case let data = output.fileHandleForReading.availableData, !data.isEmpty {
                text.withLock { $0 += String(decoding: data, as: UTF8.self) }
                rest += data
                while let end = rest.firstIndex(of: 0x0A) {
                    writer.yield(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
                    rest = Data(rest[rest.index(after: end)...])
                }
            }
            writer.finish()
        }
    }

    func status() async -> Int32 {
        let process = process
        return
            (try? await BlockingWork.run {
                process.waitUntilExit()
                return process.terminationStatus
            }) ?? -1
    }
}
