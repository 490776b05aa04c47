import BrokerStore
import Clocks
import Foundation
import Logging
import Notifications

/// Tells the owner's webhook of each event, until it has taken it or the attempts are over.
package struct WebhookDeliveries: Sendable {
    /// The pauses between the attempts for one event. After the last attempt it has failed.
    static let pauses: [Duration] = [1, 2, 5, 15, 60, 60].map { .seconds(60 * $0) }

    private let sender: WebhookSender
    private let store: WebhookStore
    private let clock: BrokerClock
    private let look: Duration
    private let logger: Logger

    /// - Parameter look: the time between two looks for events that are due.
    package init(
        sender: WebhookSender, store: WebhookStore, clock: BrokerClock, look: Duration, logger: Logger
    ) {
        self.sender = sender
        self.store = store
        self.clock = clock
        self.look = look
        self.logger = logger
    }

    /// Works until the task is cancelled.
    package func run() async {
        await DueWork(
            look: look, complaint: "the webhook's events could not be read or recorded", logger: logger,
            due: { [store, clock] in try await store.due(at: clock.now, limit: $0) }, step: deliver
        ).run()
        await sender.close()
    }

    private func deliver(_ event: WebhookEvent) async throws {
        let outcome = await sender.send(event.body, id: event.id, at: clock.now)
        // A broker that stops may have cut the attempt off. The next start repeats it.
        if outcome != .taken { try Task.checkCancellation() }
        switch outcome {
        case .taken: try await store.recordDelivery(of: event, at: clock.now)
        case .gone:
            try await store.record(
                failedAttempt: "answered 410: the receiver wants no more events", of: event, next: nil, at: clock.now)
        case .failed(let reason):
            let pause = event.attempts < Self.pauses.count ? Self.pauses[event.attempts] : nil
            logger.warning(
                "the webhook did not take an event",
                metadata: ["event": "\(event.id)", "reason": "\(reason)", "attempt": "\(event.attempts + 1)"])
            try await store.record(
                failedAttempt: reason, of: event, next: pause.map { clock.now.addingTimeInterval($0.seconds) },
                at: clock.now)
        }
    }
}
