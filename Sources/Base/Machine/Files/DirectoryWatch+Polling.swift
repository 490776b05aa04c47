#if !os(Linux)
    import Foundation

    /// Watches one folder by listing its names every second.
    package final class DirectoryWatch: Sendable {
        package let events: AsyncStream<DirectoryEvent>
        private let task: Task<Void, Never>

        package init(folder: URL) throws(FileError) {
            let (events, continuation) = AsyncStream<DirectoryEvent>.makeStream(
                bufferingPolicy: .bufferingNewest(1024))
            self.events = events
            let path = folder.path
            guard FileManager.default.fileExists(atPath: path) else { throw FileError("watched", path, ENOENT) }
            task = Task {
                var known: Set<String> = []
                while !Task.isCancelled {
                    let names = Set((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [])
                    for name in names.symmetricDifference(known) { continuation.yield(.changed(name)) }
                    known = names
                    try? await Task.sleep(for: .seconds(1))
                }
                continuation.finish()
            }
        }

        deinit { task.cancel() }
    }
#endif
