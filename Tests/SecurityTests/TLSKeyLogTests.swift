import Foundation
import MockBank
import Secrets
import TestSupport
import Testing

/// A developer's shell that logs TLS keys for a network analyser, and then runs this program.
@Suite("The keys of TLS sessions")
struct TLSKeyLogTests {
    @Test("are not written where SSLKEYLOGFILE points, by a script at a bank or a command at a broker")
    func keyLog() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var configuration = MockBankConfiguration()
        configuration.usesTLS = true
        let bank = try await MockBankServer.start(configuration)
        try Data(#"{"username": "robin.ashdown", "password": "correct horse", "code": "123456"}"#.utf8)
            .write(to: folder.appending("login.json"))
        let authority = folder.appending("authority.pem")
        try Data(try #require(bank.authorityPEM).utf8).write(to: authority)
        let keys = folder.appending("keys.txt")

        let run = try await CountersignProcess(
            [
                "script", "run", "default", "--at", bank.url, "--ca", authority.path, "--credentials", "login.json",
                "--param", "month=1", "--param", "year=2025", "--dry-run",
            ], environment: ["SSLKEYLOGFILE": keys.path], in: folder.url
        ).run()
        #expect(run.status == 0, "\(run)")
        #expect(!FileManager.default.fileExists(atPath: keys.path), "script run logged the session's keys")

        let requests = try await CountersignProcess(
            ["requests", "--broker", bank.url, "--ca-file", authority.path],
            environment: ["SSLKEYLOGFILE": keys.path, "BROKER_API_TOKEN": "a token"]
        ).run()
        #expect(requests.status == 1, "a bank is not a broker: \(requests)")
        #expect(!FileManager.default.fileExists(atPath: keys.path), "requests logged the session's keys")
        await bank.stop()
    }
}
