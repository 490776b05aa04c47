import Encodings
import Foundation
import TestSupport
import Testing

@Suite("countersign broker policy test")
struct PolicyTestCommandTests {
    private static let yaml = """
        version: 1
        rules: [{ bank: "*", agent: tax, require: [passkey], reason: new }]
        agents: [{ agent: tax, banks: [default], files: bytes, per_day: 4 }]
        """

    @Test(
        "says what a policy allows an agent, and ends with a status of its own",
        arguments: [
            (["--agent", "tax", "--from", "last-month"], 0, "needs     passkey"),
            (["--agent", "tax", "--from", "last-month"], 0, "files     bytes, text"),
            (["--agent", "tax", "--from", "last-month"], 0, "at most   4 new requests"),
            (["--agent", "tax", "--bank", "west", "--from", "last-month"], 1, "it allows default"),
            (["--from", "2025-01", "--to", "2025-03", "--kinds", "pdf,camt"], 0, "files     path, text"),
            (["--agent", "tax", "--from", "2025-01", "--json"], 0, "\"per_day\":4"),
            (["--agent", "Tax!", "--from", "2025-01"], 64, "is not an agent's name"),
        ])
    func outcomes(arguments: [String], status: Int32, words: String) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = folder.appending("policy.yaml")
        try Data(Self.yaml.utf8).write(to: file)
        let outcome = try await ChildProcess.run(
            Repository.countersign, ["broker", "policy", "test", file.path] + arguments,
            environment: ["HOME": folder.url.path, "PATH": "/usr/bin:/bin"])
        #expect(outcome.text.contains(words), "\(outcome.text)")
        #expect(outcome.status == status || status == 64 && outcome.status == 2, "\(outcome.text)")
    }

    @Test("means the bank of the broker where none is named")
    func usualBank() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = folder.appending("policy.yaml")
        try Data(Self.yaml.utf8).write(to: file)
        let outcome = try await ChildProcess.run(
            Repository.countersign, ["broker", "policy", "test", file.path, "--agent", "tax", "--from", "2025-01"],
            environment: ["HOME": folder.url.path, "PATH": "/usr/bin:/bin", "BROKER_BANK_ID": "west"])
        #expect(outcome.status == 1 && outcome.text.contains("it allows default"), "\(outcome.text)")
    }

    @Test("refuses a file that is not valid")
    func invalid() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = folder.appending("policy.yaml")
        try Data("version: 2\n".utf8).write(to: file)
        let outcome = try await ChildProcess.run(
            Repository.countersign, ["broker", "policy", "test", file.path, "--from", "2025-01"],
            environment: ["HOME": folder.url.path, "PATH": "/usr/bin:/bin"])
        #expect(outcome.status == 3 && outcome.text.contains("“version” must be 1"), "\(outcome.text)")
    }
}
