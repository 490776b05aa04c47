/// A vault of tokens that could not be opened, read or changed.
public struct SecondFactorError: Error, Sendable, CustomStringConvertible {
    public struct Code: Sendable, Hashable {
        private enum Kind {
            case keyMissing, damaged, unsupportedVersion, invalidVersion, duplicateTokens, tooLarge, unreadable
            case unknownToken, ambiguous, exists, wrongPassphrase, notAnImport
        }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// The vault is encrypted and its key is missing.
        public static let keyMissing = Code(.keyMissing)
        /// The vault was changed or was encrypted under another key. It is refused as a whole.
        public static let damaged = Code(.damaged)
        /// Written by a later version of this program.
        public static let unsupportedVersion = Code(.unsupportedVersion)
        public static let invalidVersion = Code(.invalidVersion)
        public static let duplicateTokens = Code(.duplicateTokens)
        public static let tooLarge = Code(.tooLarge)
        /// A file or folder cannot be read or written.
        public static let unreadable = Code(.unreadable)
        public static let unknownToken = Code(.unknownToken)
        /// A name that matches several tokens.
        public static let ambiguous = Code(.ambiguous)
        /// The vault already has this token.
        public static let exists = Code(.exists)
        public static let wrongPassphrase = Code(.wrongPassphrase)
        /// The text has no format that tokens can be read from.
        public static let notAnImport = Code(.notAnImport)
    }

    public let code: Code
    /// The place, what was found there and what to do. Never contains a secret or a code.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
