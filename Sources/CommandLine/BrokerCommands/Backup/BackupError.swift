/// A backup that cannot be made or restored: what was seen, and what to do.
package struct BackupError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Code: Sendable, Hashable {
        /// The backup's folder or one of the places exists already.
        case occupied
        /// The folder is not a whole backup, or a file in it was changed.
        case damaged
        /// The passphrase does not open the backup, or was not given.
        case wrongPassphrase
        /// A newer version of the program has made the backup.
        case newer
        /// The variables of this machine do not fit the backup.
        case configuration
        /// A part of the broker cannot be read or written.
        case unusable
    }

    package let code: Code
    package let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
