import Foundation
import LoopbackTelegram
import Testing

@Suite("python-telegram-bot against the fake Telegram", .enabled(if: Python.isThere, "COUNTERSIGN_PEERS is not set"))
struct TelegramPeerTests {
    @Test("sends, polls and gets every error by its name", .timeLimit(.minutes(2)))
    func library() async throws {
        try await FakeTelegram.with { telegram, url in
            let script = Python.scripts.appending(path: "telegram_bot.py").path
            let outcome = try await Python.run(
                "python", [script, url, FakeTelegram.token, String(FakeTelegram.chat)])
            #expect(outcome.status == 0, "\(outcome.output)")
            for expected in [
                "me countersign_test_bot True", "sent 1 True hello “world” & Ω", "raised BadRequest", "heard /start",
                "raised RetryAfter 7", "raised Conflict", "raised InvalidToken",
            ] { #expect(outcome.output.contains(expected), "\(expected) in \(outcome.output)") }
            #expect(await telegram.sent.contains { $0.text == "This chat is 4242" })
        }
    }
}
