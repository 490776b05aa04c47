import Foundation
import Machine
import Secrets

/// Stores each value as a file in a folder, for example one that Syncthing, Nextcloud or iCloud Drive syncs between
/// devices. Files are written atomically, with mode 0600.
///
/// When two devices write at once, a sync client keeps one of the files under another name, such as
/// `vault.sync-conflict-….totp`, `vault (conflicted copy).totp` or `vault 2.totp`. These are read as conflicting
/// versions.
package struct FolderKeyValueStore: KeyValueStore, Hashable {
    /// The file name extension of a value.
    static let suffix = ".totp"
    /// The maximum size of a file, in bytes.
    static let largest = TokenVaultJSON.largest + 28

    package let folder: URL

    package init(_ folder: URL) {
        self.folder = folder.standardizedFileURL
    }

    package func file(forKey key: String) -> URL { folder.appending(path: key + Self.suffix) }

    package func values(forKey key: String) async throws -> [StoredValue] {
        try await BlockingWork.run { [self] in
            var values: [StoredValue] = []
            let own = file(forKey: key)
            if access(own.path, F_OK) == 0 { values.append(StoredValue(data: try read(own))) }
            for name in try versions(ofKey: key) {
                // Skip a version that has just disappeared or is not a plain file.
                guard let data = try? read(folder.appending(path: name)) else { continue }
                values.append(StoredValue(data: data, version: name))
            }
            return values
        }
    }

    package func set(_ value: Data, forKey key: String, superseding superseded: [StoredValue]) async throws {
        try await BlockingWork.run { [self] in
            let file = file(forKey: key)
            do {
                // A unique temporary name, so that two devices on one disk do not overwrite each other's file.
                try AtomicFile.write(value, to: file, temporaryName: ".\(key).\(UUID().uuidString.lowercased()).tmp")
            } catch {
                throw SecondFactorError(.unreadable, "\(error); check the folder and its free space")
            }
            for name in superseded.compactMap(\.version) {
                let aside = folder.appending(path: name)
                let merged = superseded.first { $0.version == name }?.data
                if let now = try? read(aside), now == merged { unlink(aside.path) }
            }
        }
    }

    package func changes() throws -> AsyncStream<Void> {
        let watch = try DirectoryWatch(folder: folder)
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let task = Task {
            for await event in watch.events {
                switch event {
                case .changed(let name) where !name.hasSuffix(Self.suffix): continue
                case .changed, .overflow: continuation.yield()
                }
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    private func read(_ file: URL) throws -> Data {
        do {
            return Data(try OpenedFile(file).bytes(atMost: Self.largest))
        } catch {
            throw SecondFactorError(.unreadable, "\(error)")
        }
    }

    private func versions(ofKey key: String) throws -> [String] {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        } catch {
            throw SecondFactorError(
                .unreadable, "cannot read \(folder.path); check that the folder exists and belongs to you")
        }
        return names.filter { name in
            name.hasPrefix(key) && name.hasSuffix(Self.suffix) && name != key + Self.suffix
                && name.dropFirst(key.count).first.map { !$0.isLetter && !$0.isNumber } == true
        }.sorted()
    }
}
