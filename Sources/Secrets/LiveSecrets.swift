import Foundation

/// The secrets that are alive in this process, held weakly.
final class LiveSecrets: @unchecked Sendable {
    static let shared = LiveSecrets()

    private struct Entry {
        weak var secret: Secret?
    }

    private let lock = NSLock()
    private var entries: [Entry] = []
    private var sweepsAt = 64

    func add(_ secret: Secret) {
        lock.withLock {
            // Twice as many as were alive: each entry is looked at a few times, however many there are.
            if entries.count >= sweepsAt {
                entries.removeAll { $0.secret == nil }
                sweepsAt = max(64, entries.count * 2)
            }
            entries.append(Entry(secret: secret))
        }
    }

    var all: [Secret] {
        lock.withLock { entries.compactMap(\.secret) }
    }
}
