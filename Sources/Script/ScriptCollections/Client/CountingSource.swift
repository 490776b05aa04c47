import Synchronization

/// A source that counts the bytes which come from another one.
package final class CountingSource: CollectionSource {
    private let source: any CollectionSource
    private let bytes = Mutex(0)

    package init(_ source: any CollectionSource) { self.source = source }

    package var count: Int { bytes.withLock { $0 } }

    package func bytes(_ path: String, atMost limit: Int) async throws(CollectionError) -> [UInt8] {
        let file = try await source.bytes(path, atMost: limit)
        bytes.withLock { $0 += file.count }
        return file
    }
}
