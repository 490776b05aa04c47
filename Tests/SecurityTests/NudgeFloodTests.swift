import Encodings
import Foundation
import Notifications
import Secrets
import TestServers
import Testing

@testable import Broker

@Suite("An agent makes the owner's phone ring", .timeLimit(.minutes(3)))
struct NudgeFloodTests {
    @Test("so many nudges an hour, then one digest")
    func digest() async throws {
        try await FakeTelegram.with { telegram, url in
            let broker = try AttackedBroker()
            try await broker.run(try configuration(broker, url)) { broker in
                for month in 1...8 { _ = try await broker.ask(month: month) }
                while await telegram.sent.count < 3 { try await Task.sleep(for: .milliseconds(10)) }
                try await Task.sleep(for: .milliseconds(200))
                #expect(await telegram.sent.count == 3, "the other five are held back")
                broker.advance(by: 3601)
                while await telegram.sent.count < 4 { try await Task.sleep(for: .milliseconds(10)) }
                #expect(await telegram.sent.last?.text.contains("in the last hour: 5.") == true)
                _ = try await broker.ask(month: 9)
                while await telegram.sent.count < 5 { try await Task.sleep(for: .milliseconds(10)) }
                #expect(await telegram.sent.last?.text.contains("2026-09") == true, "a new hour has begun")
            }
        }
    }

    @Test("a stranger's /start is answered once, however often it comes, and delays no nudge")
    func strangers() async throws {
        try await FakeTelegram.with { telegram, url in
            let broker = try AttackedBroker()
            try await broker.run(try configuration(broker, url)) { broker in
                for _ in 0..<300 { await telegram.write("/start", in: 777) }
                _ = try await broker.ask(month: 2)
                try await Self.wait(for: "2026-02", telegram)
                await telegram.write("/pending")
                try await Self.wait(for: "Waiting for you", telegram)
                try await Self.wait(for: "This chat's id is 777", telegram)
                let answers = await telegram.sent.map(\.chat)
                #expect(answers.count { $0 == "777" } == 1)
            }
        }
    }

    @Test(
        "the bot's token goes to another machine over https only",
        arguments: [
            ("http://bots.example", false), ("http://127.0.0.1.bots.example", false), ("http://localhost.evil", false),
            ("http://127.0.0.1:8081", true), ("http://localhost:8081/x", true), ("http://[::1]:8081", true),
            ("https://bots.example", true),
        ])
    func plainHTTP(base: String, isFine: Bool) throws {
        let environment = [
            "BROKER_API_TOKEN": String(repeating: "a", count: 32), "PHONE_API_TOKEN": String(repeating: "p", count: 32),
            "BROKER_PHONE_SHARED_SECRET": String(repeating: "s", count: 32),
            "ICLOUD_INBOX_PATH": NSTemporaryDirectory(),
            "TELEGRAM_BOT_TOKEN": "1:x", "TELEGRAM_PHONE_CHAT_ID": "42", "TELEGRAM_API_BASE_URL": base,
        ]
        if isFine {
            _ = try BrokerConfiguration(environment: environment)
        } else {
            #expect(throws: BrokerConfigurationError.self) { try BrokerConfiguration(environment: environment) }
        }
    }

    private static func wait(for text: String, _ telegram: FakeTelegram) async throws {
        while true {
            let texts = await telegram.sent.map(\.text)
            if texts.contains(where: { $0.contains(text) }) { return }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    private func configuration(_ broker: AttackedBroker, _ url: String) throws -> BrokerConfiguration {
        var bot = TelegramConfiguration(
            token: Secret(FakeTelegram.token), chatID: String(FakeTelegram.chat), baseURL: url)
        bot.timing.poll = .seconds(1)
        bot.timing.digestLook = .milliseconds(20)
        bot.nudgesPerHour = 3
        var configuration = try broker.configuration
        configuration.telegram = bot
        return configuration
    }
}
