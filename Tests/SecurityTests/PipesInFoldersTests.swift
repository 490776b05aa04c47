import Foundation
import TestSupport
import Testing

/// Another program of this machine puts a FIFO, a device or an endless file where the owner's programs read.
@Suite("A pipe in a folder that others may write", .timeLimit(.minutes(4)))
struct PipesInFoldersTests {
    /// Something that never ends when it is opened, or read, as a plain file would be.
    enum Trap: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case pipe = "a FIFO"
        case device = "a link to a device"

        var testDescription: String { rawValue }

        func set(at file: URL) throws {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            let code = self == .pipe ? mkfifo(file.path, 0o600) : symlink("/dev/zero", file.path)
            try #require(code == 0)
        }
    }

    /// Each command that reads a file, with the name of the trap.
    static let commands: [(file: String, arguments: [String])] = [
        ("scripts/trap.yaml", ["script", "list", "--scripts", "scripts"]),
        ("trap.yaml", ["script", "lint", "trap.yaml"]),
        ("trap.yaml", ["script", "accept", "trap.yaml", "--home", "home"]),
        ("trap.har", ["script", "new", "--from-har", "trap.har"]),
        ("trap.jsonl", ["script", "new", "--from-survey", "trap.jsonl"]),
        ("trap.yaml", ["broker", "policy", "lint", "trap.yaml"]),
        ("trap.csv", ["archive", "export", "trap.csv"]), ("folder/trap.csv", ["archive", "export", "folder"]),
        ("broker.env", ["config", "check", "--file", "broker.env"]),
    ]

    @Test("keeps no command waiting", arguments: commands.indices, Trap.allCases)
    func waiting(_ index: Int, _ trap: Trap) async throws {
        let (file, arguments) = Self.commands[index]
        let folder = try TemporaryFolder()
        try trap.set(at: folder.appending(file))
        let outcome = try await CountersignProcess(arguments, in: folder.url).run()
        // A list goes on without the file, and names it.
        #expect(outcome.status != 0 || arguments.contains("list"), "\(arguments): \(outcome.all)")
        #expect(
            ["regular file", "no file of transactions"].contains { outcome.all.contains($0) },
            "\(arguments): \(outcome.all)")
    }

    @Test("is read when the shell has opened it for the command")
    func shell() async throws {
        let folder = try TemporaryFolder()
        let program = Repository.countersign.path
        let outcome = try await ChildProcess.run(
            URL(filePath: "/bin/bash"),
            ["-c", "'\(program)' policy lint <(printf 'version: 1\\nrules: []\\n')"],
            environment: CountersignProcess.plainEnvironment, input: nil, in: folder.url)
        #expect(outcome.status == 0, "\(String(decoding: outcome.errors, as: UTF8.self))")
    }
}
