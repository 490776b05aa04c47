import Foundation
import Synchronization

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
        forgetSpellings()
    }

    var all: [Secret] {
        lock.withLock { entries.compactMap(\.secret) }
    }

    // MARK: Spellings

    /// The spellings of all that live, worked out once for as long as none comes, goes or is wiped: a log asks at every
    /// record. They are as secret as the secrets, and are let go of with the first of them.
    private struct Spellings {
        var generation = 0
        var known: [Redactor.Spelling]?
    }

    private let spellings = Mutex(Spellings())

    /// A secret has come, gone or been wiped.
    func forgetSpellings() {
        spellings.withLock { spellings in
            spellings.generation += 1
            spellings.known = nil
        }
    }

    func spellings(computedBy compute: ([Secret]) -> [Redactor.Spelling]) -> [Redactor.Spelling] {
        let (generation, known) = spellings.withLock { ($0.generation, $0.known) }
        if let known { return known }
        // Not under the lock: the last reference to a secret may be let go of here, and that takes the lock.
        let computed = compute(all)
        spellings.withLock { spellings in
            if spellings.generation == generation { spellings.known = computed }
        }
        return computed
    }
}
