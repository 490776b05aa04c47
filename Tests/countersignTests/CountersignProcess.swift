import Foundation

/// The program as a person starts it.
struct CountersignProcess: Sendable {
    struct Outcome: Sendable {
        let status: Int32
        let output: String
        let errors: String

        var all: String { output + errors }
    }

    /// The executable lies beside the test bundle.
    private static let executable =
        Bundle.allBundles.map(\.bundleURL).first { $0.pathExtension == "xctest" }
        .map { $0.deletingLastPathComponent().appending(path: "countersign") }
        ?? URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "countersign")

    /// Nothing of a person's own; a sanitizer's options, so that its reports go where those of the tests go.
    static let plainEnvironment: [String: String] = ProcessInfo.processInfo.environment
        .filter { ["ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS"].contains($0.key) }
        .merging(["PATH": "/usr/bin:/bin", "HOME": "/nonexistent"]) { $1 }

    let arguments: [String]
    var environment: [String: String] = [:]
    /// What is typed, line by line; nothing when nil.
    var typed: String?
    var folder: URL?

    init(_ arguments: [String], environment: [String: String] = [:], typed: String? = nil, in folder: URL? = nil) {
        self.arguments = arguments
        self.environment = environment
        self.typed = typed
        self.folder = folder
    }

    /// Blocks until the program has ended.
    func run() throws -> Outcome {
        let process = Process()
        process.executableURL = Self.executable
        process.arguments = arguments
        process.environment = Self.plainEnvironment.merging(environment) { $1 }
        if let folder { process.currentDirectoryURL = folder }
        let output = Pipe()
        let errors = Pipe()
        let input = typed.map { _ in Pipe() }
        process.standardInput = input ?? FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        if let typed, let input {
            try input.fileHandleForWriting.write(contentsOf: Data(typed.utf8))
            try input.fileHandleForWriting.close()
        }
        let printed = output.fileHandleForReading.readDataToEndOfFile()
        let complained = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Outcome(
            status: process.terminationStatus, output: String(decoding: printed, as: UTF8.self),
            errors: String(decoding: complained, as: UTF8.self))
    }

    /// The same while this process serves what the program asks for: the wait has a thread of its own.
    func runBeside() async throws -> Outcome {
        try await withCheckedThrowingContinuation { continuation in
            Thread { continuation.resume(with: Result { try self.run() }) }.start()
        }
    }
}
