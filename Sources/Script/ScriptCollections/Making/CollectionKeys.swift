import Crypto
import Encodings
import Foundation
import Machine
import Secrets

/// The key files of a collection's author: one for each role, readable for the owner alone.
package struct CollectionKeys: Sendable {
    private let folder: URL
    private static let roles = ["root", "targets", "snapshot", "timestamp"]
    private static let largest = 1 << 10

    package init(_ folder: URL) { self.folder = folder }

    /// Reads the keys, and makes them where the folder has none.
    ///
    /// - Returns: the keys, without a root key if the folder has none, and the old root keys of the folder `previous`, which sign a new root.
    /// - Throws: ``CollectionError``.
    package func load() throws(CollectionError) -> (keys: CollectionMaker.Keys, previous: [MetadataSigner]) {
        let isNew = Self.roles.allSatisfy { !FileManager.default.fileExists(atPath: file($0, in: folder).path) }
        if isNew {
            do {
                try PrivateFolder.make(folder)
                for role in Self.roles {
                    try MetadataSigner(new: .ed25519).file.withUnsafeBytes { bytes in
                        try AtomicFile.write(Array(bytes), to: file(role, in: folder))
                    }
                }
            } catch {
                throw CollectionError(.storage, "\(error)")
            }
        }
        let previous = folder.appending(path: "previous", directoryHint: .isDirectory)
        let old =
            FileManager.default.fileExists(atPath: file("root", in: previous).path)
            ? [try read("root", in: previous)] : []
        // The root's key lies elsewhere but for the days on which a root is written.
        let hasRoot = FileManager.default.fileExists(atPath: file("root", in: folder).path)
        return (
            CollectionMaker.Keys(
                root: hasRoot ? [try read("root", in: folder)] : [], targets: [try read("targets", in: folder)],
                snapshot: [try read("snapshot", in: folder)], timestamp: [try read("timestamp", in: folder)]),
            old
        )
    }

    private func read(_ role: String, in folder: URL) throws(CollectionError) -> MetadataSigner {
        let place = file(role, in: folder)
        let bytes: [UInt8]
        do {
            let opened = try OpenedFile(place, links: .followed)
            guard opened.isPrivate else {
                throw CollectionError(.storage, "\(place.path) is open to other users: chmod 600 \(place.path)")
            }
            bytes = try opened.bytes(atMost: Self.largest)
        } catch let error as CollectionError {
            throw error
        } catch {
            throw CollectionError(.storage, "\(error)")
        }
        return try MetadataSigner(reading: Secret(bytes: bytes))
    }

    private func file(_ role: String, in folder: URL) -> URL { folder.appending(path: "\(role).key") }
}

/// The digest by which people compare a root.
package enum RootDigest {
    package static func hex(of root: [UInt8]) -> String { Base16.encode(SHA256.hash(data: root)) }
}
