import Files
import Foundation

/// A file with a public key that is believed because of who owns it.
struct PinnedKeyFile: Sendable {
    private let file: URL
    private let owner: UInt32

    init(_ file: URL, owner: UInt32) {
        self.file = file
        self.owner = owner
    }

    var path: String { file.path }

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
        guard let bytes = try? OpenedFile(file).bytes(atMost: 4096) else {
            throw .unknownSigner("\(path) cannot be read, or has more than 4096 bytes")
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
