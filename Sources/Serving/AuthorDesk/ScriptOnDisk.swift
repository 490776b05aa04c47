import Automation
import Crypto
import Encodings
import Foundation
import Machine
import Synchronization

/// The script's file. Other programs may change it at any time, so each save names the version that it replaces.
package struct ScriptOnDisk: Sendable {
    /// A version of the file.
    package struct Content: Sendable, Hashable {
        package let text: String
        /// The SHA-256 of the bytes; ``missing`` without a file.
        package let version: String
    }

    /// The version of a file that does not exist.
    package static let missing = "missing"

    /// The file itself, behind any symbolic link.
    let file: URL
    /// The name that the author typed.
    package let name: String
    /// Runs between the temporary file and its renaming.
    private let beforeRenaming: @Sendable () throws(FileError) -> Void

    /// - Parameter path: the path, with `~` expanded.
    package init(path: String) {
        self.init(path: path) { () throws(FileError) in }
    }

    init(path: String, beforeRenaming: @escaping @Sendable () throws(FileError) -> Void) {
        let typed = URL(filePath: path)
        name = typed.lastPathComponent
        file = typed.resolvingSymlinksInPath()
        self.beforeRenaming = beforeRenaming
    }

    /// Reads the file.
    ///
    /// - Returns: an empty text of the version ``missing`` without a file.
    /// - Throws: ``DeskRefusal`` for a file that is not a script's.
    package func read() throws(DeskRefusal) -> Content {
        let bytes: [UInt8]
        do {
            bytes = try OpenedFile(file, links: .followed).bytes(atMost: ScriptFolder.largest)
        } catch let error as FileError where error.code == ENOENT {
            return Content(text: "", version: Self.missing)
        } catch {
            throw DeskRefusal(.unreadable, "\(error)")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw DeskRefusal(.unreadable, "\(name) is not UTF-8; save it as UTF-8")
        }
        return Content(text: text, version: Self.version(of: bytes))
    }

    /// Saves a text whole, or not at all. The file keeps its permissions.
    ///
    /// - Parameter version: the version that the text replaces.
    /// - Returns: the new version.
    /// - Throws: ``DeskRefusal`` when the file has another version by now, or cannot be written. It is then unchanged.
    package func save(_ text: String, replacing version: String) throws(DeskRefusal) -> String {
        let bytes = Array(text.utf8)
        guard bytes.count <= ScriptFolder.largest else {
            throw DeskRefusal(.tooLarge, "a script has at most \(ScriptFolder.largest >> 20) MiB")
        }
        try check(version)
        let isChanged = Mutex(false)
        do {
            // The last look is just before the file gets its name: what another program saves later replaces this text, and the
            // page hears of it.
            let body = { (descriptor: Int32, path: String) throws(FileError) in
                let failure = bytes.withUnsafeBytes { bytes -> FileError? in
                    do throws(FileError) {
                        try AtomicFile.write(bytes, to: descriptor, path)
                        return nil
                    } catch {
                        return error
                    }
                }
                if let failure { throw failure }
                try beforeRenaming()
                guard (try? read())?.version == version else {
                    isChanged.withLock { $0 = true }
                    throw FileError("replaced", file.path, EAGAIN)
                }
            }
            let temporary = ".countersign-\(UUID().uuidString).tmp"
            if version == Self.missing {
                try AtomicFile.create(file, mode: 0o644, temporaryName: temporary, body)
            } else {
                try AtomicFile.replace(file, mode: mode, temporaryName: temporary, body)
            }
        } catch {
            if isChanged.withLock({ $0 }) || error.code == EEXIST { throw changed }
            throw DeskRefusal(.saveFailed, "\(error); nothing is saved, and your text is still in the editor")
        }
        return Self.version(of: bytes)
    }

    private func check(_ version: String) throws(DeskRefusal) {
        guard try read().version == version else { throw changed }
    }

    private var changed: DeskRefusal {
        DeskRefusal(
            .changedOnDisk,
            "another program has changed or removed \(name) since you opened it; load it, or save your text over it")
    }

    /// The permissions of the file.
    private var mode: mode_t {
        var status = stat()
        return stat(file.path, &status) == 0 ? status.st_mode & 0o777 : 0o644
    }

    private static func version(of bytes: [UInt8]) -> String { Base16.encode(SHA256.hash(data: bytes)) }
}
