import Foundation

/// Where the secrets that are alive in this process lie. A secret is entered when it is made and struck out before it
/// is overwritten, so that whoever looks while holding the lock sees whole ones.
final class LiveSecrets: @unchecked Sendable {
    static let shared = LiveSecrets()

    private let lock = NSLock()
    private var counts: [UnsafeMutableRawPointer: Int] = [:]

    func add(_ start: UnsafeMutableRawPointer, count: Int) {
        lock.withLock { counts[start] = count }
    }

    func remove(_ start: UnsafeMutableRawPointer) {
        lock.withLock { _ = counts.removeValue(forKey: start) }
    }

    /// What they say. The results are ordinary strings: let go of them soon.
    var texts: [String] {
        lock.withLock {
            counts.filter { $0.value > 0 }.map { start, count in
                String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
            }
        }
    }
}
