import Files
import Foundation
import Secrets

/// Third-party programs in the Python virtual environment that `COUNTERSIGN_PEERS` names.
enum Python {
    static let interpreter = ProcessInfo.processInfo.environment["COUNTERSIGN_PEERS"].map { URL(filePath: $0) }
    static let isThere = interpreter != nil

    /// The folder `Tests/Peers`.
    static let scripts = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Peers")

    struct Outcome: Sendable {
        let status: Int32
        let output: String
    }

    /// Runs a program.
    ///
    /// - Parameter command: a program of the environment: `python`, or one that a package installed.
    /// - Returns: its status and its output with errors.
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
