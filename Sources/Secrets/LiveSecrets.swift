import Foundation

/// Where the secrets that are alive in this process lie. A secret is entered when it is made and struck out before it
/// is overwritten, so that whoever looks while holding the lock sees whole ones.
final class LiveSecrets: @unchecked Sendable {
    static let shared = LiveSecrets()

    private let lock = NSLock()
    private var counts: [UnsafeMutableRawPointer: Int] = [:]
    /// Goes up whenever a secret comes or goes.
    private var changes = 0
    /// Goes up whenever a secret goes.
    private var removals = 0
    /// The spellings of one secret each. They are as secret as the secrets, and are let go of with them.
    private var spelled: [String: [Redactor.Spelling]] = [:]
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
            if !spelled.isEmpty { spelled[Self.text(start, count)] = nil }
        }
    }

    /// The spellings of all that live. Each secret's are worked out once, and put together once for as long as none comes,
    /// goes or is wiped: a log asks at every record.
    var spellings: [Redactor.Spelling] {
        enum Known {
            case all([Redactor.Spelling])
            case some([String: [Redactor.Spelling]], of: Set<String>, changes: Int, removals: Int)
        }
        let known: Known = lock.withLock {
            if let merged { return .all(merged) }
            return .some(spelled, of: texts, changes: changes, removals: removals)
        }
        switch known {
        case .all(let spellings): return spellings
        case .some(var spelled, let texts, let changes, let removals):
            // Not under the lock: this takes a while, and secrets come and go on other threads.
            for text in texts where spelled[text] == nil { spelled[text] = Redactor.Spelling.all(of: text) }
            let merged = Redactor.Spelling.merged(texts.map { spelled[$0] ?? [] })
            lock.withLock {
                if removals == self.removals { self.spelled.merge(spelled) { $1 } }
                if changes == self.changes { self.merged = merged }
            }
            return merged
        }
    }

    private var texts: Set<String> { Set(counts.filter { $0.value > 0 }.map(Self.text)) }

    private static func text(_ start: UnsafeMutableRawPointer, _ count: Int) -> String {
        String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }
}
