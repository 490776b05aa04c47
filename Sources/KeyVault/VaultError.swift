/// Why a vault could not be opened, read or changed.
public struct VaultError: Error, Sendable, CustomStringConvertible {
    public struct Code: Sendable, Hashable {
        private enum Kind {
            case missing, exists, damaged, wrongPassphrase, wrongPasskey, delayed, locked, lastSlot, unknownSlot
            case weakPassphrase, busy, unreadable, unsupported
        }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// There is no vault file.
        public static let missing = Code(.missing)
        /// There is a vault file already, where a new one was to be made.
        public static let exists = Code(.exists)
        /// The file is not what was written: refused as a whole.
        public static let damaged = Code(.damaged)
        public static let wrongPassphrase = Code(.wrongPassphrase)
        /// No slot belongs to that passkey, or what it gave does not open its slot.
        public static let wrongPasskey = Code(.wrongPasskey)
        /// Too many wrong passphrases: ``VaultError/wait`` says how long none will be tried.
        public static let delayed = Code(.delayed)
        /// The vault has been closed since.
        public static let locked = Code(.locked)
        /// A vault must keep one slot, or nobody could open it again.
        public static let lastSlot = Code(.lastSlot)
        public static let unknownSlot = Code(.unknownSlot)
        public static let weakPassphrase = Code(.weakPassphrase)
        /// Another process is changing the vault.
        public static let busy = Code(.busy)
        public static let unreadable = Code(.unreadable)
        /// Written by a later version, or with parameters beyond the bounds of this one.
        public static let unsupported = Code(.unsupported)
    }

    public let code: Code
    public let message: String
    /// With ``Code/delayed``: how long until a passphrase is tried again.
    public let wait: Duration?

    init(_ code: Code, _ message: String, wait: Duration? = nil) {
        self.code = code
        self.message = message
        self.wait = wait
    }

    public var description: String { message }
}
