import Foundation
import Machine

/// A file with a public key that is believed because of who owns it.
package struct PinnedKeyFile: Sendable {
    private static let limit = 4096

    private let file: URL
    private let owner: UInt32

    init(_ file: URL, owner: UInt32) {
        self.file = file
        self.owner = owner
    }

    var path: String { file.path }

    /// Writes a public key so that the key service's user can read it. The process' file mode mask (umask) does not matter.
    ///
    /// - Throws: `FileError`.
    package static func publish(_ key: [UInt8], to file: URL) throws(FileError) {
        // Left by a process that was killed.
        unlink(file.path + ".tmp")
        // Before the file has its name: a process that is killed in between leaves none that others cannot read.
        try AtomicFile.replace(file, mode: 0o644) { descriptor, path throws(FileError) in
            guard fchmod(descriptor, 0o644) == 0 else { throw FileError("opened to other users", path) }
            let written = key.withUnsafeBytes { bytes in
                Result { () throws(FileError) in try AtomicFile.write(bytes, to: descriptor, path) }
            }
            try written.get()
        }
    }

    /// Returns what is published in a file; nil when the file does not exist.
    ///
    /// - Throws: `FileError`.
    package static func published(in file: URL) throws -> [UInt8]? {
        guard access(file.path, F_OK) == 0 else { return nil }
        return try OpenedFile(file).bytes(atMost: limit)
    }

    /// Reads the file, which is the enclave's own or root's and which no other user can change.
    ///
    /// - Throws: ``EvidenceError/unknownSigner(_:)``.
    func text() throws(EvidenceError) -> String {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            throw .unknownSigner("\(path) cannot be read; start the enclave, which writes it")
        }
        guard status.st_uid == owner || status.st_uid == 0, status.st_mode & 0o022 == 0 else {
            throw .unknownSigner("\(path) does not belong to the enclave's user, or others can change it")
        }
        guard let bytes = try? OpenedFile(file).bytes(atMost: Self.limit) else {
            throw .unknownSigner("\(path) cannot be read, or has more than \(Self.limit) bytes")
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
