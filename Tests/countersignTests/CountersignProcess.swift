import Foundation
import TestSupport

/// The program as a person starts it, run to its end.
struct CountersignProcess: Sendable {
    struct Outcome: Sendable {
        let status: Int32
        let output: String
        let errors: String

        var all: String { output + errors }
    }

    /// An environment without a person's settings. It keeps a sanitizer's options, so that reports go to one place.
    static let plainEnvironment: [String: String] = ProcessInfo.processInfo.environment
        .filter { ["ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS"].contains($0.key) }
        .merging(["PATH": "/usr/bin:/bin", "HOME": "/nonexistent"]) { $1 }

    let arguments: [String]
    var environment: [String: String] = [:]
    /// The standard input; empty when nil.
    var typed: String?
    var folder: URL?

    init(_ arguments: [String], environment: [String: String] = [:], typed: String? = nil, in folder: URL? = nil) {
        self.arguments = arguments
        self.environment = environment
        self.typed = typed
        self.folder = folder
    }

    /// Runs the program to its end.
    func run() async throws -> Outcome {
        let outcome = try await ChildProcess.run(
            Repository.countersign, arguments, environment: Self.plainEnvironment.merging(environment) { $1 },
            input: typed.map { Data($0.utf8) }, in: folder)
        return Outcome(
            status: outcome.status, output: String(decoding: outcome.output, as: UTF8.self),
            errors: String(decoding: outcome.errors, as: UTF8.self))
    }
}
