import Messages
import Synchronization

/// The requests whose end waits in a queue, each once: a request for many documents changes often, and must displace no
/// message.
final class WaitingEnds: Sendable {
    private let ids = Mutex<Set<RequestID>>([])

    func insert(_ id: RequestID) -> Bool { ids.withLock { $0.insert(id).inserted } }
    func remove(_ id: RequestID) { ids.withLock { _ = $0.remove(id) } }
}
