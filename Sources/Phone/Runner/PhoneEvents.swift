import Automation
import Foundation
import Signer

/// Something that whoever watches the phone wants to know.
public enum PhoneEvent: Sendable {
    case arrived(PendingRequest)
    case refused(Refusal)
    case changed(RequestID, RequestStatus)
    /// A run makes progress.
    case run(RequestID, RunEvent)
}

/// Tells everyone who listens. Whoever listens too slowly loses the oldest events, and never holds a run up.
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
