import Foundation

/// Where the secrets that are alive in this process lie. A secret is entered when it is made and struck out before it
/// is overwritten, so that whoever looks while holding the lock sees whole ones.
final class LiveSecrets: @unchecked Sendable {
    static let shared = LiveSecrets()

    private let lock = NSLock()
    private var counts: [UnsafeMutableRawPointer: Int] = [:]
    /// Goes up whenever a secret comes or goes.
    private var generation = 0
    private var known: [Redactor.Spelling]?

    func add(_ start: UnsafeMutableRawPointer, count: Int) {
        lock.withLock {
            counts[start] = count
            forgetSpellings()
        }
    }

    func remove(_ start: UnsafeMutableRawPointer) {
        lock.withLock {
            guard counts.removeValue(forKey: start) != nil else { return }
            forgetSpellings()
        }
    }

    private func forgetSpellings() {
        generation += 1
        known = nil
    }

    /// The spellings of all that live, worked out once for as long as none comes, goes or is wiped: a log asks at every
    /// record. They are as secret as the secrets, and are let go of with the first of them.
    func spellings(computedBy compute: ([String]) -> [Redactor.Spelling]) -> [Redactor.Spelling] {
        let (begun, remembered, texts): (Int, [Redactor.Spelling]?, [String]) = lock.withLock {
            (generation, self.known, self.known == nil ? self.texts : [])
        }
        if let remembered { return remembered }
        // Not under the lock: this takes a while, and secrets come and go on other threads.
        let computed = compute(texts)
        lock.withLock {
            if generation == begun { self.known = computed }
        }
        return computed
    }

    private var texts: [String] {
        counts.filter { $0.value > 0 }.map { start, count in
            String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
        }
    }
}
