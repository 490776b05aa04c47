import Synchronization

/// Memory for trees, all pieces of one size. Some are kept for the pages to come: what the system has got back it clears,
/// page by page, before it is had again, which takes longer than to fill it.
enum SpareBlocks {
    /// About what the tree of a bank's page takes.
    static let size = 32 << 10
    private static let most = 8

    private struct Block: @unchecked Sendable {
        let start: UnsafeMutableRawPointer
    }

    private static let spare = Mutex<[Block]>([])

    static func take() -> UnsafeMutableRawPointer {
        spare.withLock { $0.popLast() }?.start
            ?? .allocate(byteCount: size, alignment: MemoryLayout<Int>.alignment)
    }

    static func giveBack(_ blocks: [UnsafeMutableRawPointer]) {
        let kept = spare.withLock { spare in
            let room = min(most - spare.count, blocks.count)
            for block in blocks[..<room] { spare.append(Block(start: block)) }
            return room
        }
        for block in blocks[kept...] { block.deallocate() }
    }
}
