import Foundation
import GRDB
import Machine

extension DocumentArchive {
    /// Returns whether a failure to file may pass without a restart: by itself, or by what a person does about the disk or the
    /// index. A document that is refused or gone, or a template that has run out of names, stays as it is.
    package func mayPass(_ error: any Error) -> Bool {
        switch error {
        case let error as ArchiveError: [.away, .unusable].contains(error.code)
        // A file of the archive can vanish with its disk. The document itself lies elsewhere.
        case let error as FileError where error.code == ENOENT: error.path.hasPrefix(root.path + "/")
        case let error as FileError: Self.passing.contains(error.code)
        case let error as DatabaseError: Self.passingResults.contains(error.resultCode)
        default: false
        }
    }

    /// The disk is full, read-only, failing, or not reached, or this process may not write to it now.
    private static let passing: Set<Int32> = [
        ENOSPC, EDQUOT, EROFS, EIO, ENODEV, ENXIO, ESTALE, ENOTCONN, EHOSTDOWN, ETIMEDOUT, EBUSY, EAGAIN, EACCES, EPERM,
        EMFILE, ENFILE, ENOMEM,
    ]
    private static let passingResults: [ResultCode] = [
        .SQLITE_FULL, .SQLITE_IOERR, .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_CORRUPT,
        .SQLITE_NOTADB,
    ]
}
