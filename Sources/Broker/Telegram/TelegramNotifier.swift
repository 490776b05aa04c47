import Foundation
import Logging
import Messages

/// Notifies the person through a bot (specification, section 14). Messages wait in a queue, so that Telegram's failures
/// never delay a request.
struct TelegramNotifier: Sendable {
    private let configuration: TelegramConfiguration
    private let bot: TelegramBot
    private let store: RequestStore
    private let metrics: BrokerMetrics
    private let logger: Logger
    private let queue: AsyncStream<Message>
    private let entrance: AsyncStream<Message>.Continuation

    private struct Message: Sendable {
        let chat: String
        let text: String
        /// The request that this message announces.
        var request: RequestID?
        /// The time after which the message is useless.
        var expiry: Date?
    }

    init(
        _ configuration: TelegramConfiguration, _ bot: TelegramBot, store: RequestStore, metrics: BrokerMetrics,
        logger: Logger
    ) {
        self.configuration = configuration
        self.bot = bot
        self.store = store
        self.metrics = metrics
        self.logger = logger
        (queue, entrance) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(200))
    }

    func nudge(_ envelope: RequestEnvelope) {
        guard configuration.announcesRequests else { return }
        entrance.yield(
            Message(
                chat: configuration.chatID,
                text: "Countersign: an agent asks for the statement of \(envelope.period) (request "
                    + "\(envelope.requestID)). Open the approval page of your phone to decide, until "
                    + "\(envelope.approvalExpiresAt).",
                request: envelope.requestID, expiry: envelope.approvalExpiresAt.date))
    }

    func announceCompletion(of id: RequestID) {
        guard configuration.announcesCompletions else { return }
        entrance.yield(
            Message(
                chat: configuration.chatID,
                text: "Countersign: request \(id) is complete. (For information only.)"))
    }

    func reply(_ text: String, to chat: String) {
        entrance.yield(Message(chat: chat, text: text))
    }

    /// Sends the queued messages until the task is cancelled.
    func run() async {
        for await message in queue { await deliver(message) }
    }

    private func deliver(_ message: Message) async {
        var backoff = TelegramBackoff(configuration.timing)
        for _ in 0..<configuration.timing.attempts {
            if let expiry = message.expiry, expiry <= Date() { break }
            do {
                let id = try await bot.sendMessage(message.text, to: message.chat)
                metrics.messaged("sent")
                if let request = message.request { try? await store.remember(telegramMessage: id, for: request) }
                return
            } catch {
                guard !Task.isCancelled else { return }
                logger.warning("a Telegram message could not be sent", metadata: ["error": "\(error)"])
                guard let pause = backoff.pause(after: error) else { break }
                try? await Task.sleep(for: pause)
                if Task.isCancelled { return }
            }
        }
        metrics.messaged("failed")
    }
}

/// The pauses after failed calls of Telegram.
struct TelegramBackoff {
    private let timing: TelegramConfiguration.Timing
    private var failures = 0

    init(_ timing: TelegramConfiguration.Timing) {
        self.timing = timing
    }

    mutating func reset() { failures = 0 }

    /// - Returns: nil when trying again is useless.
    mutating func pause(after error: TelegramError) -> Duration? {
        failures += 1
        let doubled = timing.firstPause * Double(1 << min(failures - 1, 16))
        // Random pauses keep programs that lost the network together from retrying together.
        let grown = min(doubled, timing.longestPause) * Double.random(in: 0.75...1)
        return switch error.kind {
        case .tooMany(let after): max(after, grown)
        case .conflict: max(grown, timing.conflictPause)
        case .unreachable: grown
        case .refused: nil
        }
    }
}
