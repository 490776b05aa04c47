import Foundation
import Logging
import Messages

/// Notifies the person through a bot (specification, section 14). Messages wait in a queue, so that Telegram's failures
/// never delay a request.
package struct TelegramNotifier: Sendable {
    private let configuration: TelegramConfiguration
    private let bot: TelegramBot
    private let requests: any AnnouncedRequests
    private let logger: Logger
    private let now: @Sendable () -> Date
    private let limit: NudgeGate
    private let queue: AsyncStream<Item>
    private let entrance: AsyncStream<Item>.Continuation
    /// Answers to strangers wait apart, and few of them: a flood of them must not delay or drop an announcement.
    private let strangers: AsyncStream<Message>
    private let strangersEntrance: AsyncStream<Message>.Continuation

    private let ends = WaitingEnds()

    private enum Item: Sendable {
        case message(Message)
        /// The end of a request. It is looked up when its turn has come: by then the announcement's own id is known.
        case end(RequestID)
    }

    private struct Message: Sendable {
        let chat: String
        let text: String
        /// The id of the message whose text this one replaces.
        var replaced: Int?
        /// The request that this message announces.
        var request: RequestID?
        /// The time after which the message is useless.
        var expiry: Date?
    }

    package init(
        _ configuration: TelegramConfiguration, _ bot: TelegramBot, requests: any AnnouncedRequests, logger: Logger,
        now: @escaping @Sendable () -> Date
    ) {
        self.configuration = configuration
        self.bot = bot
        self.requests = requests
        self.logger = logger
        self.now = now
        limit = NudgeGate(perHour: configuration.nudgesPerHour)
        (queue, entrance) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(200))
        (strangers, strangersEntrance) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(20))
    }

    package func nudge(_ envelope: RequestEnvelope) {
        guard configuration.announcesRequests, limit.admit(at: now()) else { return }
        let message = OwnerMessage(asking: envelope)
        send(
            Message(
                chat: configuration.chatID, text: message.text, request: message.requestID, expiry: message.expiry))
    }

    /// Announces an offer, within the same limit as requests.
    package func nudge(_ offer: DocumentOffer) {
        guard configuration.announcesRequests, limit.admit(at: now()) else { return }
        let message = OwnerMessage(offering: offer)
        send(Message(chat: configuration.chatID, text: message.text, expiry: message.expiry))
    }

    package func announceCompletion(of id: RequestID) {
        guard configuration.announcesCompletions else { return }
        send(Message(chat: configuration.chatID, text: OwnerMessage(completed: id).text))
    }

    /// Tells how a request ended, if it has: its announcement says so from then on, and a failure gets a message of its own.
    package func follow(_ id: RequestID) { if ends.insert(id) { enqueue(.end(id)) } }

    private func send(_ message: Message) { enqueue(.message(message)) }

    private func enqueue(_ item: Item) {
        if case .dropped(.end(let lost)) = entrance.yield(item) { ends.remove(lost) }
    }

    func reply(_ text: String, to chat: String) {
        send(Message(chat: chat, text: text))
    }

    /// Answers a person who is not the owner.
    func reply(toStranger chat: String, _ text: String) { strangersEntrance.yield(Message(chat: chat, text: text)) }

    /// Sends the queued messages until the task is cancelled.
    package func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await item in queue {
                    switch item {
                    case .message(let message): await deliver(message)
                    case .end(let id):
                        ends.remove(id)
                        await tellEnd(of: id)
                    }
                }
            }
            group.addTask { for await message in strangers { await deliver(message, attempts: 1) } }
            group.addTask {
                while !Task.isCancelled {
                    try? await Task.sleep(for: configuration.timing.digestLook)
                    await announceHeldBack()
                }
            }
        }
    }

    /// Announces the requests that the limit held back, in one message.
    private func announceHeldBack() async {
        guard let count = limit.digest(at: now()) else { return }
        let waiting = (try? await requests.countWaiting()) ?? 0
        send(Message(chat: configuration.chatID, text: OwnerMessage(heldBack: count, waiting: waiting).text))
    }

    private func tellEnd(of id: RequestID) async {
        let end: RequestEnd
        do {
            guard let found = try await requests.end(of: id) else { return }
            end = found
        } catch {
            return logger.error("a request's end could not be read", metadata: ["error": "\(error)"])
        }
        if let announcement = end.message.flatMap({ Int($0) }) {
            await deliver(Message(chat: configuration.chatID, text: end.sentence, replaced: announcement))
        }
        if case .failed = end.outcome, configuration.announcesCompletions {
            await deliver(Message(chat: configuration.chatID, text: end.sentence))
        }
    }

    private func deliver(_ message: Message, attempts: Int? = nil) async {
        var backoff = TelegramBackoff(configuration.timing)
        for _ in 0..<(attempts ?? configuration.timing.attempts) {
            if let expiry = message.expiry, expiry <= Date() { break }
            do {
                if let replaced = message.replaced {
                    return try await bot.edit(message: replaced, in: message.chat, to: message.text)
                }
                let id = try await bot.sendMessage(message.text, to: message.chat)
                requests.countMessage(wasSent: true)
                if let request = message.request { try? await requests.remember(message: id, for: request) }
                return
            } catch {
                guard !Task.isCancelled else { return }
                logger.warning("a Telegram message could not be sent", metadata: ["error": "\(error)"])
                guard let pause = backoff.pause(after: error) else { break }
                try? await Task.sleep(for: pause)
                if Task.isCancelled { return }
            }
        }
        if message.replaced == nil { requests.countMessage(wasSent: false) }
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
