import Broker
import Clocks
import Encodings
import Foundation
import Messages
import Secrets
import TestParties
import TestServers
import TestSupport
import Testing

@testable import Notifications

/// A broker without requests.
private struct NoRequests: AnnouncedRequests {
    func countWaiting() async throws -> Int { 0 }
    func waiting(atMost limit: Int) async throws -> [WaitingRequest] { [] }
    func remember(message: String, for id: RequestID) async throws {}
    func end(of id: RequestID) async throws -> RequestEnd? { nil }
    func countMessage(wasSent: Bool) {}
}

@Suite("Telegram", .timeLimit(.minutes(3)))
struct TelegramTests {
    /// Runs a broker whose bot talks to a fake Telegram.
    private func run(
        _ change: @escaping @Sendable (inout TelegramConfiguration) -> Void = { _ in },
        _ body: @escaping @Sendable (BrokerStage, FakeTelegram) async throws -> Void
    ) async throws -> BrokerStage {
        try await FakeTelegram.with { telegram, url in
            let stage = try BrokerStage()
            var bot = TelegramConfiguration(
                token: Secret(FakeTelegram.token), chatID: String(FakeTelegram.chat), baseURL: url)
            bot.timing.poll = .seconds(1)
            bot.timing.firstPause = .milliseconds(10)
            bot.timing.longestPause = .milliseconds(50)
            bot.timing.conflictPause = .milliseconds(30)
            change(&bot)
            var configuration = stage.configuration
            configuration.telegram = bot
            try await stage.run(configuration) { stage in try await body(stage, telegram) }
            return stage
        }
    }

    /// Polls until the condition holds. The suite's time limit ends a condition that never does.
    private func until(_ isSo: () async throws -> Bool) async throws {
        while try await !isSo() { try await Task.sleep(for: .milliseconds(10)) }
    }

    @Test("an agent's reason is quoted as its words, and nothing in it is tappable")
    func reason() throws {
        let time = Timestamp(Date(timeIntervalSince1970: 1_770_000_000))
        var envelope = RequestEnvelope(
            bankID: "default", period: try #require(MonthYear(month: 2, year: 2026)), issuedAt: time,
            approvalExpiresAt: time)
        #expect(!OwnerMessage(asking: envelope).text.contains("words"))
        envelope.reason = AgentReason("tax, see https://evil.example")
        let text = OwnerMessage(asking: envelope).text
        #expect(text.contains(" Its reason, in its own words: “tax, see https: / / evil. example”. Open"), "\(text)")
    }

    @Test("receive Telegram nudge: it has the request's id and period, and its message id is stored")
    func nudge() async throws {
        _ = try await run { stage, telegram in
            let id = try await stage.request(month: 2)
            try await until { await !telegram.sent.isEmpty }
            let nudge = try #require(await telegram.sent.first)
            #expect(nudge.chat == String(FakeTelegram.chat))
            #expect(nudge.text.contains(id.description) && nudge.text.contains("2026-02"))
            try await until { try stage.column("telegram_message_id", of: id) == "1" }
        }
    }

    @Test("tells of an offer once, also when it is made again, and within the limit of requests")
    func offers() async throws {
        _ = try await run(
            { $0.nudgesPerHour = 2 },
            { stage, telegram in
                for month in ["2026-01", "2026-01", "2026-02", "2026-03"] {
                    let body: JSONValue = ["from": .string(month), "to": .string(month)]
                    #expect(try await stage.send("POST", "/offers", body).status == 202)
                }
                // An answer to a command comes after every announcement.
                await telegram.write("/pending")
                try await until { await telegram.sent.contains { $0.text == "No request waits for you." } }
                let told = await telegram.sent.map(\.text).filter { $0.contains("offers the documents of") }
                #expect(told.count == 2, "\(told)")
                #expect(told.first?.contains("2026-01, pdf, for when you have time") == true)
                #expect(told.last?.contains("2026-02") == true)
            })
    }

    @Test("announces a completion, for information", arguments: [true, false])
    func completion(isOn: Bool) async throws {
        _ = try await run(
            { $0.announcesCompletions = isOn },
            { stage, telegram in
                let id = try await stage.request()
                _ = try await stage.decide(id, "APPROVE")
                try stage.publish(id)
                try await until { try await stage.status(id) == "COMPLETED" }
                if isOn {
                    try await until { await telegram.sent.contains { $0.text.contains("complete") } }
                } else {
                    // A message that is certainly sent shows that none was sent before it.
                    await telegram.write("/start")
                    try await until { await telegram.sent.count >= 2 }
                    #expect(await !telegram.sent.contains { $0.text.contains("complete") })
                }
            })
    }

