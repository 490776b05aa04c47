import Foundation
import MockBank
import TestSupport
import Testing

@Suite("The trace of a run in the browser, replayed", .serialized)
struct ReplayInBrowserTests {
    @Test("is refused with the reason and what to do", .needsChromedriver, .timeLimit(.minutes(3)))
    func refused() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let configuration = MockBankConfiguration()
        let login = [
            "username": configuration.username, "password": configuration.password, "code": configuration.oneTimeCode,
        ]
        try JSONEncoder().encode(login).write(to: folder.appending("login.json"))
        let bank = try await MockBankServer.start(configuration)
        let period = ["--param", "month=11", "--param", "year=2025"]
        let run = try await CountersignProcess(
            [
                "script", "run", "default", "--at", bank.url, "--engine", "browser", "--credentials", "login.json",
                "--dry-run", "--trace", "trace",
            ] + period, environment: ["TMPDIR": folder.url.path, "HOME": folder.url.path], in: folder.url
        ).run()
        await bank.stop()
        #expect(run.status == 0, "\(run.all)")
        let replay = try await CountersignProcess(
            ["script", "replay", "default", "--at", bank.url, "--har", "trace/trace.har"] + period, in: folder.url
        ).run()
        #expect(replay.status == 2, "\(replay.all)")
        #expect(replay.errors.contains("a trace of a run in the browser has only the heads of exchanges"))
        #expect(replay.errors.contains("trace a run with --engine html"), "\(replay.errors)")
    }
}
