import Messages
import Synchronization

/// The requests whose address a client has shown to its person, so that it is not asked to do so again.
final class AnsweredAddresses: Sendable {
    private static let most = 1_000

    private let requests = Mutex<Set<RequestID>>([])

    func has(_ id: RequestID) -> Bool { requests.withLock { $0.contains(id) } }

    func note(_ id: RequestID) {
        requests.withLock { requests in
            if requests.count >= Self.most { requests.removeAll() }
            requests.insert(id)
        }
    }
}
