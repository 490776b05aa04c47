import Clocks
import Foundation
import Logging
import Messages

/// Tells the owner through a channel. Messages wait in a queue, so that the channel's failures never delay a request.
package struct ChannelNotifier: OwnerNotifying {
    private enum Item: Sendable {
        /// A message, which is written in the owner's language when its turn has come.
        case message(@Sendable (OwnerText) -> OwnerMessage)
        /// The end of a request. It is looked up when its turn has come: by then the announcement's own id is known.
        case end(RequestID)
    }

    package let name: String
    private let channel: any OwnerChannel
    private let requests: any AnnouncedRequests
    private let logger: Logger
    private let now: @Sendable () -> Date
    private let clock: any RunClock
    private let pauses: OwnerChannelPauses
    private let limit: NudgeGate
    /// Consents have a limit of their own, so that many requests hold back none of them.
    private let consentLimit: NudgeGate
    private let language: OwnerLanguage
    private let queue: AsyncStream<Item>
    private let entrance: AsyncStream<Item>.Continuation
    private let ends = WaitingEnds()

    /// - Parameters:
    ///   - requests: the requests, with the memory of this channel's messages.
    ///   - language: the one in which this channel writes.
    package init(
        _ name: String, _ channel: any OwnerChannel, requests: any AnnouncedRequests, logger: Logger,
        language: OwnerLanguage = OwnerLanguage(), clock: any RunClock = SystemClock(),
        now: @escaping @Sendable () -> Date
    ) {
        self.name = name
        self.channel = channel
        self.requests = requests
        self.language = language
        self.logger = logger
        pauses = channel.pauses
        self.clock = clock
        self.now = now
        limit = NudgeGate(perHour: max(1, channel.announcementsPerHour))
        consentLimit = NudgeGate(perHour: max(1, channel.announcementsPerHour))
        (queue, entrance) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(200))
    }

    package func nudge(_ envelope: RequestEnvelope) {
        guard channel.tells(.request), limit.admit(at: now()) else { return }
        enqueue(.message { OwnerMessage(asking: envelope, in: $0) })
    }

    package func nudge(_ offer: DocumentOffer) {
        guard channel.tells(.offer), limit.admit(at: now()) else { return }
        enqueue(.message { OwnerMessage(offering: offer, in: $0) })
    }

    package func tell(_ consent: BankConsent) -> Bool {
        guard channel.tells(.consent), consentLimit.admitWithoutDigest(at: now()) else { return false }
        let now = now()
        enqueue(.message { OwnerMessage(ending: consent, at: now, in: $0) })
        return true
    }

    package func announceCompletion(of id: RequestID) {
        if channel.tells(.completed) { enqueue(.message { OwnerMessage(completed: id, in: $0) }) }
    }

    package func follow(_ id: RequestID) { if ends.insert(id) { enqueue(.end(id)) } }

    private func enqueue(_ item: Item) {
        if case .dropped(.end(let lost)) = entrance.yield(item) { ends.remove(lost) }
    }

    package func run() async {
        let listening = channel as? any ListeningChannel
        await withTaskGroup(of: Void.self) { group in
            if let listening {
                let desk = ChannelDesk(requests: requests, language: language, logger: logger) { text in
                    enqueue(.message { _ in OwnerMessage(.answer, text) })
                }
                group.addTask { await listening.listen(desk) }
            }
            group.addTask {
                for await item in queue {
                    switch item {
                    case .message(let message): await deliver(message(await language.text))
                    case .end(let id):
                        ends.remove(id)
                        await tellEnd(of: id)
                    }
                }
            }
            group.addTask {
                while !Task.isCancelled {
                    try? await clock.sleep(for: pauses.digestLook)
                    if Task.isCancelled { return }
                    guard let count = limit.digest(at: now()), channel.tells(.digest) else { continue }
                    let waiting = (try? await requests.countWaiting()) ?? 0
                    enqueue(.message { OwnerMessage(heldBack: count, waiting: waiting, in: $0) })
                }
            }
        }
        await listening?.close()
    }

    private func tellEnd(of id: RequestID) async {
        let end: RequestEnd
        do {
            guard let found = try await requests.end(of: id) else { return }
            end = found
        } catch {
            return logger.error("a request's end could not be read", metadata: ["error": "\(error)"])
        }
        let message = OwnerMessage(end, in: await language.text)
        if let announcement = end.message {
            await attempt { [channel] in try await channel.replace(announcement, with: message) }
        }
        if case .failed = end.outcome, channel.tells(message.kind) { await deliver(message) }
    }

    private func deliver(_ message: OwnerMessage) async {
        let answer = await attempt(until: message.expiry) { [channel] in try await channel.send(message) }
        guard answer != nil || !Task.isCancelled else { return }
        requests.countMessage(wasSent: answer != nil)
        if let id = answer ?? nil, message.kind == .request, let request = message.requestID {
            try? await requests.remember(message: id, for: request)
        }
    }

    /// Calls the channel until it succeeds, refuses, or the tries are over. Returns its answer; nil when it gave none.
    @discardableResult
    private func attempt<Answer: Sendable>(
        until expiry: Date? = nil, _ call: @escaping @Sendable () async throws -> Answer
    ) async -> Answer? {
        var pause = pauses.firstPause
        for attempt in 1...pauses.attempts {
            if let expiry, expiry <= now() { return nil }
            do {
                return try await callingOut(atMost: pauses.call, on: clock, call)
            } catch {
                guard !Task.isCancelled else { return nil }
                logger.warning(
                    "a message to the owner could not be sent", metadata: ["channel": "\(name)", "error": "\(error)"])
                var wait = pause * Double.random(in: 0.75...1)
                switch (error as? OwnerChannelError)?.kind {
                case .refused: return nil
                case .tooMany(let after): wait = max(wait, after)
                case .unreachable, nil: break
                }
                guard attempt < pauses.attempts else { return nil }
                try? await clock.sleep(for: wait)
                if Task.isCancelled { return nil }
                pause = min(pause * 2, pauses.longestPause)
            }
        }
        return nil
    }
}
