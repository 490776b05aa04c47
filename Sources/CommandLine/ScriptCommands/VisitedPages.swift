import Authoring
import Automation
import HTMLEngine
import Synchronization

/// The exchanges of a run, in memory only, for a survey of its pages.
final class VisitedPages: Sendable {
    private let exchanges = Mutex<[Exchange]>([])

    func add(_ exchange: Exchange) { exchanges.withLock { $0.append(exchange) } }

    var archive: HTTPArchive { HTTPArchive(exchanges.withLock { $0 }) }
}
