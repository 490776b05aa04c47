import Foundation

/// The program as a person starts it, run to its end.
package struct CountersignProcess: Sendable {
    package struct Outcome: Sendable {
        package let status: Int32
        package let output: String
        package let errors: String

        package var all: String { output + errors }
    }

    /// An environment without a person's settings. It keeps a sanitizer's options, so that reports go to one place.
    package static let plainEnvironment: [String: String] = ProcessInfo.processInfo.environment
        .filter { ["ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS"].contains($0.key) }
        .merging(["PATH": "/usr/bin:/bin", "HOME": "/nonexistent"]) { $1 }

    package let arguments: [String]
    package var environment: [String: String] = [:]
    /// The standard input; empty when nil.
    package var typed: String?
    package var folder: URL?

    package init(
        _ arguments: [String], environment: [String: String] = [:], typed: String? = nil, in folder: URL? = nil
    ) {
        self.arguments = arguments
        self.environment = environment
        self.typed = typed
        self.folder = folder
    }

    /// Runs the program to its end.
    package func run() async throws -> Outcome {
        let outcome = try await ChildProcess.run(
            Repository.countersign, arguments, environment: Self.plainEnvironment.merging(environment) { $1 },
            input: typed.map { Data($0.utf8) }, in: folder)
        return Outcome(
            status: outcome.status, output: String(decoding: outcome.output, as: UTF8.self),
            errors: String(decoding: outcome.errors, as: UTF8.self))
    }
}
