import Foundation

/// A test's own folder, deleted by ``remove()`` or with this object.
package final class TemporaryFolder: Sendable {
    package let url: URL

    package init(
        in base: URL = FileManager.default.temporaryDirectory,
        named name: String = "countersign-test-\(UUID().uuidString)"
    ) throws {
        url = base.appending(path: name, directoryHint: .isDirectory)
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { remove() }

    package func remove() { try? FileManager.default.removeItem(at: url) }

    package func appending(_ name: String) -> URL { url.appending(path: name) }

    /// The sorted names of what is in the folder.
    package var names: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: url.path).sorted()) ?? []
    }
}
