import Foundation
import Terminal

/// The place of an export: a new file, or standard output.
struct TransactionOutput {
    private let path: String?

    init(_ path: String?) { self.path = path }

    /// Writes the whole text, or leaves no file.
    ///
    /// - Throws: ``CommandFailure`` where a file of the name exists, or cannot be written whole.
    func write(_ text: String) throws {
        guard let path else { return Console.standard.disclose(text) }
        let url = try TypedPath.newFile(path)
        let descriptor = open(url.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CommandFailure("\(path): \(String(cString: strerror(errno))); give another name")
        }
        do {
            try FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).write(contentsOf: Data(text.utf8))
        } catch {
            // Half an export looks like a whole one, and would be in the way of the next try.
            unlink(url.path)
            throw CommandFailure("\(path) could not be written whole; free space on its disk and try again")
        }
    }
}
