import Logging

/// Receives the bot's messages by long polling and answers two commands: `/start` with the chat's id, and `/pending`, in
/// the person's own chat, with the pending requests. No message changes any state.
struct TelegramListener: Sendable {
    /// The strangers whose answer is remembered. Beyond them, no stranger is answered.
    private static let mostStrangers = 1000

    /// A message to a person who is not the owner.
    private struct Answer: Sendable {
        let chat: String
        let text: String
    }

    private let configuration: TelegramConfiguration
    private let bot: TelegramBot
    private let desk: ChannelDesk
    /// Answers to strangers wait apart, and few of them: a flood of them must not delay or drop an announcement.
    private let strangers: AsyncStream<Answer>
    private let strangersEntrance: AsyncStream<Answer>.Continuation

    init(_ configuration: TelegramConfiguration, _ bot: TelegramBot, _ desk: ChannelDesk) {
        self.configuration = configuration
        self.bot = bot
        self.desk = desk
        (strangers, strangersEntrance) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(20))
    }

    /// Runs until the task is cancelled, or Telegram rejects the bot.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await receive() }
            group.addTask { for await answer in strangers { await deliver(answer) } }
            await group.next()
            group.cancelAll()
        }
    }

    private func receive() async {
        var backoff = TelegramBackoff(configuration.timing)
        var offset = 0
        var isLost = false
        var answered: Set<String> = []
        while !Task.isCancelled {
            do {
                let updates = try await bot.updates(from: offset)
                if isLost { desk.logger.info("receiving Telegram messages again") }
                isLost = false
                backoff.reset()
                for update in updates {
                    offset = max(offset, update.id + 1)
                    await answer(update, &answered)
                }
            } catch {
                if Task.isCancelled { return }
                if !isLost {
                    desk.logger.warning("Telegram messages cannot be received", metadata: ["error": "\(error)"])
                }
                isLost = true
                guard let pause = backoff.pause(after: error) else {
                    return desk.logger.error("the bot's commands are off", metadata: ["error": "\(error)"])
                }
                try? await Task.sleep(for: pause)
            }
        }
    }

    /// - Parameter strangers: the chats of other people that got their answer: each gets one.
    private func answer(_ update: TelegramUpdate, _ strangers: inout Set<String>) async {
        guard let chat = update.chatID else { return }
        if chat == configuration.chatID, let language = update.language {
            await desk.language.learn(language, from: .telegram)
        }
        switch update.command {
        case "/start" where chat == configuration.chatID:
            desk.answer(await desk.language.text("answer.start", ["chat": chat]))
        case "/start":
            guard strangers.count < Self.mostStrangers, strangers.insert(chat).inserted else { return }
            let text = OwnerText(OwnerLanguage.language(of: update.language) ?? .english)
            strangersEntrance.yield(Answer(chat: chat, text: text("answer.stranger", ["chat": chat])))
        case "/pending" where chat == configuration.chatID:
            do {
                desk.answer(Self.list(try await desk.requests.waiting(atMost: 20), in: await desk.language.text))
            } catch {
                desk.logger.error("the pending requests could not be listed", metadata: ["error": "\(error)"])
            }
        default: break
        }
    }

    /// Answers a stranger, with one try.
    private func deliver(_ answer: Answer) async {
        do {
            _ = try await bot.sendMessage(answer.text, to: answer.chat)
            desk.requests.countMessage(wasSent: true)
        } catch {
            guard !Task.isCancelled else { return }
            desk.logger.warning("a Telegram message could not be sent", metadata: ["error": "\(error)"])
            desk.requests.countMessage(wasSent: false)
        }
    }

    private static func list(_ waiting: [WaitingRequest], in text: OwnerText) -> String {
        guard !waiting.isEmpty else { return text("answer.nothing") }
        let lines = waiting.map { request in
            var values = ["id": request.id.short, "until": text.time(request.approvalExpiresAt)]
            values["period"] = request.subject.map(text.words)
            return text("answer.\(request.subject?.noun ?? "unknown")", values)
        }
        return text("answer.waiting") + "\n" + lines.joined(separator: "\n")
    }
}
