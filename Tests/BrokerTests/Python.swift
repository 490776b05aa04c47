import Files
import Foundation
import Secrets

/// Programs by others, run with the virtual environment's Python that `COUNTERSIGN_PEERS` names.
enum Python {
    static let interpreter = ProcessInfo.processInfo.environment["COUNTERSIGN_PEERS"].map { URL(filePath: $0) }
    static let isThere = interpreter != nil

    /// `Tests/Peers`, beside this file's folder.
    static let scripts = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Peers")

    struct Outcome: Sendable {
        let status: Int32
        let output: String
    }

    /// - Parameter command: a program of the environment, `python` itself or one that a package brought.
    /// - Returns: what it printed, errors too.
    static func run(
        _ command: String = "python", _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> Outcome {
        guard let interpreter else { throw CocoaError(.fileNoSuchFile) }
        let program = interpreter.deletingLastPathComponent().appending(path: command)
        return try await BlockingWork.run {
            let process = Process()
            process.executableURL = program
            process.arguments = arguments
            process.currentDirectoryURL = FileManager.default.temporaryDirectory
            process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
            let output = Pipe()
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = output
            process.standardError = output
            try process.run()
            let printed = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return Outcome(status: process.terminationStatus, output: String(decoding: printed, as: UTF8.self))
        }
    }
}
