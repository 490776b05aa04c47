import Automation
import HTMLEngine
import Synchronization

/// What a run met, in memory alone: for a survey, should one be wanted.
final class VisitedPages: Sendable {
    private let exchanges = Mutex<[Exchange]>([])

    func add(_ exchange: Exchange) { exchanges.withLock { $0.append(exchange) } }

    var archive: HTTPArchive { HTTPArchive(exchanges.withLock { $0 }) }
}
