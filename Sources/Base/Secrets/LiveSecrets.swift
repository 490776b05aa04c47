import Foundation

/// The registry of all secrets alive in this process. A secret is added when it is created and removed before it is
/// overwritten, so that a reader who holds the lock sees only complete secrets.
final class LiveSecrets: @unchecked Sendable {
    static let shared = LiveSecrets()

    private let lock = NSLock()
    private var counts: [UnsafeMutableRawPointer: Int] = [:]
    /// Increments whenever a secret is added or removed.
    private var changes = 0
    /// Increments whenever a secret is removed.
    private var removals = 0
    /// The spellings of each secret. They are as sensitive as the secret itself, and are released with it.
    private var spelled: [LockedBytes: [Redactor.Spelling]] = [:]
    private var merged: [Redactor.Spelling]?

    func add(_ start: UnsafeMutableRawPointer, count: Int) {
        lock.withLock {
            counts[start] = count
            changes += 1
            merged = nil
        }
    }

    func remove(_ start: UnsafeMutableRawPointer) {
        lock.withLock {
            guard let count = counts.removeValue(forKey: start) else { return }
            changes += 1
            removals += 1
            merged = nil
            if !spelled.isEmpty { spelled[Self.copy(start, count)] = nil }
        }
    }

    /// The spellings of all live secrets, cached until a secret is added, removed or wiped, because a logger asks for
    /// them at every record.
    var spellings: [Redactor.Spelling] {
        enum Known {
            case all([Redactor.Spelling])
            case some([LockedBytes: [Redactor.Spelling]], of: Set<LockedBytes>, changes: Int, removals: Int)
        }
        let known: Known = lock.withLock {
            if let merged { return .all(merged) }
            return .some(spelled, of: copies, changes: changes, removals: removals)
        }
        switch known {
        case .all(let spellings): return spellings
        case .some(var spelled, let copies, let changes, let removals):
            // Not under the lock: this is slow, and other threads create and release secrets meanwhile.
            for copy in copies where spelled[copy] == nil { spelled[copy] = Redactor.Spelling.all(of: copy.content) }
            let merged = Redactor.Spelling.merged(copies.map { spelled[$0] ?? [] })
            lock.withLock {
                if removals == self.removals { self.spelled.merge(spelled) { $1 } }
                if changes == self.changes { self.merged = merged }
            }
            return merged
        }
    }

    private var copies: Set<LockedBytes> { Set(counts.filter { $0.value > 0 }.map(Self.copy)) }

    private static func copy(_ start: UnsafeMutableRawPointer, _ count: Int) -> LockedBytes {
        LockedBytes(UnsafeRawBufferPointer(start: start, count: count))
    }
}
