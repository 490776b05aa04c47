import Automation
import Foundation
import Messages
import PhoneStore

/// A change on the phone that a program around it may want to show.
package enum PhoneEvent: Sendable {
    case arrived(PendingRequest)
    case refused(Refusal)
    case changed(RequestID, RequestStatus)
    /// The list of offers has changed; these are new to this phone.
    case offers([WaitingOffer])
    /// So many of the documents of a request have been delivered.
    case delivered(RequestID, Int, of: Int)
    /// The run made progress.
    case run(RequestID, RunEvent)
}

/// The streams of events. A listener that is too slow loses the oldest events and never holds up a run.
final class PhoneEvents: @unchecked Sendable {
    private let lock = NSLock()
    private var listeners: [Int: AsyncStream<PhoneEvent>.Continuation] = [:]
    private var next = 0

    func stream() -> AsyncStream<PhoneEvent> {
        AsyncStream(bufferingPolicy: .bufferingNewest(256)) { continuation in
            let key = lock.withLock {
                next += 1
                listeners[next] = continuation
                return next
            }
            continuation.onTermination = { [weak self] _ in
                guard let self else { return }
                lock.withLock { listeners[key] = nil }
            }
        }
    }

    func send(_ event: PhoneEvent) {
        let current = lock.withLock { Array(listeners.values) }
        for listener in current { listener.yield(event) }
    }
}