    static let ends: [(end: String, words: String)] = [
        ("deny", "was denied"), ("expire", "was not approved in time"),
        ("fail", "failed: the bank did not accept the sign-in"), ("complete", "is complete"),
    ]

    @Test("the announcement of a request says how it ended, and only a failure makes another message", arguments: ends)
    func end(end: String, words: String) async throws {
        _ = try await run { stage, telegram in
            let id = try await stage.request()
            try await until { try stage.column("telegram_message_id", of: id) == "1" }
            switch end {
            case "deny": _ = try await stage.decide(id, "DENY")
            case "expire":
                stage.clock.advance(by: 3600)
                try await until { try await stage.status(id) == "EXPIRED" }
            case "fail":
                _ = try await stage.decide(id, "APPROVE")
                let report: JSONValue = [
                    "error_code": "BANK_LOGIN_FAILED", "error_message": "<b>call +44 20 7946 0000</b>",
                    "failed_at": .string(Timestamp(stage.clock.now).description),
                ]
                #expect(try await stage.send("POST", "/phone/requests/\(id)/failure", as: .phone, report).status == 200)
            default:
                _ = try await stage.decide(id, "APPROVE")
                try stage.publish(id)
            }
            try await until { await telegram.texts[1]?.contains(words) == true }
            #expect(await telegram.texts[1]?.contains(id.description) == true)
            if end == "fail" {
                try await until { await telegram.texts[2] != nil }
                #expect(await telegram.texts[2]?.contains(words) == true)
                for text in await telegram.texts.values { #expect(!text.contains("7946"), "the bank's words stay out") }
            }
            // A message that is certainly sent shows that none came before it.
            let others = end == "deny" || end == "expire" ? 0 : 1
            await telegram.write("/start")
            try await until { await telegram.sent.contains { $0.text.contains("notifies you here") } }
            #expect(await telegram.sent.count == 2 + others)
        }
    }

    @Test("a message that says so already is left as it is, and nothing is logged")
    func sameEnd() async throws {
        let stage = try await run { stage, telegram in
            let id = try await stage.request()
            try await until { try stage.column("telegram_message_id", of: id) == "1" }
            stage.clock.advance(by: 3600)
            for _ in 1...3 { #expect(try await stage.decide(id, "APPROVE").status == 408) }
            try await until { await telegram.count(of: "editMessageText") >= 2 }
            #expect(await telegram.texts[1]?.contains("was not approved in time") == true)
        }
        #expect(!stage.logged.contains { $0.contains("could not be sent") })
    }

    @Test("many changes of one request displace no message")
    func manyChanges() async throws {
        try await FakeTelegram.with { telegram, url in
            let configuration = TelegramConfiguration(
                token: Secret(FakeTelegram.token), chatID: String(FakeTelegram.chat), baseURL: url)
            let notifier = ChannelNotifier(
                TelegramChannel.name, TelegramChannel(configuration), requests: NoRequests(),
                logger: LogRecords().logger, now: { Date() })
            let (first, busy) = (RequestID(), RequestID())
            notifier.announceCompletion(of: first)
            for _ in 0..<500 { notifier.follow(busy) }
            let sending = Task { await notifier.run() }
            try await until { await telegram.sent.contains { $0.text.contains(first.description) } }
            sending.cancel()
            await sending.value
        }
    }

    @Test("announces no request when that is turned off")
    func silent() async throws {
        _ = try await run(
            { $0.announcesRequests = false },
            { stage, telegram in
                _ = try await stage.request()
                await telegram.write("/pending")
                try await until { await !telegram.sent.isEmpty }
                #expect(await telegram.sent.map(\.text).allSatisfy { $0.hasPrefix("Waiting for you") })
            })
    }

    @Test("answers no command when commands are off")
    func deaf() async throws {
        _ = try await run(
            { $0.listens = false },
            { stage, telegram in
                _ = try await stage.request()
                try await until { await !telegram.sent.isEmpty }
                #expect(await telegram.count(of: "getUpdates") == 0)
            })
    }

    @Test("/start answers with the chat's id in any chat, /pending with the open requests in the person's")
    func commands() async throws {
        _ = try await run { stage, telegram in
            let id = try await stage.request()
            try await until { await telegram.sent.count == 1 }
            await telegram.write("/start", in: 777)
            await telegram.write("/pending", in: 777)
            await telegram.write("/pending@countersign_test_bot please")
            try await until { await telegram.sent.count == 3 }
            let answers = await telegram.sent.dropFirst()
            #expect(answers.map(\.chat) == ["777", String(FakeTelegram.chat)])
            #expect(answers.first?.text.contains("777") == true)
            #expect(answers.last?.text.contains(id.short) == true)
        }
    }

    @Test("writes in the language of the owner's Telegram, and in the one chosen on the page once the phone tells it")
    func language() async throws {
        let stage = try await run { stage, telegram in
            // A stranger's language is theirs alone.
            await telegram.write("/start", in: 777, language: "fr")
            try await until { await telegram.sent.count == 1 }
            #expect(
                await telegram.sent.last?.text.hasPrefix("L\u{2019}identifiant de cette conversation est 777.") == true)
            await telegram.write("/pending", language: "de-AT")
            try await until { await telegram.sent.count == 2 }
            #expect(await telegram.sent.last?.text == "Es wartet keine Anfrage auf Sie.")
            _ = try await stage.request(month: 2)
            try await until { await telegram.sent.count == 3 }
            #expect(await telegram.sent.last?.text.contains("fragt den Kontoauszug für Februar 2026 an") == true)
            let banks: JSONValue = ["banks": [["bank_id": "default", "name": "Meridian"]], "language": "es"]
            let answer = try await stage.send("PUT", "/phone/banks", as: .phone, banks)
            #expect(answer.status == 200 && answer.json["language"] == "es")
            #expect(try await stage.send("GET", "/banks").json["language"] == nil, "no agent's business")
        }
        // Both are still known after a restart.
        try await FakeTelegram.with { telegram, url in
            var configuration = stage.configuration
            configuration.telegram = TelegramConfiguration(
                token: Secret(FakeTelegram.token), chatID: String(FakeTelegram.chat), baseURL: url)
            configuration.telegram?.timing.poll = .seconds(1)
            try await stage.run(configuration) { stage in
                _ = try await stage.request(month: 3)
                try await until { await telegram.sent.count == 1 }
                #expect(await telegram.sent.last?.text.contains("pide el extracto de marzo de 2026") == true)
            }
        }
    }

    @Test(
        "no received message changes any state",
        arguments: ["APPROVE", "/approve", "/deny", "/completed", "{\"decision\":\"APPROVE\"}", "/start; approve"])
    func noAuthority(text: String) async throws {
        _ = try await run { stage, telegram in
            let id = try await stage.request()
            await telegram.write(text)
            await telegram.write("/approve \(id)")
            await telegram.write("/pending")
            try await until { await telegram.sent.contains { $0.text.hasPrefix("Waiting") } }
            #expect(try await stage.status(id) == "PENDING_APPROVAL")
        }
    }

    @Test(
        "a message is retried until it is sent, and no request waits for it",
        arguments: [
            FakeTelegram.Fault.tooMany(after: 1), .broken, .lost,
        ])
    func faults(fault: FakeTelegram.Fault) async throws {
        let stage = try await run { stage, telegram in
            await telegram.fail("sendMessage", fault, fault)
            await telegram.hold("sendMessage")
            let before = ContinuousClock.now
            _ = try await stage.request()
            // The request is answered before Telegram answers its first message.
            #expect(await telegram.count(of: "sendMessage") <= 1)
            try await until { await telegram.count(of: "sendMessage") == 1 }
            #expect(await telegram.sent.isEmpty)
            await telegram.release("sendMessage")
            try await until { await !telegram.sent.isEmpty }
            #expect(await telegram.count(of: "sendMessage") == 3)
            if case .tooMany = fault { #expect(ContinuousClock.now - before >= .seconds(2), "retry_after is honoured") }
        }
        #expect(stage.logged.contains { $0.contains("a message to the owner could not be sent") })
    }

    @Test("a refused message is not retried")
    func refused() async throws {
        _ = try await run { stage, telegram in
            await telegram.fail("sendMessage", .blocked)
            _ = try await stage.request()
            _ = try await stage.request(month: 3)
            try await until { await !telegram.sent.isEmpty }
            #expect(await telegram.sent.first?.text.contains("2026-03") == true)
            #expect(await telegram.count(of: "sendMessage") == 2)
        }
    }

    @Test(
        "listening resumes after a conflict, a network failure or a rate limit",
        arguments: [FakeTelegram.Fault.conflict, .lost, .broken, .tooMany(after: 1)])
    func listening(fault: FakeTelegram.Fault) async throws {
        let stage = try await run { stage, telegram in
            await telegram.fail("getUpdates", fault, fault)
            await telegram.write("/start")
            try await until { await !telegram.sent.isEmpty }
        }
        #expect(
            stage.logged.count { $0.contains("Telegram messages cannot be received") } <= 2,
            "said once, not at each try")
    }

    @Test("is checked with the broker", arguments: [true, false])
    func check(isKnown: Bool) async throws {
        try await FakeTelegram.with { telegram, url in
            let stage = try BrokerStage()
            var configuration = stage.configuration
            configuration.telegram = TelegramConfiguration(
                token: Secret(FakeTelegram.token), chatID: String(FakeTelegram.chat), baseURL: url)
            if !isKnown { await telegram.fail("getMe", .blocked) }
            let findings = await BrokerCheck(configuration).findings()
            let finding = try #require(findings.first { $0.subject == .telegram })
            #expect(finding.isGood == isKnown)
            let words = isKnown ? "Telegram knows the bot, @countersign_test_bot" : "Telegram does not know the bot: "
            #expect(finding.text.hasPrefix(words), "\(finding.text)")
        }
    }

    @Test("a failure sends no message of its own when completions are not told, and the announcement still says so")
    func quietFailure() async throws {
        _ = try await run(
            { $0.announcesCompletions = false },
            { stage, telegram in
                let id = try await stage.request()
                try await until { try stage.column("telegram_message_id", of: id) == "1" }
                _ = try await stage.decide(id, "APPROVE")
                let report: JSONValue = [
                    "error_code": "BANK_LOGIN_FAILED", "error_message": "words of the bank",
                    "failed_at": .string(Timestamp(stage.clock.now).description),
                ]
                #expect(try await stage.send("POST", "/phone/requests/\(id)/failure", as: .phone, report).status == 200)
                try await until { await telegram.texts[1]?.contains("failed: ") == true }
                // A message that is certainly sent shows that none came before it.
                await telegram.write("/start")
                try await until { await telegram.sent.contains { $0.text.contains("notifies you here") } }
                #expect(await telegram.sent.count == 2)
            })
    }

    @Test("the token appears in no log, also after failures", arguments: [true, false])
    func token(isServed: Bool) async throws {
        let stage = try await run(
            {
                if !isServed { $0.baseURL = "http://127.0.0.1:1" }
                $0.timing.attempts = 2
            },
            { stage, telegram in
                await telegram.fail("sendMessage", .broken, .lost, .tooMany(after: 1), .blocked)
                await telegram.fail("getUpdates", .broken, .lost, .conflict, .blocked)
                _ = try await stage.request()
                try await until {
                    stage.logged.count { $0.contains("could not be sent") || $0.contains("Telegram") } >= 2
                }
            })
        let secret = FakeTelegram.token.split(separator: ":")[1]
        for record in stage.logged { #expect(!record.contains(secret), "\(record)") }
    }
}

@Suite(
    "The fake Telegram has the members that the Bot API's types require",
    .needsVectors)
struct FakeTelegramTypeTests {
    @Test("User, Message, Update")
    func types() async throws {
        let api = try JSONReader.read(Vectors.data("telegram/api.json"), limits: JSONLimits(size: 16 << 20))
        let telegram = FakeTelegram()
        func result(_ method: String, _ parameters: [String: String] = [:]) async -> JSONValue {
            await telegram.answer(FakeTelegram.token, method, parameters)?.json?["result"] ?? .null
        }
        try check(await result("getMe"), is: "User", api)
        try check(await result("sendMessage", ["chat_id": "4242", "text": "x"]), is: "Message", api)
        await telegram.write("/start now")
        let updates = await result("getUpdates")
        try check(try #require(updates.arrayValue?.first), is: "Update", api)
    }

    private func check(_ value: JSONValue, is type: String, _ api: JSONValue) throws {
        let members = try #require(value.objectValue, "\(type)")
        let fields = try #require(api["types"]?[type]?["fields"]?.arrayValue)
        let names = Set(fields.compactMap { $0["name"]?.stringValue })
        #expect(Set(members.keys).isSubset(of: names), "\(type) has no such members")
        for field in fields {
            guard let name = field["name"]?.stringValue else { continue }
            guard let member = members[name] else {
                #expect(field["required"] != true, "\(type) needs \(name)")
                continue
            }
            let types = field["types"]?.arrayValue?.compactMap(\.stringValue) ?? []
            #expect(types.contains { fits(member, $0) }, "\(type).\(name) is one of \(types)")
            if let inner = types.first(where: { api["types"]?[$0] != nil }), member.objectValue != nil {
                try check(member, is: inner, api)
            }
        }
    }

    private func fits(_ value: JSONValue, _ type: String) -> Bool {
        switch type {
        case "Integer": value.intValue != nil
        case "String": value.stringValue != nil
        case "Boolean": value.boolValue != nil
        case _ where type.hasPrefix("Array of"): value.arrayValue != nil
        default: value.objectValue != nil
        }
    }
}
