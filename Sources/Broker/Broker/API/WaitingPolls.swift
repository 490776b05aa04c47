import Synchronization

/// The limit on the polls that wait at a time for each client.
///
/// A poll that waits occupies a connection that is never closed to make room. Without a limit, one client's polls would
/// keep the phones of its machine from connecting.
final class WaitingPolls<Client: Hashable & Sendable>: Sendable {
    private let most: Int
    /// The words of a refusal, after the number.
    private let words: String
    private let waiting = Mutex<[Client: Int]>([:])

    /// - Parameter most: the polls of one client, at least 1.
    init(atMost most: Int, _ words: String = "polls of this client wait already") {
        self.most = most
        self.words = words
    }

    /// Takes a place for a poll; ``leave(_:)`` gives it back.
    ///
    /// - Parameter seconds: the time that the poll wants to wait, after which another try makes sense.
    func enter(_ client: Client, for seconds: Int) throws(APIError) {
        let isAdmitted = waiting.withLock { waiting in
            guard waiting[client, default: 0] < most else { return false }
            waiting[client, default: 0] += 1
            return true
        }
        guard isAdmitted else { throw .rateLimited(min(seconds, 5), "\(most) \(words)") }
    }

    func leave(_ client: Client) {
        waiting.withLock { waiting in
            let left = (waiting[client] ?? 1) - 1
            waiting[client] = left == 0 ? nil : left
        }
    }
}
