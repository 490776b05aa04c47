import Foundation

/// The secrets that are alive in this process, held weakly.
final class LiveSecrets: @unchecked Sendable {
    static let shared = LiveSecrets()

    private struct Entry {
        weak var secret: Secret?
    }

    private let lock = NSLock()
    private var entries: [Entry] = []

    func add(_ secret: Secret) {
        lock.withLock {
            if entries.count > 64, entries.count.isMultiple(of: 64) {
                entries.removeAll { $0.secret == nil }
            }
            entries.append(Entry(secret: secret))
        }
    }

    var all: [Secret] {
        lock.withLock { entries.compactMap(\.secret) }
    }
}
