import Clocks
import Foundation
import Logging
import Messages

/// Tells the owner through a channel. Messages wait in a queue, so that the channel's failures never delay a request.
package struct ChannelNotifier: OwnerNotifying {
    package let name: String
    private let channel: any OwnerChannel
    private let requests: any AnnouncedRequests
    private let logger: Logger
    private let now: @Sendable () -> Date
    private let clock: any RunClock
    private let pauses: OwnerChannelPauses
    /// Each kind has a limit of its own, and in it each agent or phone: none of them holds back what another one causes.
    private let requestLimit: NudgeGate
    private let offerLimit: NudgeGate
    private let consentLimit: NudgeGate
    private let endLimit: NudgeGate
    private let language: OwnerLanguage
    private let waiting = WaitingMessages()

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
        let perHour = max(1, channel.announcementsPerHour)
        requestLimit = NudgeGate(perHour: perHour)
        offerLimit = NudgeGate(perHour: perHour)
        consentLimit = NudgeGate(perHour: perHour)
        endLimit = NudgeGate(perHour: perHour)
    }

    package func nudge(_ envelope: RequestEnvelope) {
        let agent = envelope.client?.description ?? ""
        guard channel.tells(.request), requestLimit.admit(from: agent, at: now()) else { return }
        enqueue { OwnerMessage(asking: envelope, in: $0) }
    }

    package func nudge(_ offer: DocumentOffer) {
        guard channel.tells(.offer), offerLimit.admit(from: offer.agent.description, at: now()) else { return }
        enqueue { OwnerMessage(offering: offer, in: $0) }
    }

    package func tell(
        _ consent: BankConsent, of phone: String, whenDone: @escaping @Sendable (_ wasSent: Bool) async -> Void
    ) -> Bool {
        guard channel.tells(.consent), consentLimit.admitWithoutDigest(from: phone, at: now()) else { return false }
        let now = now()
        enqueue(whenDone) { OwnerMessage(ending: consent, at: now, in: $0) }
        return true
    }

    package func announceCompletion(of id: RequestID) {
        if channel.tells(.completed) { waiting.addCompletion(of: id) }
    }

    package func follow(_ id: RequestID) { waiting.addEnd(of: id) }

    private func enqueue(
        _ whenDone: (@Sendable (_ wasSent: Bool) async -> Void)? = nil,
        _ message: @escaping @Sendable (OwnerText) -> OwnerMessage
    ) {
        guard let lost = waiting.add(WaitingMessages.Announcement(message: message, whenDone: whenDone)) else { return }
        requests.countMessage(wasSent: false)
        if let whenDone = lost.whenDone { Task { await whenDone(false) } }
    }

    package func run() async {
        let listening = channel as? any ListeningChannel
        await withTaskGroup(of: Void.self) { group in
            if let listening {
                let desk = ChannelDesk(requests: requests, language: language, logger: logger) { text in
                    enqueue { _ in OwnerMessage(.answer, text) }
                }
                group.addTask { await listening.listen(desk) }
            }
            group.addTask {
                for await _ in waiting.additions {
                    while !Task.isCancelled, let item = waiting.next() { await send(item) }
                }
            }
            group.addTask {
                while !Task.isCancelled {
                    try? await clock.sleep(for: pauses.digestLook)
                    if Task.isCancelled { return }
                    await tellOfHeldBack()
                }
            }
        }
        await listening?.close()
    }

    /// Tells in one message of each kind what the limits of an hour that is over have held back.
    private func tellOfHeldBack() async {
        let counts = [requestLimit, offerLimit].compactMap { $0.digest(at: now()) }
        if !counts.isEmpty, channel.tells(.digest) {
            let count = (try? await requests.countWaiting()) ?? 0
            let heldBack = counts.reduce(0, +)
            enqueue { OwnerMessage(heldBack: heldBack, waiting: count, in: $0) }
        }
        if let ends = endLimit.digest(at: now()), channel.tells(.ended) || channel.tells(.completed) {
            enqueue { OwnerMessage(heldBackEnds: ends, in: $0) }
        }
    }

    private func send(_ item: WaitingMessages.Item) async {
        switch item {
        case .announcement(let announcement):
            guard let wasSent = await deliver(announcement.message(await language.text)) else { return }
            await announcement.whenDone?(wasSent)
        case .completion(let id):
            let phone = await end(of: id)?.phone ?? ""
            guard endLimit.admit(from: phone, at: now()) else { return }
            await deliver(OwnerMessage(completed: id, in: await language.text))
        case .end(let id):
            if let end = await end(of: id) { await tell(end) }
        }
    }

    private func end(of id: RequestID) async -> RequestEnd? {
        do {
            return try await requests.end(of: id)
        } catch {
            logger.error("a request's end could not be read", metadata: ["error": "\(error)"])
            return nil
        }
    }

    private func tell(_ end: RequestEnd) async {
        let message = OwnerMessage(end, in: await language.text)
        if let announcement = end.message {
            await attempt { [channel] in try await channel.replace(announcement, with: message) }
        }
        guard case .failed = end.outcome, channel.tells(message.kind), endLimit.admit(from: end.phone, at: now()) else {
            return
        }
        await deliver(message)
    }

    /// Returns whether the channel has taken the message; nil when the broker stops before that is known.
    @discardableResult
    private func deliver(_ message: OwnerMessage) async -> Bool? {
        let answer = await attempt(until: message.expiry) { [channel] in try await channel.send(message) }
        guard answer != nil || !Task.isCancelled else { return nil }
        requests.countMessage(wasSent: answer != nil)
        if let id = answer ?? nil, message.kind == .request, let request = message.requestID {
            try? await requests.remember(message: id, for: request)
        }
        return answer != nil
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
