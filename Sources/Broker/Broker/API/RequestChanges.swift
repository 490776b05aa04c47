import Foundation
import Messages

/// Wakes long polls when their request changes, and tells followers of every change.
actor RequestChanges {
    private var waits: [RequestID: [UUID: ChangeWait]] = [:]
    private var isOver = false
    private var followers: [@Sendable (RequestID) -> Void] = []

    func listen(to id: RequestID) -> ChangeWait {
        let key = UUID()
        let wait = ChangeWait(onEnd: { Task { await self.forget(key, of: id) } })
        guard !isOver else {
            wait.cancel()
            return wait
        }
        waits[id, default: [:]][key] = wait
        return wait
    }

    private func forget(_ key: UUID, of id: RequestID) {
        waits[id]?[key] = nil
        if waits[id]?.isEmpty == true { waits[id] = nil }
    }

    /// The numbers of requests that someone waits for, and of the waits for them.
    var waiting: (requests: Int, waits: Int) { (waits.count, waits.values.reduce(0) { $0 + $1.count }) }

    /// Adds a function that is called with every request that changes. It must not wait.
    func follow(_ follower: @escaping @Sendable (RequestID) -> Void) { followers.append(follower) }

    func announce(_ id: RequestID) {
        for follower in followers { follower(id) }
        for wait in waits[id]?.values ?? [:].values { wait.wake() }
    }

    /// Ends all waits because the broker stops: pending long polls get the current state.
    func end() {
        isOver = true
        for wait in waits.values.flatMap(\.values) { wait.cancel() }
    }
}
