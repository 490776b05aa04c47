/// An error from opening, reading or changing a vault.
public struct VaultError: Error, Sendable, CustomStringConvertible {
    public struct Code: Sendable, Hashable {
        private enum Kind {
            case missing, exists, damaged, wrongPassphrase, wrongPasskey, delayed, locked, lastSlot, unknownSlot
            case weakPassphrase, busy, rolledBack, unreadable, unsupported
        }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// The vault file does not exist.
        public static let missing = Code(.missing)
        /// A vault file exists already where a new one was to be created.
        public static let exists = Code(.exists)
        /// The file was damaged or changed, and is refused as a whole.
        public static let damaged = Code(.damaged)
        public static let wrongPassphrase = Code(.wrongPassphrase)
        /// No slot belongs to the passkey, or its output does not open the slot.
        public static let wrongPasskey = Code(.wrongPasskey)
        /// Too many wrong passphrases. ``VaultError/wait`` is the time until the next attempt is allowed.
        public static let delayed = Code(.delayed)
        /// The vault has been closed.
        public static let locked = Code(.locked)
        /// A vault must keep one slot, or it could never be opened again.
        public static let lastSlot = Code(.lastSlot)
        public static let unknownSlot = Code(.unknownSlot)
        public static let weakPassphrase = Code(.weakPassphrase)
        /// Another process is changing the vault.
        public static let busy = Code(.busy)
        /// The file is an older copy of the vault.
        public static let rolledBack = Code(.rolledBack)
        public static let unreadable = Code(.unreadable)
        /// Written by a later version, or with parameters beyond the bounds of this one.
        public static let unsupported = Code(.unsupported)
    }

    public let code: Code
    public let message: String
    /// With ``Code/delayed``, the time until the next attempt is allowed.
    public let wait: Duration?

    init(_ code: Code, _ message: String, wait: Duration? = nil) {
        self.code = code
        self.message = message
        self.wait = wait
    }

    public var description: String { message }
}
