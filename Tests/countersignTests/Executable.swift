import Foundation

/// The program as it is built, run as a person runs it.
enum Executable {
    struct Outcome {
        let status: Int32
        let output: String
        let errors: String

        var all: String { output + errors }
    }

    /// The executable lies beside the test bundle.
    private static let url =
        Bundle.allBundles.map(\.bundleURL).first { $0.pathExtension == "xctest" }
        .map { $0.deletingLastPathComponent().appending(path: "countersign") }
        ?? URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "countersign")

    /// Nobody is at the terminal, and the home is nowhere unless `environment` says so.
    ///
    /// - Parameter input: a file that the program reads as its standard input.
    static func run(
        _ arguments: [String], environment: [String: String] = [:], in folder: URL? = nil, input: URL? = nil
    ) throws -> Outcome {
        let process = Process()
        process.executableURL = url
        process.arguments = arguments
        process.environment = ["PATH": "/usr/bin:/bin", "HOME": "/nonexistent"].merging(environment) { $1 }
        if let folder { process.currentDirectoryURL = folder }
        let output = Pipe()
        let errors = Pipe()
        process.standardInput = try input.map { try FileHandle(forReadingFrom: $0) } ?? .nullDevice
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let printed = output.fileHandleForReading.readDataToEndOfFile()
        let complained = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Outcome(
            status: process.terminationStatus, output: String(decoding: printed, as: UTF8.self),
            errors: String(decoding: complained, as: UTF8.self))
    }
}
