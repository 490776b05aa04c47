import Logging

/// Receives the bot's messages by long polling and answers two commands: `/start` with the chat's id, and `/pending`, in
/// the person's own chat, with the pending requests. No message changes any state.
package struct TelegramListener: Sendable {
    /// The strangers whose answer is remembered. Beyond them, no stranger is answered.
    private static let mostStrangers = 1000

    let configuration: TelegramConfiguration
    let bot: TelegramBot
    let notifier: TelegramNotifier
    let requests: any AnnouncedRequests
    let logger: Logger

    package init(
        _ configuration: TelegramConfiguration, _ bot: TelegramBot, notifier: TelegramNotifier,
        requests: any AnnouncedRequests, logger: Logger
    ) {
        self.configuration = configuration
        self.bot = bot
        self.notifier = notifier
        self.requests = requests
        self.logger = logger
    }

    /// Runs until the task is cancelled, or Telegram rejects the bot.
    package func run() async {
        var backoff = TelegramBackoff(configuration.timing)
        var offset = 0
        var isLost = false
        var answered: Set<String> = []
        while !Task.isCancelled {
            do {
                let updates = try await bot.updates(from: offset)
                if isLost { logger.info("receiving Telegram messages again") }
                isLost = false
                backoff.reset()
                for update in updates {
                    offset = max(offset, update.id + 1)
                    await answer(update, &answered)
                }
            } catch {
                if Task.isCancelled { return }
                if !isLost { logger.warning("Telegram messages cannot be received", metadata: ["error": "\(error)"]) }
                isLost = true
                guard let pause = backoff.pause(after: error) else {
                    return logger.error("the bot's commands are off", metadata: ["error": "\(error)"])
                }
                try? await Task.sleep(for: pause)
            }
        }
    }

    /// - Parameter strangers: the chats of other people that got their answer: each gets one.
    private func answer(_ update: TelegramUpdate, _ strangers: inout Set<String>) async {
        guard let chat = update.chatID else { return }
        switch update.command {
        case "/start" where chat == configuration.chatID:
            notifier.reply(
                "Countersign notifies you here when an agent asks for a statement. This chat's id is \(chat). "
                    + "Send /pending to see the open requests. You approve on your phone, never here.", to: chat)
        case "/start":
            guard strangers.count < Self.mostStrangers, strangers.insert(chat).inserted else { return }
            notifier.reply(
                toStranger: chat,
                "This chat's id is \(chat). The broker's owner can set TELEGRAM_PHONE_CHAT_ID to it.")
        case "/pending" where chat == configuration.chatID:
            do {
                notifier.reply(Self.list(try await requests.waiting(atMost: 20)), to: chat)
            } catch {
                logger.error("the pending requests could not be listed", metadata: ["error": "\(error)"])
            }
        default: break
        }
    }

    private static func list(_ waiting: [WaitingRequest]) -> String {
        guard !waiting.isEmpty else { return "No request waits for you." }
        let lines = waiting.map { request in
            let what = request.subject.map { "\($0.noun) for \($0.words)" } ?? "statement for ?"
            return "\(request.id.short): \(what), until \(request.approvalExpiresAt)"
        }
        return "Waiting for you, on your phone:\n" + lines.joined(separator: "\n")
    }
}
