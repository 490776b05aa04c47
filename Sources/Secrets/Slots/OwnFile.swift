import Foundation
import SyncedFolder

/// A small file of mode 0600 that only the holder of a lock writes.
enum OwnFile {
    static func write(_ bytes: [UInt8], to file: URL) throws {
        // Whoever wrote a temporary file beside it is dead, or we would not have the lock.
        unlink(file.path + ".tmp")
        try AtomicFile.write(bytes, to: file)
    }
}
