import Messages
import Synchronization

/// The queue of one channel. Announcements go before the ends of requests, and each of the two has room of its
/// own: ends, of which a phone alone makes as many as it likes, neither displace an announcement nor delay it.
final class WaitingMessages: Sendable {
    struct Announcement: Sendable {
        /// Writes the message in the owner's language when its turn has come.
        let message: @Sendable (OwnerText) -> OwnerMessage
        /// Called once the channel has taken the message, or has given it up.
        var whenDone: (@Sendable (_ wasSent: Bool) async -> Void)?
    }

    enum Item: Sendable {
        case announcement(Announcement)
        /// Documents that are there. The phone that brought them is looked up when the turn of this has come.
        case completion(RequestID)
        /// The end of a request. It is looked up when its turn has come: by then the announcement's own id is known.
        case end(RequestID)
    }

    private enum End: Hashable {
        case completion(RequestID)
        case end(RequestID)
    }

    private struct State {
        var announcements: [Announcement] = []
        /// In order, each once: a request for many documents changes often.
        var ends: [End] = []
    }

    /// The most that waits of each of the two; the oldest makes room.
    static let most = 200

    /// Yields when something waits. Several additions may be one yield, so all that waits has to be taken.
    let additions: AsyncStream<Void>
    private let bell: AsyncStream<Void>.Continuation
    private let state = Mutex(State())

    init() {
        (additions, bell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// - Returns: the announcement that made room for this one.
    func add(_ announcement: Announcement) -> Announcement? {
        defer { bell.yield() }
        return state.withLock { state in
            state.announcements.append(announcement)
            return state.announcements.count > Self.most ? state.announcements.removeFirst() : nil
        }
    }

    func addCompletion(of id: RequestID) { add(.completion(id)) }
    func addEnd(of id: RequestID) { add(.end(id)) }

    private func add(_ end: End) {
        state.withLock { state in
            guard !state.ends.contains(end) else { return }
            state.ends.append(end)
            if state.ends.count > Self.most { state.ends.removeFirst() }
        }
        bell.yield()
    }

    /// Takes the next of what waits; nil when nothing does.
    func next() -> Item? {
        state.withLock { state in
            if !state.announcements.isEmpty { return .announcement(state.announcements.removeFirst()) }
            guard !state.ends.isEmpty else { return nil }
            return switch state.ends.removeFirst() {
            case .completion(let id): .completion(id)
            case .end(let id): .end(id)
            }
        }
    }
}
