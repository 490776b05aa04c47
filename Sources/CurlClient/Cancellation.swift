import Synchronization

/// Whether whoever waits for an exchange has given it up; said from any thread, before the exchange is there or after.
final class Cancellation: Sendable {
    private let isSaid = Atomic(false)

    var isRequested: Bool { isSaid.load(ordering: .acquiring) }

    func request() { isSaid.store(true, ordering: .releasing) }
}
