import Foundation

/// Memory that stays out of swap and, on Linux, out of core dumps, as far as the system allows an unprivileged process
/// to lock it.
///
/// Locks apply to whole pages. Small pieces are therefore cut from pages that stay locked: unlocking one secret's page
/// would unlock its neighbours, and two system calls for each secret are slow.
final class LockedMemory: @unchecked Sendable {
    static let shared = LockedMemory()

    /// The number of bytes that are mapped at a time and cut into pieces.
    private static let slab = 64 << 10
    /// The sizes of pieces, in bytes. A larger allocation gets its own pages.
    private static let sizes = [32, 64, 128, 256, 512, 1024, 2048, 4096]

    private let lock = NSLock()
    private var free: [[UnsafeMutableRawPointer]] = sizes.map { _ in [] }

    /// Returns at least `count` bytes, all zero.
    func allocate(_ count: Int) -> UnsafeMutableRawBufferPointer {
        guard let index = Self.sizes.firstIndex(where: { $0 >= count }) else { return pages(count) }
        let size = Self.sizes[index]
        return lock.withLock {
            if free[index].isEmpty {
                let fresh = pages(Self.slab)
                free[index] = stride(from: 0, to: fresh.count, by: size).map { fresh.baseAddress! + $0 }
            }
            return UnsafeMutableRawBufferPointer(start: free[index].removeLast(), count: size)
        }
    }

    /// Takes back memory from ``allocate(_:)``. The caller has overwritten it already.
    func release(_ memory: UnsafeMutableRawBufferPointer) {
        guard let start = memory.baseAddress else { return }
        if let index = Self.sizes.firstIndex(of: memory.count) {
            lock.withLock { free[index].append(start) }
        } else {
            munmap(start, memory.count)
        }
    }

    private func pages(_ count: Int) -> UnsafeMutableRawBufferPointer {
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        let size = (count + page - 1) / page * page
        let start = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let start, start != MAP_FAILED else {
            fatalError("out of memory: cannot allocate \(count) bytes for a secret")
        }
        // Best effort: the limit on locked memory is small.
        _ = mlock(start, size)
        #if os(Linux)
            _ = madvise(start, size, Int32(MADV_DONTDUMP))
        #endif
        return UnsafeMutableRawBufferPointer(start: start, count: size)
    }
}
