import Foundation
import TestSupport
import Testing

@Suite("A file of credentials that others can read")
struct CredentialsFileModeTests {
    @Test(
        "is warned of, once, by each command that reads one",
        arguments: [
            ["script", "run", "default", "--at", "http://127.0.0.1:1", "--param", "month=1", "--param", "year=2026"],
            [
                "script", "survey", "default", "--at", "http://127.0.0.1:1", "--param", "month=1", "--param",
                "year=2026",
            ],
            ["phone", "setup", "--broker", "http://127.0.0.1:1", "--inbox", "inbox", "--home", "phone"],
            ["up", "--no-open", "--bank", "mock"],
        ], [0o600, 0o640, 0o604])
    func warned(arguments: [String], mode: Int) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = folder.appending("login.json")
        try Data("[]".utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
        let outcome = try await CountersignProcess(
            arguments + ["--credentials", "login.json"], environment: Self.environment(home: folder.url.path),
            in: folder.url
        ).run()
        #expect(outcome.status == 2, "\(outcome)")
        #expect(outcome.errors.contains("login.json is not a JSON object"), "\(outcome.errors)")
        let warnings = outcome.errors.components(separatedBy: "run: chmod 600 login.json").count - 1
        #expect(warnings == (mode == 0o600 ? 0 : 1), "\(outcome.errors)")
    }

    private static func environment(home: String) -> [String: String] {
        let token = String(repeating: "token-", count: 8)
        return ["HOME": home, "PHONE_API_TOKEN": token, "BROKER_PHONE_SHARED_SECRET": token]
    }
}
