/// An error from opening, reading or changing a vault.
package struct VaultError: Error, Sendable, CustomStringConvertible {
    package struct Code: Sendable, Hashable {
        private enum Kind {
            case missing, exists, damaged, wrongPassphrase, wrongPasskey, delayed, locked, lastSlot, unknownSlot
            case weakPassphrase, noPassphrase, busy, inUse, rolledBack, unreadable, unsupported
        }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// The vault file does not exist.
        package static let missing = Code(.missing)
        /// A vault file exists already where a new one was to be created.
        package static let exists = Code(.exists)
        /// The file was damaged or changed, and is refused as a whole.
        package static let damaged = Code(.damaged)
        package static let wrongPassphrase = Code(.wrongPassphrase)
        /// No passphrase opens the vault by itself.
        package static let noPassphrase = Code(.noPassphrase)
        /// No slot belongs to the passkey, or its output does not open the slot.
        package static let wrongPasskey = Code(.wrongPasskey)
        /// Too many wrong passphrases. ``VaultError/wait`` is the time until the next attempt is allowed.
        package static let delayed = Code(.delayed)
        /// The vault has been closed.
        package static let locked = Code(.locked)
        /// A vault must keep one slot, or it could never be opened again.
        package static let lastSlot = Code(.lastSlot)
        package static let unknownSlot = Code(.unknownSlot)
        package static let weakPassphrase = Code(.weakPassphrase)
        /// Another process is changing the vault.
        package static let busy = Code(.busy)
        /// Another store of this process has the vault open, which a new key would make useless.
        package static let inUse = Code(.inUse)
        /// The file is an older copy of the vault.
        package static let rolledBack = Code(.rolledBack)
        package static let unreadable = Code(.unreadable)
        /// Written by a later version, or with parameters beyond the bounds of this one.
        package static let unsupported = Code(.unsupported)
    }

    package let code: Code
    package let message: String
    /// With ``Code/delayed``, the time until the next attempt is allowed.
    package let wait: Duration?

    init(_ code: Code, _ message: String, wait: Duration? = nil) {
        self.code = code
        self.message = message
        self.wait = wait
    }

    package var description: String { message }
}
