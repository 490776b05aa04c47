import Foundation
import TestServers
import TestSupport
import Testing

@Suite("python-telegram-bot against the fake Telegram", .needsPeers)
struct TelegramPeerTests {
    @Test("sends, polls and gets every error by its name", .timeLimit(.minutes(4)))
    func library() async throws {
        try await FakeTelegram.with { telegram, url in
            let script = Peers.script("telegram_bot.py").path
            let outcome = try await Peers.run(
                "python", [script, url, FakeTelegram.token, String(FakeTelegram.chat)])
            #expect(outcome.status == 0, "\(outcome.text)")
            for expected in [
                "me countersign_test_bot True", "sent 1 True hello “world” & Ω", "edited True changed",
                "raised BadRequest", "heard /start",
                "raised RetryAfter 7", "raised Conflict", "raised InvalidToken",
            ] { #expect(outcome.text.contains(expected), "\(expected) in \(outcome.text)") }
            #expect(await telegram.sent.contains { $0.text == "This chat is 4242" })
        }
    }
}
