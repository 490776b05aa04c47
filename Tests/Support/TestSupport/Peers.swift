import Foundation
import Testing

/// Programs by others that the tests run ours against.
package enum Peers {
    /// The Python of a virtual environment with the packages of `Tests/Peers/requirements.txt`, named by
    /// `COUNTERSIGN_PEERS`; nil where that is not set.
    package static let python = file("COUNTERSIGN_PEERS")

    /// The driver of a headless Chromium, named by `COUNTERSIGN_CHROMEDRIVER`; nil where that is not set.
    package static let chromedriver = file("COUNTERSIGN_CHROMEDRIVER")

    /// Returns a program of this machine; nil where it is not installed.
    package static func program(_ name: String) -> URL? {
        ["/usr/local/bin", "/usr/bin", "/usr/sbin", "/bin"].map { URL(filePath: $0).appending(path: name) }
            .first { access($0.path, X_OK) == 0 }
    }

    /// Returns the place of a script in `Tests/Peers`.
    package static func script(_ name: String) -> URL { Repository.file("Tests/Peers/\(name)") }

    /// Runs a script of `Tests/Peers` with the virtual environment's Python.
    package static func run(
        script name: String, _ arguments: [String] = [], input: Data? = nil
    ) async throws -> ChildProcess.Outcome {
        try await run("python", [script(name).path] + arguments, input: input)
    }

    /// Runs a command that a package installed in the virtual environment.
    package static func run(
        _ command: String, _ arguments: [String], environment: [String: String] = [:], input: Data? = nil
    ) async throws -> ChildProcess.Outcome {
        let python = try #require(python, "COUNTERSIGN_PEERS is not set")
        let program = command == "python" ? python : python.deletingLastPathComponent().appending(path: command)
        return try await ChildProcess.run(
            program, arguments, environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
            input: input, in: FileManager.default.temporaryDirectory)
    }

    private static func file(_ variable: String) -> URL? {
        ProcessInfo.processInfo.environment[variable].map { URL(filePath: $0) }
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips the test, visibly, where `COUNTERSIGN_PEERS` is not set.
    package static var needsPeers: Self {
        .enabled(if: Peers.python != nil, "COUNTERSIGN_PEERS is not set; see make test-peers")
    }

    /// Skips the test, visibly, where a program is not installed.
    package static func needs(_ programs: String...) -> Self {
        let missing = programs.filter { Peers.program($0) == nil }
        return .enabled(if: missing.isEmpty, "not installed: \(missing.joined(separator: ", "))")
    }

    /// Skips the test, visibly, where `COUNTERSIGN_CHROMEDRIVER` is not set.
    package static var needsChromedriver: Self {
        .enabled(if: Peers.chromedriver != nil, "COUNTERSIGN_CHROMEDRIVER is not set; see make test-browser")
    }
}
